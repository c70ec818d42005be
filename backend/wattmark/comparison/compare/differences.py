"""Two runs held against each other: what is declared and disclosed differently, and what of it is not declared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wattmark.comparison.compare.stated_facts import PLAIN, StatedFacts, stated_differences
from wattmark.comparison.compare.undeclared import declared_factors, declared_parts, is_declared, undeclared_text
from wattmark.core.schema import Schema
from wattmark.runs.differences import Difference, known_on_one_side
from wattmark.runs.record import RunRecord

_BESIDE = ("configuration", "program")
"""Factors without a row: the name of a configuration, and the version of the load program, which has one as a fact."""


class DisclosedDifference(Difference):
    """What is not the same in two runs: a declared factor, or a fact that was read."""

    declared: bool
    """Whether it is declared, or what is declared accounts for it, as another server does for another CPU model."""


class DifferencesOut(Schema):
    """What two runs declare and disclose differently."""

    a: str
    """Run id, as that of ``b``."""
    b: str
    a_configuration: str
    b_configuration: str
    differences: list[DisclosedDifference]
    """First the declared factors, then what was read, in the order of what it is known to do to power."""
    one_sided: list[str]
    """What was read of one of the runs only: whether it differs is not known."""
    statement: str


def run_differences(a: RunRecord, b: RunRecord) -> DifferencesOut:
    """List what two runs declare and disclose differently."""
    left, right = StatedFacts.of(a), StatedFacts.of(b)
    declared = [
        DisclosedDifference(fact=name, title=name, a=left.factors.get(name), b=right.factors.get(name), declared=True)
        for name in declared_factors(left, right)
        if name not in _BESIDE
    ]
    read = [
        DisclosedDifference(**difference.model_dump(), declared=is_declared(difference, left, right))
        for difference in stated_differences(left, right)
    ]
    one_sided = [title for fact, title in PLAIN.items() if (fact in left.plain) != (fact in right.plain)]
    here, there = a.disclosure.environment, b.disclosure.environment
    if known := here is not None and there is not None:
        one_sided += known_on_one_side(here, there)
    sentences = [f"Both are run {a.run_id}."]
    if a.run_id != b.run_id:
        sentences = [*_of_both(left, right, read, known=known), *_not_known(a, b, one_sided)]
    return DifferencesOut(
        a=a.run_id,
        b=b.run_id,
        a_configuration=f"{a.server}/{a.configuration}",
        b_configuration=f"{b.server}/{b.configuration}",
        differences=[*declared, *read],
        one_sided=one_sided,
        statement=" ".join(sentences),
    )


def _of_both(a: StatedFacts, b: StatedFacts, read: Sequence[DisclosedDifference], *, known: bool) -> Iterator[str]:
    """Say what differs; ``known``: the environments of both runs were recorded."""
    programs = [row for row in read if row.fact == "program"]
    yield from (f"The load program differs: {row.a} against {row.b}." for row in programs)
    parts, other = declared_parts(a, b), " else" if programs else ""
    if text := undeclared_text(a, b):
        yield f"{text[0].upper()}{text[1:]}."
    elif known and len(read) > len(programs):
        yield f"Nothing{other} differs in what was read of both runs but what comes with {parts}."
    elif known and parts:
        yield f"Besides {parts}, nothing{other} differs in what was read of both runs."
    elif known:
        yield f"Nothing that is declared differs, and nothing{other} that was read of both runs."


def _not_known(a: RunRecord, b: RunRecord, one_sided: Sequence[str]) -> Iterator[str]:
    if one_sided:
        yield f"Read of one run only, and not compared: {'; '.join(one_sided)}."
    for run in (a, b):
        if run.disclosure.environment is None:
            yield f"The environment of run {run.run_id} was not recorded: whether it differs is not known."
