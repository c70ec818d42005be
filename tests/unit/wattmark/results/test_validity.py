"""Codes that tell a program whether a row may be used."""

from __future__ import annotations

from collections.abc import Callable

from wattmark.results.result import Result
from wattmark.results.tables.results_table import results_table
from wattmark.results.validity import MEANING, validity
from wattmark.runs.record import RunStatus

Measure = Callable[..., Result]


def test_a_sound_run_is_valid(measure: Measure) -> None:
    result = measure()
    assert validity(result) == "valid"
    table = results_table([result])
    row = dict(zip([column.key for column in table.columns], table.rows[0], strict=True))
    assert (row["validity"], row["meaning"]) == ("valid", MEANING)


def test_what_bars_work_per_joule_is_named_by_its_rule(measure: Measure) -> None:
    result = measure()
    assert any(verdict.rule == "gaps" for verdict in result.verdicts)
    verdicts = tuple(
        verdict.__class__(verdict.rule, verdict.value, verdict.limit, verdict.unit, "fail", verdict.text)
        if verdict.rule in ("gaps", "drift")
        else verdict
        for verdict in result.verdicts
    )
    # Drift bars full-load power only.
    assert validity(result.changed(verdicts=verdicts)) == "gaps"


def test_a_run_without_a_figure_or_an_end_says_so(measure: Measure) -> None:
    assert validity(measure().changed(efficiency=None)) == "no-figure"
    assert validity(measure().changed(status=RunStatus.FAILED, efficiency=None)) == "run-failed"
