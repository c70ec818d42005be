"""The contributions to a ratio of two systems, and the errors of their meters that cancel in it."""

from __future__ import annotations

from collections.abc import Iterator

from wattmark_calibration import Contribution, Kind, UncertainValue

from wattmark.analysis.comparison.comparison import Estimate, System, differences, same_meter
from wattmark.analysis.comparison.course import time_term
from wattmark.comparison.compare.group_budget import repeats_note
from wattmark.core.numbers import format_number
from wattmark.core.quantity import BudgetLine, budget_lines

CANCELS = 0.5
"""An error is reported as cancelling where less than this share remains in a ratio; the rest is given."""
NOTHING = 1e-6
_GAIN = "Specification of "


def ratio_budget(estimate: Estimate, a: System, b: System, names: tuple[str, str]) -> list[BudgetLine]:
    """List the contributions to a ratio [1]: the scatter of both, a trend over time, and the errors of their meters."""
    terms = [*_scatter(a, names[0]), *_scatter(b, names[1]), _trend(a, b), *_left(a, b, names)]
    scaled = [term for term in terms if term.u > 0]
    value = UncertainValue(estimate.value, "1", tuple(_scaled(term, estimate.value) for term in scaled))
    return list(budget_lines(value))


def cancelling(a: System, b: System) -> list[str]:
    """Explain which errors cancel in a ratio, and how much of each is left."""
    sentences = []
    for group, left in sorted(differences(a, b).items()):
        larger = max(abs(a.shared.get(group, 0.0)), abs(b.shared.get(group, 0.0)))
        if group not in a.shared or group not in b.shared or abs(left) >= CANCELS * larger:
            continue
        rest = "" if abs(left) <= NOTHING * larger else f" but for {format_number(100 * abs(left) / larger, 2)} % of it"
        sentences.append(f"{_what(a, group)} cancels{rest}: the same meter measured both.")
    if not (a.complete and b.complete) and same_meter(a, b):
        sentences.append(
            "The error of the meter is not known; it is assumed to cancel, because the same meter measured both."
        )
    return sentences


def _scatter(of: System, name: str) -> Iterator[Contribution]:
    if of.log.u is not None:
        kind: Kind = "repeats" if of.log.n > 1 else "scatter"
        yield Contribution(
            f"Scatter of {name}", of.log.u, "A", of.log.dof, note=repeats_note(of), unit="1", kind=kind
        )  # fmt: skip


def _trend(a: System, b: System) -> Contribution:
    u, dof = time_term(a.course, b.course)
    note = "trend of the runs over time, by how far apart the two were measured"
    return Contribution("Trend over time", u, "A", dof, note=note, unit="1", kind="repeats")


def _left(a: System, b: System, names: tuple[str, str]) -> Iterator[Contribution]:
    for group, left in differences(a, b).items():
        both = group in a.shared and group in b.shared
        owner = names[0] if group in a.shared else names[1]
        yield Contribution(
            (a if group in a.shared else b).names.get(group, group),
            abs(left),
            "B",
            correlation_group=group,
            note="remainder of an error that both share" if both else f"of {owner} alone",
            unit="1",
            distribution="rectangular" if group in a.rectangular | b.rectangular else "normal",
        )


def _scaled(term: Contribution, value: float) -> Contribution:
    return Contribution(
        term.name, term.u, term.evaluation, term.dof, value, term.correlation_group, term.note,
        unit=term.unit, distribution=term.distribution, kind=term.kind,
    )  # fmt: skip


def _what(of: System, group: str) -> str:
    name = of.names.get(group, group)
    return f"The gain of {name.removeprefix(_GAIN)}" if name.startswith(_GAIN) else name
