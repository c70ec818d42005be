"""Offer the engine of TP-Link plugs to the factory."""

from __future__ import annotations

from wattmark_drivers.engine import Engine
from wattmark_drivers.kasa.address import SCHEMES
from wattmark_drivers.kasa.meter import KasaMeter

ENGINE = Engine(SCHEMES, KasaMeter)
