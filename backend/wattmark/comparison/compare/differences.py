"""Two runs held against each other: what they disclose differently, and whether a declared factor accounts for it."""

from __future__ import annotations

from collections.abc import Iterator

from wattmark.comparison.compare.undeclared import Disclosed, is_declared, undeclared_text
from wattmark.core.schema import Schema
from wattmark.runs.differences import Difference, disclosed_differences, known_on_one_side
from wattmark.runs.record import RunRecord


class DisclosedDifference(Difference):
    """A fact that is not the same in two runs."""

    declared: bool
    """Whether a factor that is declared accounts for it, as another server does for another CPU model."""


class DifferencesOut(Schema):
    """What two runs disclose differently, in the order of what it is known to do to power."""

    a: str
    """Run id, as that of ``b``."""
    b: str
    a_configuration: str
    b_configuration: str
    differences: list[DisclosedDifference]
    one_sided: list[str]
    """Facts that only one of the runs states: whether they differ is not known."""
    statement: str


def run_differences(a: RunRecord, b: RunRecord) -> DifferencesOut:
    """List what two runs disclose differently."""
    left, right = Disclosed.of(a), Disclosed.of(b)
    rows = [
        DisclosedDifference(**difference.model_dump(), declared=is_declared(difference, left, right))
        for difference in disclosed_differences(left.facts, right.facts)
    ]
    here, there = a.disclosure.environment, b.disclosure.environment
    one_sided = [] if here is None or there is None else known_on_one_side(here, there)
    return DifferencesOut(
        a=a.run_id,
        b=b.run_id,
        a_configuration=f"{a.server}/{a.configuration}",
        b_configuration=f"{b.server}/{b.configuration}",
        differences=rows,
        one_sided=one_sided,
        statement=" ".join([*_sentences(left, right, rows, one_sided), *_not_recorded(a, b)]),
    )


def _sentences(a: Disclosed, b: Disclosed, rows: list[DisclosedDifference], one_sided: list[str]) -> Iterator[str]:
    yield from (f"The load program differs: {row.a} against {row.b}." for row in rows if row.fact == "program")
    text = undeclared_text(a, b)
    yield f"{text[0].upper()}{text[1:]}." if text else "Of the environment, nothing differs beside what is declared."
    if one_sided:
        yield f"Stated by one run only: {', '.join(one_sided)}."


def _not_recorded(*runs: RunRecord) -> Iterator[str]:
    for run in runs:
        if run.disclosure.environment is None:
            yield f"The environment of run {run.run_id} was not recorded."
