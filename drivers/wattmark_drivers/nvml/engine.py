"""Offer the NVML engine to the factory."""

from __future__ import annotations

from wattmark_drivers.engine import Engine
from wattmark_drivers.nvml.address import SCHEMES
from wattmark_drivers.nvml.meter import NvmlMeter

ENGINE = Engine(SCHEMES, NvmlMeter)
