from __future__ import annotations

import pytest
from wattmark.results.verdicts import undisturbed
from wattmark.runs.record import RunRecord, RunStatus


def run(share_pct: float | None) -> RunRecord:
    return RunRecord(
        run_id="r",
        server="s",
        configuration="c",
        workload="w",
        level="l",
        status=RunStatus.COMPLETE,
        created_ns=0,
        unit="signs",
        disclosure={"window": {"load_cpu_share_pct": share_pct}},
    )


@pytest.mark.parametrize(
    ("share_pct", "utilisation_pct", "outcome"),
    [(99.5, 99.9, "pass"), (50.0, 50.0, "pass"), (100.2, 99.0, "pass"), (55.0, 100.0, "fail"), (20.0, 50.0, "fail")],
)
def test_other_programs_are_noticed(share_pct: float, utilisation_pct: float, outcome: str) -> None:
    (verdict,) = undisturbed(run(share_pct), utilisation_pct)
    assert verdict.outcome == outcome
    assert verdict.value == pytest.approx(max(0, utilisation_pct - share_pct))


def test_nothing_is_said_where_nothing_is_known() -> None:
    assert undisturbed(run(None), 99.0) == ()
    assert undisturbed(run(50.0), None) == ()
