"""Offer the Redfish engine to the factory."""

from __future__ import annotations

from wattmark_drivers.engine import Engine
from wattmark_drivers.redfish.address import SCHEMES
from wattmark_drivers.redfish.meter import RedfishMeter

ENGINE = Engine(SCHEMES, RedfishMeter)
