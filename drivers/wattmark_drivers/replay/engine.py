"""Offer the replay engine to the factory."""

from __future__ import annotations

from wattmark_drivers.engine import Engine
from wattmark_drivers.replay.address import SCHEMES
from wattmark_drivers.replay.meter import ReplayMeter

ENGINE = Engine(SCHEMES, ReplayMeter)
