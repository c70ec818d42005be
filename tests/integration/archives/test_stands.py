"""What a lab issued stands in the folder that its run came to, also after a restart, unless it does not come out so."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable

import pytest
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.pages.listing import RunQuery
from wattmark.results.pages.row import run_row
from wattmark.results.pages.run_pages import RunPages
from wattmark.runs.record import RunStatus

from ..traceability.conftest import Lab
from .conftest import Open, packed, unpacked


def started(lab: Lab) -> Evaluations:
    """The read side of a service that was started just now."""
    return Evaluations(lab.storage)


def test_what_a_lab_issued_is_read_after_a_restart(source: Lab, open_lab: Open, evaluated: list[str]) -> None:
    target = open_lab("target")
    unpacked(target, packed(source, "r1", "r2"))
    assert set(evaluated) == {"r1", "r2"}, "an import proves itself"
    evaluated.clear()
    later = started(target)
    rows = RunPages(target.storage, later).rows(RunQuery(sort="created")).rows
    results = later.results()
    assert evaluated == []
    assert rows == [run_row(result) for result in results]
    assert [(result.source, result.server) for result in results] == [("imported: archive of Lab A", "s1 (Lab A)")] * 2
    assert [result.power.bare for result in results] == [result.power.bare for result in started(source).results()[:2]]
    assert [result.result_version for result in results] == [2, 1]


def test_a_record_that_says_something_else_since_is_evaluated(
    source: Lab, open_lab: Open, evaluated: list[str]
) -> None:
    target = open_lab("target")
    unpacked(target, packed(source, "r1", "r2"))
    run = target.storage.runs.get("r2")
    assert run is not None
    target.storage.runs.put(run.model_copy(update={"status": RunStatus.ABORTED, "reason": "Not ours."}))
    evaluated.clear()
    assert [result.status.value for result in started(target).results()] == ["complete", "aborted"]
    assert evaluated == ["r2"]


def forged(content: bytes, change: Callable[[dict], None]) -> bytes:
    """Change the documents of all runs of an archive, with hashes to match."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    manifest = json.loads(members["manifest.json"])
    for name in [entry["file"] for entry in manifest["runs"]]:
        document = json.loads(members[name])
        change(document)
        members[name] = json.dumps(document).encode()
        manifest["members"][name] = {
            "size": len(members[name]),
            "sha256": hashlib.sha256(members[name]).hexdigest(),
        }
    members["manifest.json"] = json.dumps(manifest).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, body in members.items():
            file.writestr(name, body)
    return out.getvalue()


@pytest.mark.parametrize("own", [False, True])
def test_figures_that_do_not_come_out_are_told_and_not_shown(source: Lab, open_lab: Open, own: bool) -> None:
    target = open_lab("target")

    def boast(run: dict) -> None:
        for result in (run["result"], *(issued["result"] for issued in run["issued"])):
            result["power"]["value"] /= 2

    done = unpacked(target, forged(packed(source, "r2"), boast), own=own)
    assert [arrival.differences for arrival in done.runs] == [("power",)]
    true = source.result("r2")
    shown = started(target).results()[0]
    assert (shown.power.bare, shown.result_version) == (true.power.bare, 2)
    first, second = target.calibration.issuer.versions("r2").versions
    assert first.result.power.value == pytest.approx(true.power.value / 2)
    assert second.reason.startswith("Evaluated at import")


def test_a_result_of_another_server_than_that_of_its_record_is_told(source: Lab, open_lab: Open) -> None:
    def claim(run: dict) -> None:
        run["result"]["server"] = "s2"

    done = unpacked(open_lab("target"), forged(packed(source, "r2"), claim))
    assert [arrival.differences for arrival in done.runs] == [("server",)]


def test_a_run_that_was_never_issued_is_issued_when_it_comes(source: Lab, open_lab: Open, evaluated: list[str]) -> None:
    target = open_lab("target")

    def untell(run: dict) -> None:
        run["issued"] = []
        run["result"].update(result_version=None, issued=None)

    unpacked(target, forged(packed(source, "r2"), untell))
    evaluated.clear()
    assert started(target).results()[0].power.bare == source.result("r2").power.bare
    assert evaluated == []
