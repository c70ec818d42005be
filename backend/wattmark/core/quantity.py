"""A number and its ±, as one thing: value, unit and uncertainty, and the lines of a budget behind it."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any, Literal, Self

from pydantic import computed_field, model_validator
from wattmark_calibration import Contribution, Kind, UncertainValue

from wattmark.core.schema import Record, without_u95


class BudgetPart(Record):
    """One of the terms that add up linearly to a contribution."""

    name: str
    u_result: float
    """Standard uncertainty [unit of the result]."""


class BudgetLine(Record):
    """A `wattmark_calibration.Contribution` as it is stored and sent: no infinity, and its weight in the result."""

    name: str
    u: float
    """Standard uncertainty of the input [unit of the input]."""
    evaluation: Literal["A", "B"]
    dof: float | None
    """None: infinite."""
    sensitivity: float
    """Change of the result per unit of the input; its sign counts where two results share the error."""
    correlation_group: str | None = None
    note: str = ""
    value: float | None = None
    """Estimate of the input; None where the input has none of its own (scatter)."""
    unit: str = ""
    """Unit of the input."""
    distribution: Literal["normal", "rectangular"] = "normal"
    parts: tuple[BudgetPart, ...] = ()
    kind: Kind = "instrument"
    """What causes it: scatter, repeats, instrument, resolution, drift, temperature, window and clock, wiring, ..."""
    u_result: float
    """Standard uncertainty [unit of the result]: |sensitivity| x u."""
    share_pct: float
    """Share of the variance of the result [%]."""

    @property
    def signed_u(self) -> float:
        """Return u_result with the sign of the sensitivity: two results may share an error with opposite signs."""
        return -self.u_result if self.sensitivity < 0 else self.u_result


class Quantity(Record):
    """A value with its unit and its ±: standard uncertainty u, coverage factor k95 and U95 = k95 x u for 95 %.

    Without a complete budget there is no ±: u, k95, dof and U95 are None. U95 stands in the JSON
    too, so that nobody else multiplies.
    """

    value: float
    unit: str
    u: float | None = None
    """Standard uncertainty [unit]; None: not known, never zero."""
    dof: float | None = None
    """Effective degrees of freedom; None: infinite, or no ±."""
    k95: float | None = None
    """Coverage factor for 95 %; None with u."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def U95(self) -> float | None:  # noqa: N802 - the metrologist's symbol
        """Compute the expanded uncertainty at 95 % [unit]; None where there is none."""
        return None if self.u is None or self.k95 is None else self.k95 * self.u

    @model_validator(mode="before")
    @classmethod
    def _without_u95(cls, data: Any) -> Any:
        return without_u95(data)

    @model_validator(mode="after")
    def _whole_or_absent(self) -> Self:
        if (self.u is None) is not (self.k95 is None):
            raise ValueError("u and k95 must be given together")
        if self.u is None and self.dof is not None:
            raise ValueError("degrees of freedom need a standard uncertainty u")
        if self.u is not None and self.u < 0:
            raise ValueError("a standard uncertainty must not be negative")
        return self

    @classmethod
    def of(cls, result: UncertainValue, unit: str | None = None) -> Quantity:
        """Build from a value of the analysis, without its budget; an incomplete uncertainty is dropped."""
        return Quantity(value=result.value, unit=unit or result.unit, **plus_minus(result))

    @property
    def bare(self) -> Quantity:
        """Return value and uncertainty without the budget."""
        return Quantity(value=self.value, unit=self.unit, u=self.u, dof=self.dof, k95=self.k95)


def finite(number: float) -> float | None:
    """Return a number; None where it is not finite."""
    return number if math.isfinite(number) else None


def budget_lines(result: UncertainValue) -> tuple[BudgetLine, ...]:
    """List the known contributions, largest first, with their share of the variance [%]."""
    variance = result.u**2
    lines = (_line(contribution, variance) for contribution in result.contributions)
    return tuple(sorted(lines, key=lambda line: -line.u_result))


def _line(contribution: Contribution, variance: float) -> BudgetLine:
    scale, u_result = abs(contribution.sensitivity), contribution.u_result
    line = asdict(contribution) | {
        "dof": finite(contribution.dof),
        "parts": tuple(BudgetPart(name=name, u_result=scale * u) for name, u in contribution.parts),
    }
    return BudgetLine(**line, u_result=u_result, share_pct=100 * u_result**2 / variance if variance > 0 else 0.0)


def plus_minus(result: UncertainValue) -> dict[str, float | None]:
    """Return u, dof and k95 of a complete budget; empty for one that is empty or incomplete."""
    if not (result.complete and result.contributions):
        return {}
    return {"u": result.u, "dof": finite(result.dof), "k95": result.k95}


def bare(quantity: Quantity | None) -> Quantity | None:
    """Return value and uncertainty without the budget; None stays None."""
    return None if quantity is None else quantity.bare


def value_of(quantity: Quantity | None) -> float | None:
    """Return the value; None stays None."""
    return None if quantity is None else quantity.value


def half_of(quantity: Quantity | None) -> float | None:
    """Return U95; None where there is no quantity or no uncertainty."""
    return None if quantity is None else quantity.U95
