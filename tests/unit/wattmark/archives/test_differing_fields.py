"""A reader with another build recomputes the same result: the build is not what the archive vouches for."""

from __future__ import annotations

from wattmark.archives.data_folder import differing_fields
from wattmark.core.quantity import Quantity
from wattmark.results.issued.issued_result import Issue, with_version
from wattmark.results.result import BudgetedQuantity, Result
from wattmark.runs.record import RunStatus

RESULT = Result(
    run_id="r1",
    server="s1",
    configuration="c1",
    workload="rsa",
    level="all",
    repeat=1,
    status=RunStatus.COMPLETE,
    created="2026-01-01T00:00:00Z",
    unit="signs",
    meter="outlet",
    simulated=False,
    traceable=True,
    source="measured",
    power=BudgetedQuantity(value=250.0, unit="W"),
    notes=("A note.",),
)


def test_another_build_is_no_difference() -> None:
    issue = Issue(version=1, issued_ns=0, software="0.1.0 build of the lab", register_revision=0)
    archived = with_version(RESULT, issue)
    assert archived.notes != RESULT.notes
    assert differing_fields(archived, with_version(RESULT, None)) == ()


def test_other_figures_and_notes_are() -> None:
    changed = RESULT.model_copy(update={"notes": (), "energy_per_op": Quantity(value=1.0, unit="J/signs")})
    assert differing_fields(RESULT, changed) == ("energy_per_op", "notes")
