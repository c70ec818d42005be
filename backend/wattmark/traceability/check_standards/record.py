"""A check standard and its readings, as stored."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from wattmark.core.inputs import FILLED_LINE, LINE, REAL, WHOLE, Input, Whole
from wattmark.core.part import Identifier

Remark = Annotated[str, Field(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$"), LINE]
Person = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$"),
    FILLED_LINE,
]
Watts = Annotated[float, Field(gt=0, le=1e7), REAL]


class NewCheckStandard(Input):
    """A stable load that one meter reads from time to time.

    ``nominal_w`` is what the load is rated for; readings far from it are refused as another load or another unit.
    ``target_w`` is the power that the owner expects of this meter (None: only the baseline judges).
    """

    name: Identifier
    meter: Identifier
    nominal_w: Watts
    target_w: Watts | None = None
    description: Remark = ""


class CheckStandard(NewCheckStandard, frozen=True):
    """A check standard as stored."""

    added_ns: Whole


class ReadingFacts(Input):
    """What a person states about a reading."""

    operator: Person
    note: Remark = ""
    begins_baseline: bool = False


class CheckReading(ReadingFacts, frozen=True):
    """One reading of a check standard: mean power of ``n`` samples and their standard deviation.

    ``sd_w``, ``n`` and ``range`` are None where a person copied the display without them. With
    ``begins_baseline`` the chart starts anew: the meter was calibrated, or the load was changed.
    """

    check_standard: Identifier
    at_ns: Whole
    power_w: Watts
    sd_w: Annotated[float, Field(ge=0, le=1e7), REAL] | None = None
    n: Annotated[int, Field(ge=1, le=10**9), WHOLE] | None = None
    range: Annotated[str, Field(max_length=100), LINE] | None = None
    by_hand: bool = False
    simulated: bool = False
