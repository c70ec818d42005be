"""What an archive holds is told before anything of it comes in."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import pytest
from wattmark.archives.views import ArchiveOut
from wattmark.core.errors import InputError

from ..traceability.conftest import Lab
from .conftest import Open, archives, packed, unpacked
from .test_hostile import as_zip, members, with_manifest


def previewed(lab: Lab, content: bytes) -> ArchiveOut:
    return archives(lab).preview(io.BytesIO(content), "runs.zip")


def states(preview: ArchiveOut) -> dict[str, str]:
    return {run.run_id: run.state for run in preview.runs}


def test_it_is_told_what_is_new_here_already_in_the_trash_or_another_one(source: Lab, open_lab: Open) -> None:
    target, content = open_lab("target"), packed(source)
    preview = previewed(target, content)
    assert (preview.lab, states(preview)) == ("Lab A", {"r1": "new", "r2": "new", "r3": "new"})
    assert preview.decisions == ["Certificate CAL-1 v1", "Certificate CAL-2 v1", "Override of CAL-2 by metrologist"]
    first, there = preview.runs[0], source.result("r1")
    assert (first.efficiency, first.power) == (there.efficiency.bare, there.power.bare)
    assert (first.lab, first.recorded) == ("Lab A", sum(s.n for s in source.storage.samples.list_series("r1")))
    assert target.storage.runs.all() == []
    assert target.storage.certificates.register().revision == 0
    unpacked(target, packed(source, "r1"))
    target.measure("r2", watts=99.0)
    target.storage.runs.trash(["r1"], 1)
    assert states(previewed(target, content)) == {"r1": "in the trash", "r2": "contradicts", "r3": "new"}
    target.storage.runs.restore(["r1"])
    again = previewed(target, content)
    assert states(again)["r1"] == "already here"
    assert again.decisions == ["Certificate CAL-2 v1", "Override of CAL-2 by metrologist"]


def test_a_damaged_archive_names_the_member(source: Lab) -> None:
    content = packed(source)
    offset = content.index(b"runs/2/series/1.npy") + 200
    with pytest.raises(InputError, match=r"its member runs/2/series/1\.npy is damaged"):
        previewed(source, content[:offset] + bytes([content[offset] ^ 1]) + content[offset + 1 :])


def written_before(content: bytes, field: str) -> bytes:
    """Write an archive as a wattmark would that did not know a field yet; digests as README.md defines them."""
    parts = members(content)
    manifest = json.loads(parts["manifest.json"])
    for entry in manifest["runs"]:
        run: dict[str, Any] = json.loads(parts[entry["file"]])
        del run["record"][field]
        parts[entry["file"]] = json.dumps(run).encode()
        hashes = [[series["key"], manifest["members"][series["file"]]["sha256"]] for series in run["series"]]
        text = json.dumps([run["record"], *hashes], sort_keys=True, indent=1, ensure_ascii=False) + "\n"
        entry["digest"] = hashlib.sha256(text.encode()).hexdigest()
    return as_zip(with_manifest(parts, runs=manifest["runs"]))


def test_an_archive_from_before_a_field_was_added_is_read_and_its_runs_are_known_again(
    source: Lab, open_lab: Open
) -> None:
    target, older = open_lab("target"), written_before(packed(source), "reason")
    assert {run.state for run in unpacked(target, older).runs} == {"imported"}
    assert {run.state for run in unpacked(target, packed(source)).runs} == {"already here"}
    assert {run.state for run in unpacked(target, older).runs} == {"already here"}
