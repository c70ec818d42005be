"""Offer the PowerSensor3 engine to the factory."""

from __future__ import annotations

from wattmark_drivers.ascii.address import SCHEMES
from wattmark_drivers.engine import Engine
from wattmark_drivers.powersensor.meter import PowerSensorMeter

ENGINE = Engine(SCHEMES, PowerSensorMeter)
