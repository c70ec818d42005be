"""Offer the IPMI engine to the factory."""

from __future__ import annotations

from wattmark_drivers.engine import Engine
from wattmark_drivers.ipmi.address import SCHEMES
from wattmark_drivers.ipmi.meter import IpmiMeter

ENGINE = Engine(SCHEMES, IpmiMeter)
