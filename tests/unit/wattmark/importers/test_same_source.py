"""The same upload gives the same records each time, whatever the folder is called in which it is unpacked."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from wattmark.audits.audit import ROW_KIND
from wattmark.comparison.published.imported import FIGURES_ROW
from wattmark.importers import opened
from wattmark.importers.choices import read_choices
from wattmark.importers.published_imports import PublishedImports
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer

from tests.set_clock import SetClock

from .eehpc.conftest import HPL, SUMMARY, write_counters
from .phoronix.test_phoronix import SYSTEM_POWER, TEST, composite
from .ptdaemon.test_ptdaemon_import import log
from .speccpu.test_speccpu import text as cpu_text
from .specpower.test_specpower import text as ssj_text

SCRATCH = "scratch-of-this-test-"
RECORD = "#d,-,18,391,1200,335,79,0,34,2,391,1200,336,112,1198,275,91,0,0,600,427;\n"
Files = Mapping[str, bytes]


def eehpc(folder: Path, prefix: str) -> Files:
    write_counters(folder / "pdus.parquet")
    content = {"hpl.log": HPL.encode(), "summary.txt": SUMMARY.encode()}
    content["pdus.parquet"] = (folder / "pdus.parquet").read_bytes()
    return {prefix + name: data for name, data in content.items()}


def training(prefix: str) -> Files:
    def line(ms: int, key: str, value: str = "null", metadata: str = '""') -> str:
        stamp = 1_715_000_000_000 + ms
        return f':::MLLOG {{"time_ms": {stamp}, "key": "{key}", "value": {value}, "metadata": {metadata}}}\n'

    files = {}
    for run in range(3):
        work = line(20_000 + run, "run_start") + line(80_000, "run_stop", metadata='{"status": "success"}')
        power = line(0, "power_measurement_start")
        power += "".join(line(ms, "power_reading", str(3000 + run)) for ms in range(2000, 80_001, 2000))
        files[f"{prefix}result_{run}.txt"] = work.encode()
        files[f"{prefix}power/result_{run}/node_0.txt"] = power.encode()
    return files


def tree(folder: Path, of: Path) -> Files:
    return {str(path.relative_to(of)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def packed(files: Files) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in files.items():
            file.writestr(name, content)
    return out.getvalue()


def sources(tmp_path: Path, make_result: Callable[..., Path]) -> dict[str, tuple[str, bytes]]:
    """Sources of each kind as they are sent: alone, in a folder, and without one, under their file names."""
    made = tmp_path / "made"
    made.mkdir()
    run = make_result(root=made / "inference_results_v1.0")
    ptdaemon = made / "spl.txt"
    log(ptdaemon, ["100.0", "101.0", "102.0"])
    return {
        "eehpc in a folder": ("claix.zip", packed(eehpc(made, "gpu/"))),
        "eehpc without one": ("claix.zip", packed(eehpc(made, ""))),
        "mlperf": ("v1.0.zip", packed(tree(made / "inference_results_v1.0", made))),
        "mlperf from results on": ("r.zip", packed(tree(run.parents[4], run.parents[4].parent))),
        "mlperf training": ("t.zip", packed(training("training_results_v4.0/lab/results/1xTest/bert/"))),
        "mlperf training from results on": ("t.zip", packed(training("results/1xTest/bert/"))),
        "mlperf training, one folder": ("bert.zip", packed(training("bert/"))),
        "mlperf training without one": ("bert.zip", packed(training(""))),
        "phoronix": ("composite.xml", composite(TEST, SYSTEM_POWER).encode()),
        "phoronix in a folder": ("pts.zip", packed({"a/composite.xml": composite(TEST, SYSTEM_POWER).encode()})),
        "speccpu": ("cpu2017.txt", cpu_text().encode()),
        "specpower": ("power.txt", ssj_text().encode()),
        "ptdaemon": ("spl.txt", ptdaemon.read_bytes()),
        "wattsup": ("fan.raw", (RECORD * 3).encode()),
        "wattsup, packed": ("fan.zip", packed({"fan.raw": (RECORD * 3).encode()})),
    }


NAMES = (
    "eehpc in a folder", "eehpc without one", "mlperf", "mlperf from results on", "mlperf training",
    "mlperf training from results on", "mlperf training, one folder", "mlperf training without one", "phoronix",
    "phoronix in a folder", "speccpu", "specpower", "ptdaemon", "wattsup", "wattsup, packed",
)  # fmt: skip


def brought(folder: Path, name: str, content: bytes) -> str:
    """Import twice into a data folder; gives all that is then stored, and refuses a second import that is refused."""
    storage = open_storage(folder)
    try:
        results = Evaluations(storage)
        imports = PublishedImports(storage, results, Issuer(storage, results, SetClock(1_800_000_000 * 10**9)))
        choices = read_choices("UTC", begin="2012-01-23T12:00:00")
        states = []
        for _ in range(2):
            with opened.opened_upload(io.BytesIO(content), name, folder) as source:
                done = imports.bring_in("auto", source, choices)
            assert [outcome.error for outcome in done.outcomes] == [None] * len(done.outcomes)
            documents = {kind: storage.runs.documents(kind) for kind in (FIGURES_ROW, ROW_KIND, "audit", "figures")}
            runs = [run.model_dump(mode="json") for run in storage.runs.all()]
            rows = [results.result(run).model_dump(mode="json") for run in storage.runs.all()]
            states.append(json.dumps([runs, rows, documents], sort_keys=True))
        assert states[0] == states[1]
        return states[0]
    finally:
        storage.close()


@pytest.mark.parametrize("which", NAMES)
def test_the_same_upload_gives_the_same_and_names_no_scratch_folder(
    which: str, tmp_path: Path, make_result: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "SCRATCH", SCRATCH)
    name, content = sources(tmp_path, make_result)[which]
    first, second = (brought(tmp_path / folder, name, content) for folder in ("one", "two"))
    assert first == second
    for folder in ("one", "two"):
        for file in (tmp_path / folder).glob("wattmark.db*"):
            assert SCRATCH.encode() not in file.read_bytes()


def test_every_kind_that_reads_names_of_folders_is_here(tmp_path: Path, make_result: Callable[..., Path]) -> None:
    assert set(NAMES) == set(sources(tmp_path, make_result))


def test_a_server_is_called_as_its_source_calls_it(tmp_path: Path) -> None:
    """The folder in the zip file, else the zip file: `claix.zip` with gpu/hpl.log is a run of claix."""
    made = tmp_path / "made"
    made.mkdir()
    for prefix, expected in (("gpu/", ("claix", "gpu")), ("", ("claix", "claix")), ("a/b/", ("a", "b"))):
        storage = open_storage(tmp_path / "-".join(("data", *expected)))
        imports = PublishedImports(storage, Evaluations(storage), None)
        with opened.opened_upload(io.BytesIO(packed(eehpc(made, prefix))), "claix.zip", tmp_path) as source:
            (outcome,) = imports.bring_in("eehpc", source, read_choices("UTC")).outcomes
        run = storage.runs.get(outcome.run_id or "")
        assert run is not None
        assert (run.server, run.configuration) == expected
        storage.close()


def test_a_refused_import_leaves_the_audit_as_it_was(tmp_path: Path) -> None:
    """The same output of HPL under another name is another source: refused, and the audit keeps its name."""
    made = tmp_path / "made"
    made.mkdir()
    storage = open_storage(tmp_path / "data")
    imports = PublishedImports(storage, Evaluations(storage), None)
    content = packed(eehpc(made, "gpu/"))
    titles = []
    for name in ("claix.zip", "copy.zip"):
        with opened.opened_upload(io.BytesIO(content), name, tmp_path) as source:
            done = imports.bring_in("eehpc", source, read_choices("UTC"))
        titles.append([document["title"] for document in storage.runs.documents(ROW_KIND).values()])
    assert done.outcomes[0].error is not None
    assert "Nothing of it was imported" in str(done.not_audited)
    assert titles == [["HPL on claix/gpu"]] * 2
    storage.close()
