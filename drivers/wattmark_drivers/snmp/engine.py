"""Offer the SNMP engine to the factory."""

from __future__ import annotations

from wattmark_drivers.engine import Engine
from wattmark_drivers.snmp.address import SCHEMES
from wattmark_drivers.snmp.meter import SnmpMeter

ENGINE = Engine(SCHEMES, SnmpMeter)
