"""Offer the engine of HTTP plugs to the factory."""

from __future__ import annotations

from wattmark_drivers.engine import Engine
from wattmark_drivers.plugs.address import SCHEMES
from wattmark_drivers.plugs.meter import PlugMeter

ENGINE = Engine(SCHEMES, PlugMeter)
