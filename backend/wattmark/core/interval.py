"""A 95 % interval whose ends need not be symmetric, and a value with half the width of one."""

from __future__ import annotations

import math
from typing import Any

from pydantic import computed_field, model_validator

from wattmark.core.schema import Schema, without_u95

Ends = tuple[float | None, float | None]


class PlusMinus(Schema):
    """A value with its ± at 95 %, for a figure whose u nobody combines further; U95 None: it has no ±."""

    value: float
    U95: float | None = None


class Interval(Schema):
    """A value with the ends of its 95 % interval; an end is None where it is not known, or nothing bounds it.

    U95 is half the width. It stands in the JSON too, so that nobody else divides.
    """

    value: float
    low: float | None = None
    high: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_u95(cls, data: Any) -> Any:
        return without_u95(data)

    @classmethod
    def of(cls, value: float, ends: Ends | None) -> Interval:
        """Build from a value and the ends of its interval; None: they are not known."""
        low, high = ends or (None, None)
        return Interval(value=value, low=low, high=high)

    @property
    def ends(self) -> Ends:
        """Return both ends, as far as they are ends of a ± of the figure."""
        return self.low, self.high

    @computed_field  # type: ignore[prop-decorator]
    @property
    def U95(self) -> float | None:  # noqa: N802 - the metrologist's symbol
        """Compute half the width; None where an end is not known."""
        return half_width(*self.ends)


class Interval95(Interval):
    """An interval with u and degrees of freedom.

    Not a `Quantity`, whose ± is symmetric and complete: ends from logarithms, inverses and Fieller are neither always.
    """

    low: float
    high: float
    u: float
    dof: float | None = None
    complete: bool = True
    """Whether it is a ± of the figure. False: it holds the scatter of repeats only, because nothing is known about an
    instrument; it orders and compares, and is never shown as ±."""

    @classmethod
    def student(cls, value: float, half: float, u: float, dof: float, *, complete: bool = True) -> Interval95:
        """Build the symmetric interval of a value: half its width, u and degrees of freedom, which may be infinite."""
        finite_dof = dof if math.isfinite(dof) else None
        return Interval95(value=value, low=value - half, high=value + half, u=u, dof=finite_dof, complete=complete)

    def scaled(self, factor: float) -> Interval95:
        """Return it in another unit, of which ``factor`` make one of the present unit."""
        return Interval95(
            value=self.value * factor,
            low=self.low * factor,
            high=self.high * factor,
            u=self.u * factor,
            dof=self.dof,
            complete=self.complete,
        )

    def complete_if(self, known: bool) -> Interval95:
        """Return it as a ± of the figure only where everything about its instruments is known."""
        return self.model_copy(update={"complete": self.complete and known})

    @property
    def ends(self) -> Ends:
        """Return both ends; None where it holds scatter only."""
        return (self.low, self.high) if self.complete else (None, None)


def half_width(low: float | None, high: float | None) -> float | None:
    """Compute half the width of a 95 % interval [its unit]; None where an end is not known."""
    return None if low is None or high is None else (high - low) / 2
