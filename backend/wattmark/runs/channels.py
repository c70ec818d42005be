"""Which channels of an instrument are its total, by quantity: the same names in records, live and on figures."""

from __future__ import annotations

TOTALS = {"power": ("power", "dcmi_power"), "energy": ("energy", "energy_import")}
"""Channels that hold the whole of an instrument's power or energy; others are phases, supplies or exports."""
