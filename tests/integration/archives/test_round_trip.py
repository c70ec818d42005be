"""An archive restored elsewhere gives the same results, field by field, and says where they come from."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest
from wattmark.core.errors import Conflict, NotFound
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.store.sample_store import SeriesKey
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord
from wattmark.traceability.cross_calibration.register import CrossCalibrations

from tests.unit.wattmark.results.every_rule import assert_every_rule

from ..traceability.conftest import Lab, certificate, for_serial, noon_ns
from .conftest import Open, archives, packed, unpacked


def all_versions(lab: Lab) -> dict[str, list[dict]]:
    """Every issued result as it was issued, and the result as it is evaluated now."""
    versions = {}
    for run in lab.storage.runs.all():
        issue = [version.result.model_dump(mode="json") for version in lab.storage.issued.of(run.run_id)]
        evaluated = [
            lab.queries.evaluated(run, "complete", version.issue).model_dump(mode="json")
            for version in lab.storage.issued.of(run.run_id)
        ]
        versions[run.run_id] = [*issue, *evaluated, lab.result(run.run_id).model_dump(mode="json")]
    return versions


def test_an_empty_folder_gives_identical_results_in_every_version(source: Lab, open_lab: Open) -> None:
    target = open_lab("target")
    done = unpacked(target, packed(source), own=True)
    assert [(run.run_id, run.state, run.differences) for run in done.runs] == [
        (name, "imported", ()) for name in ("r1", "r2", "r3")
    ]
    assert all_versions(target) == all_versions(source)
    for run in source.storage.runs.all():
        assert target.storage.runs.get(run.run_id) == run
        pairs = zip(
            source.storage.samples.list_series(run.run_id), target.storage.samples.list_series(run.run_id), strict=True
        )
        for there, here in pairs:
            assert (there.key, there.n) == (here.key, here.n)
            ours, other = source.storage.samples.read(there.id), target.storage.samples.read(here.id)
            for column in ("t_ns", "value", "quality", "u_t_s"):
                np.testing.assert_array_equal(getattr(ours, column), getattr(other, column))
    assert target.storage.check_standards.readings("lamp") == source.storage.check_standards.readings("lamp")
    assert target.storage.certificates.content("CAL-1", 1) == source.storage.certificates.content("CAL-1", 1)
    assert target.storage.certificates.register().get("OTHER") is None
    assert target.storage.runs.documents("campaign-start-elsewhere")["c1"]["bench_text"] == "lab: A\n"


def test_a_folder_with_certificates_of_its_own_gives_the_same_results_but_for_their_source(
    source: Lab, open_lab: Open
) -> None:
    target = open_lab("target")
    for number in range(5):
        target.add(certificate(id=f"MINE-{number}", meter=for_serial(f"MINE-{number}")))
    done = unpacked(target, packed(source))
    assert {run.differences for run in done.runs} == {()}
    assert {run.source for run in target.storage.runs.all()} == {"imported: archive of Lab A"}
    for name, results in all_versions(source).items():
        for there, here in zip(results, all_versions(target)[name], strict=True):
            assert here["server"] == ("s1" if here["source"] == there["source"] else "s1 (Lab A)")
            original, other = (
                json.loads(json.dumps(of).replace("archive of Lab A: ", "measured: ")) for of in (there, here)
            )
            assert {**original, "source": "", "server": ""} == {**other, "source": "", "server": ""}


def test_the_same_content_gives_the_same_bytes_wherever_it_lies(source: Lab, open_lab: Open) -> None:
    content = packed(source)
    assert packed(source) == content
    target = open_lab("target")
    unpacked(target, content, own=True)
    third = open_lab("third")
    unpacked(third, packed(target), own=True)
    assert packed(third) == packed(target)


def test_what_is_here_already_is_told_and_left_as_it_is(source: Lab, open_lab: Open) -> None:
    target = open_lab("target")
    unpacked(target, packed(source, "r1"))
    before = all_versions(target)
    again = unpacked(target, packed(source))
    assert [(run.run_id, run.state) for run in again.runs] == [
        ("r1", "already here"),
        ("r2", "imported"),
        ("r3", "imported"),
    ]
    assert all_versions(target)["r1"] == before["r1"]
    home = unpacked(source, packed(target, name="Lab B"))
    assert {run.state for run in home.runs} == {"already here"}, "a run that comes home is known"


def test_a_run_that_went_through_a_second_lab_names_the_first(source: Lab, open_lab: Open) -> None:
    second, third = open_lab("second"), open_lab("third")
    unpacked(second, packed(source))
    unpacked(third, packed(second, name="Lab B"))
    assert third.result("r1").source == "imported: archive of Lab A"


def test_machines_of_two_labs_are_two_machines_though_both_call_theirs_the_same(source: Lab, open_lab: Open) -> None:
    target = open_lab("target")
    for number in range(2):
        target.measure(f"mine-{number}", watts=200.0 + number, noise_w=0.4)
    unpacked(target, packed(source))
    compared = target.sources.comparisons.compare("rsa", "1 process")
    assert [(group.key, group.title, group.kind, group.n) for group in compared.groups] == [
        ("s1/dimm-4", "4 FB-DIMMs", "measured", 2),
        ("s1 (Lab A)/dimm-4", "4 FB-DIMMs (Lab A)", "imported", 3),
    ]
    target.reissued("r2")
    assert target.result("r2").server == "s1 (Lab A)"
    assert target.sources.comparisons.memory("s1", "rsa", "1 process").points[0].run_id.startswith("mine")
    assert len(target.sources.comparisons.memory("s1", "rsa", "1 process").points) == 2


def test_the_choice_to_rank_a_run_travels_with_notes_and_is_taken_by_who_may_decide(
    source: Lab, open_lab: Open
) -> None:
    chosen = Inclusion(by="K. Berg", reason="Checked by hand.", rules=("gaps",), at="2026-11-23T08:00:00+00:00")
    source.storage.annotations.include("r1", chosen)
    quiet = open_lab("quiet")
    unpacked(quiet, packed(source), own=True)
    assert quiet.storage.annotations.inclusions() == {}
    out = io.BytesIO()
    archives(source).write(out, source.storage.runs.all(), "Lab A", notes=True)
    target = open_lab("target")
    previewed = archives(target).preview(io.BytesIO(out.getvalue()), "runs.zip")
    assert "Ranking override of run r1 by K. Berg" in previewed.decisions
    unpacked(target, out.getvalue(), own=True)
    assert target.storage.annotations.inclusions() == {"r1": chosen}
    assert target.queries.shown(target.queries.record("r1")).inclusion == chosen
    assert target.result("r1").inclusion is None
    target.storage.annotations.exclude("r1")
    for run_id in ("r1", "r2", "r3"):
        target.storage.delete_run(run_id)
    done = archives(target).restore(io.BytesIO(out.getvalue()), "runs.zip", own=True, decides=False)
    assert target.storage.annotations.inclusions() == {}
    assert any("The ranking override of run r1 by K. Berg was not imported" in note for note in done.notes)


def test_tags_and_notes_travel_where_that_is_asked_for(source: Lab, open_lab: Open) -> None:
    source.storage.annotations.tag(["r1", "r2"], ["winter"], [])
    source.storage.annotations.write_note("r1", "Fan 3 was loud.")
    quiet, target = open_lab("quiet"), open_lab("target")
    unpacked(quiet, packed(source))
    assert quiet.storage.annotations.all() == {}
    out = io.BytesIO()
    archives(source).write(out, source.storage.runs.all(), "Lab A", notes=True)
    unpacked(target, out.getvalue())
    assert target.storage.annotations.all() == source.storage.annotations.all()
    target.storage.annotations.write_note("r1", "Mine now.")
    unpacked(target, out.getvalue())
    assert target.storage.annotations.all()["r1"].note == "Mine now.", "what is here already is left alone"


def test_another_run_of_the_same_id_is_refused_and_nothing_is_imported(source: Lab, open_lab: Open) -> None:
    target = open_lab("target")
    target.measure("r2", watts=99.0)
    with pytest.raises(Conflict, match=r"Run r2 is already here with a different record"):
        unpacked(target, packed(source))
    assert [run.run_id for run in target.storage.runs.all()] == ["r2"]
    assert target.storage.certificates.register().revision == 0


def test_a_certificate_of_the_same_name_with_other_content_undoes_everything(source: Lab, open_lab: Open) -> None:
    target = open_lab("target")
    target.add(certificate(id="CAL-2", meter=for_serial("SN-2"), number="other"))
    with pytest.raises(Conflict, match="CAL-2 v1 is in the register here with different content"):
        unpacked(target, packed(source))
    assert target.storage.runs.all() == []
    assert target.storage.samples.list_series("r1") == []
    assert target.storage.certificates.register().get("CAL-1") is None, "what came before it in the archive is undone"


def test_results_of_here_stay_when_an_archive_brings_a_certificate_of_the_same_meter(
    source: Lab, open_lab: Open
) -> None:
    target = open_lab("target")
    target.measure("mine", serial="SN-1")
    before = target.result("mine")
    unpacked(target, packed(source))
    after = target.result("mine")
    assert (after.power.bare, after.basis) == (before.power.bare, "specification")


def test_a_run_issued_without_a_certificate_stays_so_where_its_meter_has_one(source: Lab, open_lab: Open) -> None:
    other, target = open_lab("other"), open_lab("target")
    other.measure("bare", noise_w=0.4)
    other.calibration.issuer.first(other.queries.record("bare"))
    unpacked(target, packed(source))
    (done,) = unpacked(target, packed(other, name="Lab B")).runs
    assert (done.state, done.differences) == ("imported", ())
    assert target.result("bare").basis == "specification"


def cross_calibration_record(lab: Lab, offset_w: float) -> CrossCalibrationRecord:
    """A BMC that was held against a wall meter: wall = 0.97 BMC + offset."""
    wall = lab.storage.runs.get("wall").meters[0]
    figures = dict.fromkeys(
        ("u_gain", "gain_U95", "u_offset_w", "offset_U95_w", "residual_w", "u_lag_s", "lag_U95_s"), 0.1
    )
    return CrossCalibrationRecord(
        name="s1/bmc/wall/1", server="s1", bmc=wall.model_copy(update=BMC), wall=wall,
        recorded_ns=noon_ns("2025-01-01"), source="run wall", gain=0.97, offset_w=offset_w, covariance_w=0.0,
        chi_squared=40.0, dof=40, lag_s=0.0, correlation=0.99, low_w=100.0, high_w=400.0,
        good=True, verdicts=(), points=(), **figures,
    )  # fmt: skip


BMC = {"name": "bmc", "role": "bmc", "serial": None, "reading_pct": None, "range_pct": None, "fixed_w": None}


def bmc_only(lab: Lab, run_id: str, offset_w: float) -> None:
    """Store a run that has a BMC alone, and what holds that against a wall meter."""
    lab.measure("wall")
    CrossCalibrations(lab.storage.runs).add(cross_calibration_record(lab, offset_w))
    run = lab.measure(run_id, noise_w=0.3, **BMC)
    number = lab.storage.samples.series(SeriesKey(run_id, "s1", "bmc", "power", "power", "W", "averaged")).id
    wall = next(series for series in lab.storage.samples.list_series(run_id) if series.key.channel == "power")
    lab.storage.samples.append([(number, lab.storage.samples.read(wall.id))])
    lab.calibration.issuer.first(run)


def test_what_holds_a_bmc_against_a_wall_meter_serves_the_server_of_its_lab_alone(open_lab: Open) -> None:
    theirs, own, third = open_lab("theirs"), open_lab("mine"), open_lab("third")
    bmc_only(theirs, "theirs", 50.0)
    bmc_only(own, "mine", 10.0)
    before, there = own.result("mine"), theirs.result("theirs")
    assert before.power.value == pytest.approx(0.97 * 245 + 10, abs=1), "the record of here is what serves"
    (done,) = unpacked(own, packed(theirs, "theirs")).runs
    assert (done.state, done.differences) == ("imported", ())
    assert own.result("theirs").power.value == there.power.value == pytest.approx(0.97 * 245 + 50, abs=1)
    own.measure("later", noise_w=0.3, **BMC)
    assert own.queries.cross_calibration(own.queries.record("later"), None).offset_w == 10.0
    (again,) = unpacked(third, packed(own, "theirs", name="Lab B")).runs
    assert (again.state, again.differences) == ("imported", ())
    assert third.queries.cross_calibration(third.queries.record("theirs"), None).offset_w == 50.0


def test_a_reader_needs_only_zip_json_and_numpy(source: Lab) -> None:
    with zipfile.ZipFile(io.BytesIO(packed(source))) as file:
        manifest = json.loads(file.read("manifest.json"))
        run = json.loads(file.read(manifest["runs"][1]["file"]))
        rows = np.load(io.BytesIO(file.read(run["series"][0]["file"])), allow_pickle=False)
    assert (manifest["format"], manifest["lab"], run["record"]["run_id"]) == ("wattmark-archive/1", "Lab A", "r2")
    begin, end = run["record"]["window_begin_ns"], run["record"]["window_end_ns"]
    inside = rows[(rows["t_ns"] > begin) & (rows["t_ns"] <= end)]
    assert run["issued"][0]["result"]["calibrations"][0]["indicated_w"] == pytest.approx(inside["value"].mean())


def test_unknown_runs_and_campaigns_are_refused(source: Lab) -> None:
    room = archives(source)
    assert [run.run_id for run in room.choose((), "c1")] == ["r3"]
    for choice in (["none"], None), ((), "none"):
        with pytest.raises(NotFound):
            room.choose(*choice)


def test_a_restored_run_has_a_verdict_of_every_rule(source: Lab, open_lab: Open) -> None:
    here = open_lab("verdicts")
    unpacked(here, packed(source))
    for run_id in ("r1", "r2", "r3"):
        restored = here.result(run_id)
        assert_every_rule(restored)
        assert [(v.rule, v.outcome) for v in restored.verdicts] == [
            (v.rule, v.outcome) for v in source.result(run_id).verdicts
        ]
