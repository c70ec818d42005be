"""Two labs in two browsers: an archive goes from one to the other, and a run over the server that both know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..integration.fleet.clickhouse.servers import PASSWORD, one_server
from ..integration.traceability.conftest import Lab, certificate
from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
FIGURES = (
    "throughput", "power", "efficiency", "energy_per_op", "basis", "traceable",
    "window_begin", "window_s", "samples", "calibrations", "verdicts", "result_version",
)  # fmt: skip


def figures(run: dict[str, Any]) -> dict[str, Any]:
    """Take what must be the same in both labs; only the place in the name of a shared error is another."""
    return {name: _without_groups(run[name]) for name in FIGURES}


def _without_groups(document: Any) -> Any:
    if isinstance(document, dict):
        return {name: _without_groups(value) for name, value in document.items() if name != "correlation_group"}
    return [_without_groups(item) for item in document] if isinstance(document, list) else document


@pytest.fixture
def labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """Lab A measured three runs and sends them to a server; lab B measured one of the same names and reads there."""
    for name in ("a", "b"):
        lab = Lab(tmp_path / name)
        for number in range(3 if name == "a" else 1):
            lab.measure(f"{name}-{number}", 245.0 + number, noise_w=0.5, dimms=4 if number < 2 else 8)
            if name == "a" and not number:
                lab.add(certificate())
            lab.calibration.issuer.first(lab.queries.record(f"{name}-{number}"))
        lab.storage.close()
        (lab.folder / "bench.yaml").write_text(f"schema: wattmark-bench/1\nlab: Lab {name.upper()}\n")
    with one_server(tmp_path / "clickhouse") as server:
        monkeypatch.setenv("WATTMARK_CLICKHOUSE_URL", server.url)
        monkeypatch.setenv("WATTMARK_CLICKHOUSE_PASSWORD", PASSWORD)
        with serving(tmp_path / "a") as a:
            monkeypatch.setenv("WATTMARK_CLICKHOUSE_ROLE", "store")
            with serving(tmp_path / "b") as b:
                yield a, b


def test_an_archive_from_one_lab_gives_the_same_results_in_the_other(labs: tuple[str, str], tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    seen: dict[str, Any] = browse("archives.mjs", *labs, str(pictures))
    assert_well(seen, refused="422|503")
    assert "was not imported: it is not a complete zip file" in seen["broken"]
    assert "Archive of Lab A" in seen["contents"]
    assert "Certificate CAL-1 v1" in seen["contents"]
    assert seen["contents"].count("New") == 2
    assert "2 runs of Lab A imported" in seen["outcome"]
    assert len(re.findall("recomputed.*same", seen["outcome"])) == 2
    assert "All its runs are already here" in seen["again"]
    assert seen["shared"].count("Already here") == 2
    assert seen["sharedAfter"].count("Already here") == 3
    there, here = ({run["run_id"]: run for run in seen[name]} for name in ("runsA", "runsB"))
    assert set(here) == {"a-0", "a-1", "a-2", "b-0"}
    for run_id, run in there.items():
        assert figures(here[run_id]) == figures(run)
        assert here[run_id]["source"] == "imported: archive of Lab A"
    assert seen["tags"] == ["winter"]
    assert seen["badges"] == 3
    assert seen["runPage"] == "from Lab A"
    assert "s1 (Lab A) · 4 FB-DIMMs" in seen["compared"]
    assert "archives_upload_archive" in seen["audit"]
    assert "runs.zip of Lab A, a-0, a-1" in seen["audit"]
    assert "store_copy_shared" in seen["audit"]
