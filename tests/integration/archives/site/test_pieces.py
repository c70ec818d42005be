"""Each comparison of a site has files of its own, and they hold what their heading says."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from wattmark.archives.site.site import _pieces, _tables
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import Storage
from wattmark.runs.record import RunStatus

from ...two_meters import ANALYSER, store_run

LEVELS = [("a.b", "full"), ("a-b", "full"), ("a-b", "full!"), ("测试", "full"), ("テスト", "full")]


def test_names_that_differ_in_signs_alone_have_files_of_their_own(storage: Storage, tmp_path: Path) -> None:
    for number, (workload, level) in enumerate(LEVELS):
        run = store_run(storage, f"r{number}", 200.0 + number, meters=(ANALYSER,), idle=False)
        storage.runs.put(run.model_copy(update={"workload": workload, "level": level, "status": RunStatus.COMPLETE}))
    sources = Sources.of(storage)
    pieces = [piece for piece in _pieces(sources) if piece.subject == "compare"]
    assert {(piece.query.workload, piece.query.level) for piece in pieces} == set(LEVELS)
    written: dict[str, str] = {}
    for piece in pieces:
        for download in _tables(tmp_path, sources, piece):
            assert download.place not in written
            written[download.place] = str(piece.query.workload)
    assert len(written) == 4 * len(LEVELS)
    for place, workload in written.items():
        if place.endswith(".csv"):
            with (tmp_path / place).open(encoding="utf-8", newline="") as file:
                assert {row["workload"] for row in csv.DictReader(file)} == {workload}
    labels = [re.findall(r"\\label\{(.*)\}", path.read_text("utf-8")) for path in tmp_path.rglob("*.tex")]
    assert len({label for (label,) in labels}) == len(LEVELS)
    assert [piece.file for piece in _pieces(sources)] == [piece.file for piece in _pieces(Sources.of(storage))]
