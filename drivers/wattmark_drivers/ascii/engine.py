"""Offer the Watts Up? engine to the factory."""

from __future__ import annotations

from wattmark_drivers.ascii.address import SCHEMES
from wattmark_drivers.ascii.wattsup import WattsUpMeter
from wattmark_drivers.engine import Engine

ENGINE = Engine(SCHEMES, WattsUpMeter)
