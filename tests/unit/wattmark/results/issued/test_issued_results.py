"""After a restart, issued results are read, not evaluated; the very same ones, and name their build."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from wattmark.comparison.compare.groups import build_group
from wattmark.comparison.factors.deltas import factor_values
from wattmark.core.build import build
from wattmark.results.data_folder import Storage
from wattmark.results.issued import evaluations, issued_result, issuer
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.origin import imported_from
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus
from wattmark.runs.store import RunStore
from wattmark.runs.thinned import marked
from wattmark_drivers.clock import SystemClock

from tests.stored_run import BEGIN_NS, make_run, store_readings

METER = MeterRecord(name="m", model="x", title="x", reading_pct=1.0, serial="1")


@pytest.fixture
def storage(storage: Storage) -> Storage:
    for k in range(3):
        run = make_run(
            f"r{k}", window_s=90, configuration=f"c{k}", created_ns=BEGIN_NS + k, stated_throughput=8000.0 + k,
            meters=(METER,),
        )  # fmt: skip
        store_readings(storage, run, np.arange(-10, 101), np.random.default_rng(k).normal(250, 1, 111))
        storage.runs.put(run)
    return storage


def ask(storage: Storage) -> Evaluations:
    return Evaluations(storage)


def test_issued_results_are_read_as_they_were(storage: Storage, evaluated: list[str]) -> None:
    before = ask(storage)
    issuer = Issuer(storage, before, SystemClock())
    for run in storage.runs.all()[:2]:
        issuer.first(run)
    expected = before.results()
    evaluated.clear()
    assert ask(storage).results() == expected
    assert evaluated == ["r2"]


def test_another_rule_and_a_changed_run_are_evaluated(storage: Storage, evaluated: list[str]) -> None:
    issuer = Issuer(storage, ask(storage), SystemClock())
    for run in storage.runs.all():
        issuer.first(run)
    storage.runs.put(storage.runs.all()[1].model_copy(update={"status": RunStatus.ABORTED, "reason": "Stopped."}))
    evaluated.clear()
    assert [r.status.value for r in ask(storage).results()] == ["complete", "aborted", "complete"]
    assert evaluated == ["r1"]
    ask(storage).results("mlperf")
    assert evaluated == ["r1", "r0", "r1", "r2"]


def test_a_comparison_reads_results_alone_and_shows_them_as_pages_do(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a thinned run and one of another lab need their whole records: a note, and another name of the server."""
    issuer = Issuer(storage, ask(storage), SystemClock())
    for run in storage.runs.all():
        issuer.first(run)
    plain, thinned, foreign = storage.runs.all()
    storage.runs.put(marked(thinned, date(2026, 11, 26), "1", ()))
    storage.runs.put(foreign.model_copy(update={"source": imported_from("Elsewhere")}))
    storage.issued.refresh([thinned.run_id, foreign.run_id])
    shown = [ask(storage).shown(run) for run in storage.runs.all()]
    whole: list[str] = []
    some = RunStore.some

    def counted(store: RunStore, run_ids: list[str]) -> list[RunRecord]:
        whole.extend(run_ids)
        return some(store, run_ids)

    monkeypatch.setattr(RunStore, "some", counted)
    results = ask(storage).results()
    assert results == shown
    assert whole == [thinned.run_id, foreign.run_id]
    assert plain.run_id not in whole
    assert "thinned" in results[1].notes[-1]
    assert results[2].server == "s (Elsewhere)"


def test_equally_named_servers_of_two_labs_are_told_apart(storage: Storage) -> None:
    """Tables by factor read records: one server "s" here and one elsewhere are two machines, not repeats of one."""
    run = storage.runs.all()[2]
    storage.runs.put(run.model_copy(update={"source": imported_from("Elsewhere"), "configuration": "c0"}))
    results = ask(storage)
    assert [run.server for run, _ in results.measured()] == ["s", "s", "s (Elsewhere)"]
    assert [run.run_id for run, _ in results.of_configurations(["s (Elsewhere)/c0"])] == [run.run_id]
    assert factor_values(results.measured())["server"] == ["s", "s (Elsewhere)"]


def test_another_build_shows_what_was_issued_until_it_is_recomputed(
    storage: Storage, evaluated: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A figure that somebody may have published moves only where a person signs for it (ISO/IEC 17025, 7.8.8)."""
    first = Issuer(storage, ask(storage), SystemClock())
    for run in storage.runs.all():
        first.first(run)
    before, made_by = ask(storage).results(), build()
    for module in (issued_result, issuer, evaluations):
        monkeypatch.setattr(module, "build", lambda: "9.9.9 build of another day")
    evaluated.clear()
    later = ask(storage)
    after = later.results()
    alone = ask(storage).result(storage.runs.all()[0])
    assert evaluated == []
    assert alone == after[0]
    assert [r.power.value for r in after] == [r.power.value for r in before]
    assert {r.software for r in after} == {made_by}
    assert all(f"Computed by {made_by}; recompute" in r.notes[-1] for r in after)
    Issuer(storage, later, SystemClock()).recompute("r1", "A. Reader", "another build")
    assert set(evaluated) == {"r1"}
    assert [r.software for r in later.results()] == [made_by, "9.9.9 build of another day", made_by]
    mixed = build_group([later.results()[0], later.results()[1]])
    assert any("different builds" in remark for remark in mixed.view.remarks)


def test_a_build_is_named_by_version_and_digest() -> None:
    assert build() == build()
    assert " build " in build()
