"""Old runs are thinned; what was issued about them stays, and what is computed since says so."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from wattmark.results.pages.retention import Retention
from wattmark.store.sample_store import Samples, SeriesKey

from ..service.conftest import WATTMARK, Start, start, wait_until
from ..traceability.conftest import RANGE, Lab, S, certificate

__all__ = ["start"]


@pytest.fixture
def lab(tmp_path: Path):
    made = Lab(tmp_path / "data")
    yield made
    made.storage.close()


def fast(lab: Lab, run_id: str, day: str = "2025-06-01") -> None:
    """A run whose meter was read ten times a second, with a peak that a mean hides."""
    run = lab.measure(run_id, day=day, period_s=0.1)
    lab.storage.samples.delete_run(run_id)
    t_ns = run.created_ns + np.arange(-200, 1201) * (S // 10)
    value = 245 + np.random.default_rng(1).normal(0, 0.5, len(t_ns))
    value[700] = 999.0
    key = SeriesKey(run_id, "s1", "wall", "power", "power", "W", "averaged", RANGE)
    columns = Samples(t_ns, value, np.zeros(len(t_ns), np.uint16), np.full(len(t_ns), 0.002, np.float32))
    lab.storage.samples.append([(lab.storage.samples.series(key).id, columns)])


def room(lab: Lab) -> Retention:
    return Retention(lab.storage, lab.calibration.issuer, lab.clock)


def series(lab: Lab, run_id: str) -> dict[str, Samples]:
    listed = lab.storage.samples.list_series(run_id)
    return {series_of_run.key.channel: lab.storage.samples.read(series_of_run.id) for series_of_run in listed}


def test_a_dry_run_tells_and_changes_nothing(lab: Lab) -> None:
    fast(lab, "r1")
    (plan,) = room(lab).plan(10)
    assert (plan.run_id, plan.samples_before, plan.samples_after, plan.problem) == ("r1", 1401, 3 * 141, None)
    assert len(series(lab, "r1")["power"]) == 1401
    assert room(lab).plan(31) == [], "the clock stands on 1 July, the run is of 1 June"


def test_a_bit_mask_keeps_every_sample(lab: Lab) -> None:
    """The reasons of a GPU's clocks are bits of one number, of which a mean is nothing."""
    fast(lab, "r1")
    t_ns = lab.storage.runs.get("r1").created_ns + np.arange(1000) * (S // 10)
    key = SeriesKey("r1", "s1", "gpu0", "clock_limits", "status", "1", "instantaneous")
    masks = Samples(t_ns, np.resize([4.0, 64.0], 1000), np.zeros(1000, np.uint16), np.zeros(1000, np.float32))
    lab.storage.samples.append([(lab.storage.samples.series(key).id, masks)])
    assert [outcome.problem for outcome in room(lab).apply(10)] == [None]
    assert series(lab, "r1")["clock_limits"].value.tolist() == masks.value.tolist()


def test_results_stay_and_a_recomputation_says_what_it_rests_on(lab: Lab) -> None:
    fast(lab, "r1")
    lab.add(certificate())
    before = lab.result("r1")
    done = list(room(lab).apply(10))
    assert [(outcome.run_id, outcome.problem) for outcome in done] == [("r1", None)]
    left = series(lab, "r1")
    assert (len(left["power"]), left["power.maximum"].value.max()) == (141, 999.0)
    lab.restart()
    after = lab.result("r1")
    (note,) = set(after.notes) - set(before.notes)
    assert note.startswith("The raw samples were thinned to means of 1 s on 2025-07-01.")
    same = {"notes", "result_version", "issued"}
    assert after.model_dump(exclude=same) == before.model_dump(exclude=same)
    anew = lab.reissued("r1")
    assert note in anew.notes
    assert anew.calibrations[0].indicated_w == pytest.approx(before.calibrations[0].indicated_w, rel=1e-12)
    assert (anew.result_version, lab.result("r1").power) == (2, anew.power)
    assert list(room(lab).apply(10)) == [], "once is enough"


def test_a_run_whose_samples_are_damaged_is_left_as_it_is(lab: Lab) -> None:
    fast(lab, "r1")
    fast(lab, "r2")
    for run_id in ("r1", "r2"):
        lab.storage.samples.seal(run_id)
    number = lab.storage.samples.list_series("r1")[0].id
    lab.tamper(f"UPDATE chunk_data SET v = zeroblob(8) WHERE id = {number << 32}")
    hurt, whole = room(lab).apply(10)
    assert (hurt.run_id, whole.run_id, whole.problem) == ("r1", "r2", None)
    assert "damaged" in hurt.problem
    assert "power.maximum" not in series(lab, "r2") or len(series(lab, "r2")["power"]) == 141


def test_samples_that_another_server_still_waits_for_stay(lab: Lab) -> None:
    fast(lab, "r1")
    lab.storage.samples.seal("r1")
    number = lab.storage.samples.list_series("r1")[0].id
    lab.tamper("INSERT INTO sink(id, target) VALUES (1, 'x')", f"INSERT INTO unsent VALUES (1, {number}, 0, 1401)")
    (outcome,) = room(lab).apply(10)
    assert outcome.problem == "Samples of this run have not yet been sent to another server."
    assert len(series(lab, "r1")["power"]) == 1401


def test_the_command_tells_first_and_thins_when_told_to(lab: Lab) -> None:
    fast(lab, "r1", day="2024-01-01")
    lab.storage.close()

    def thin(*arguments: str) -> str:
        command = [WATTMARK, "retention", "--older-than", "30", "--data", str(lab.folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=240, check=True).stdout

    assert thin().startswith("r1  2024-01-01  1,401 -> 423 samples\nWould be thinned: 1 run, 0.0 MB. Add --apply")
    assert thin("--apply").endswith("Thinned: 1 run, 0.0 MB; new runs reuse the space.\n")
    assert thin() == "Would be thinned: 0 runs, 0.0 MB. Add --apply to do it.\n"


def test_a_service_thins_by_itself_when_told_to(lab: Lab, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    fast(lab, "r1", day="2024-01-01")
    lab.storage.close()
    monkeypatch.setenv("WATTMARK_THIN_AFTER_DAYS", "30")
    service = start(lab.folder)

    def thinned() -> bool:
        return any("thinned to means of 1 s" in note for note in service.get("/api/runs/r1")["result"]["notes"])

    wait_until(thinned, 30)
    assert service.end() == 0
