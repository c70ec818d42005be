"""Offer the hwmon engine to the factory."""

from __future__ import annotations

from wattmark_drivers.engine import Engine
from wattmark_drivers.sysfs.address import HWMON_SCHEMES
from wattmark_drivers.sysfs.hwmon import HwmonMeter

ENGINE = Engine(HWMON_SCHEMES, HwmonMeter)
