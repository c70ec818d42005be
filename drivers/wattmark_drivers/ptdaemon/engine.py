"""Offer the engine for power daemons to the factory."""

from __future__ import annotations

from wattmark_drivers.engine import Engine
from wattmark_drivers.ptdaemon.address import SCHEMES
from wattmark_drivers.ptdaemon.meter import PtdaemonMeter

ENGINE = Engine(SCHEMES, PtdaemonMeter)
