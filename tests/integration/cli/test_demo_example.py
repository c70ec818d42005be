"""The recorded example of the demo: whole, small, marked, and never beside live runs in one comparison."""

from __future__ import annotations

import io
import json
import lzma
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.archives.data_folder import Archives
from wattmark.campaigns.history import HistoryQuery, StoredCampaigns
from wattmark.cli.demo.example import EXAMPLE, FILE, example_page, pack, restore_example
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.published.library import load_published
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import CLAIMS
from wattmark_drivers.clock import SystemClock

from tests.stored_run import PLUG_METER, make_run, store_readings

MOST_BYTES = 300_000
"""What the source tree and each wheel may carry for it."""
PLANTED_W = 5.5
"""DC watts of a simulated FB-DIMM (`cli/demo/lab.py`); at the wall they are more, by what a supply loses."""
WORST_SUPPLY = 0.8


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path / "data")
    yield opened
    opened.close()


@pytest.fixture
def results(storage: Storage) -> Evaluations:
    return Evaluations(storage)


@pytest.fixture
def archives(storage: Storage, results: Evaluations) -> Archives:
    return Archives(storage, results, Issuer(storage, results, SystemClock()))


@pytest.fixture
def comparisons(results: Evaluations) -> Comparisons:
    return Comparisons(results, load_published)


def test_it_is_small_and_names_no_folder_of_who_recorded_it() -> None:
    assert FILE.stat().st_size <= MOST_BYTES
    with zipfile.ZipFile(io.BytesIO(lzma.decompress(FILE.read_bytes()))) as archive:
        documents = [archive.read(name) for name in archive.namelist() if not name.endswith(".npy")]
    assert documents
    assert not [text for text in documents if re.search(rb"/(work|home|root|tmp/wm)/|/tmp/wattmark-demo-", text)]


def test_every_run_is_whole_quiet_simulated_and_of_another_lab(archives: Archives, results: Evaluations) -> None:
    done = restore_example(archives)
    assert {run.state for run in done.runs} == {"imported"}
    # a later build may say a verdict in other words; the figures follow from the samples
    assert {name for run in done.runs for name in run.differences} <= {"verdicts", "notes"}
    runs = results.results()
    assert len(runs) == len(done.runs) >= 15
    for run in runs:
        assert run.simulated
        assert run.source == "imported: archive of recorded example"
        assert run.server.endswith(" (recorded example)")
        assert run.workload == EXAMPLE.workload
        assert [why_not_ranked(run, claim) for claim in CLAIMS] == [None, None, None]


def test_the_answer_is_there_at_once_and_a_second_start_adds_nothing(
    archives: Archives, comparisons: Comparisons, storage: Storage
) -> None:
    restore_example(archives)
    level = next(choice.level for choice in comparisons.choices() if choice.workload == EXAMPLE.workload)
    assert example_page(comparisons.choices()) == f"/compare?workload=example.rsa1024-sign&level={level}".replace(
        " ", "%20"
    )
    memory = comparisons.memory("fbserver (recorded example)", EXAMPLE.workload, level)
    estimate = memory.watts_per_part
    assert estimate is not None
    assert PLANTED_W < estimate.value < PLANTED_W / WORST_SUPPLY
    assert memory.statement.startswith("Simulated power")
    (campaign,) = StoredCampaigns(storage).page(HistoryQuery(), None).campaigns
    assert campaign.state == "complete"
    assert "Recorded example, simulated power" in campaign.title
    assert {run.state for run in restore_example(archives).runs} == {"already here"}


def test_live_runs_of_the_same_level_stand_in_another_comparison(
    archives: Archives, comparisons: Comparisons, storage: Storage
) -> None:
    restore_example(archives)
    level = next(choice.level for choice in comparisons.choices() if choice.workload == EXAMPLE.workload)
    live = make_run(
        "live", server="fbserver", configuration="fbdimm-2", workload="openssl.rsa1024-sign", level=level,
        window_s=60, amount=1000.0, meters=(PLUG_METER,),
    )  # fmt: skip
    storage.runs.put(live)
    store_readings(storage, live, range(-2, 63), [200.0 + k % 3 for k in range(65)])
    storage.samples.seal("live")
    of_example = comparisons.compare(EXAMPLE.workload, level)
    assert {group.kind for group in of_example.groups} == {"simulated"}
    assert all(group.server.endswith("(recorded example)") for group in of_example.groups)
    of_live = comparisons.compare("openssl.rsa1024-sign", level)
    assert not [group.key for group in of_live.groups if "recorded example" in group.server]


def test_what_is_packed_is_the_same_archive() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("manifest.json", json.dumps({"lab": "x"}))
        out.writestr("runs/1/run.json", "{}")
    packed = pack(archive.getvalue())
    with zipfile.ZipFile(io.BytesIO(lzma.decompress(packed))) as plain:
        assert {info.compress_type for info in plain.infolist()} == {zipfile.ZIP_STORED}
        assert plain.read("manifest.json") == b'{"lab": "x"}'
        assert plain.namelist() == ["manifest.json", "runs/1/run.json"]
