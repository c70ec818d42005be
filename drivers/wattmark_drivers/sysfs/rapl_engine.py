"""Offer the RAPL engine to the factory."""

from __future__ import annotations

from wattmark_drivers.engine import Engine
from wattmark_drivers.sysfs.address import RAPL_SCHEMES
from wattmark_drivers.sysfs.rapl import RaplMeter

ENGINE = Engine(RAPL_SCHEMES, RaplMeter)
