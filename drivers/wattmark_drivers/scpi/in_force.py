"""Settings in force that a maker's limits of error depend on. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.scpi_setting import OFF, ON
from wattmark_drivers.scpi.wanted import crest_number

LINE_FILTER = "line_filter"


def crest_in_force(
    in_use: Mapping[str, float | str], table: ScpiMap, fixed: float | None = None
) -> Literal[3, 6] | None:
    """Return the crest factor setting, 3 or 6; ``fixed`` is that of a device without one. None: another, or unknown."""
    setting = table.ranges.crest_setting if table.ranges else None
    crest = None if setting is None else in_use.get(setting)
    number = fixed if crest is None else crest_number(crest)
    if number == 3:
        return 3
    return 6 if number == 6 else None


def filter_in_force(in_use: Mapping[str, float | str]) -> bool | None:
    """Return whether the line filter is on; None where the device has none or does not report it."""
    return {ON: True, OFF: False}.get(str(in_use.get(LINE_FILTER)))
