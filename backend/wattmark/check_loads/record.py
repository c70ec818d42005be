"""A check load and its readings, as they are kept."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from wattmark.given import Given

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=64)]
"""Safe in addresses and argument lists."""
Line = Annotated[str, Field(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$")]
Person = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$")
]
Watts = Annotated[float, Field(gt=0, le=1e7)]


class Part(Given):
    """Base: unknown fields are an error, values do not change, every number is finite."""

    model_config = ConfigDict(frozen=True)


class CheckLoad(Part):
    """A stable load that one meter reads from time to time.

    ``nominal_w`` is what the load is rated for; readings far from it are refused as another load or another unit.
    ``target_w`` is what the owner expects of this meter (None: nothing; the baseline alone is the measure).
    """

    name: Name
    meter: Name
    nominal_w: Watts
    target_w: Watts | None = None
    description: Line = ""
    added_ns: int


class CheckReading(Part):
    """One reading of a check load: mean power of ``n`` samples and their standard deviation.

    ``sd_w``, ``n`` and ``range`` are None where a person who wrote down the display did not tell. With
    ``begins_baseline`` the chart starts anew: the meter was calibrated, or the load was changed.
    """

    check_load: Name
    at_ns: int
    power_w: Watts
    sd_w: Annotated[float, Field(ge=0, le=1e7)] | None = None
    n: Annotated[int, Field(ge=1, le=10**9)] | None = None
    range: Annotated[str, Field(max_length=100)] | None = None
    operator: Person
    note: Line = ""
    by_hand: bool = False
    simulated: bool = False
    begins_baseline: bool = False
