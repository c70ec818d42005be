"""HPL with energy counters: RWTH's Green500 submission of CLAIX-2023 (GPU part), as EEHPCWG published it as an example.

Source: EEHPCWG/PowerMeasurementMethodology ff1d705, data/example-rwth-claix-2023/gpu: hpl.log (5.238e+06 Gflops, core
phase 11:18:11 to 11:22:27 local time), summary.txt (33.804 GFLOPS/W), and the readings of the sixteen counters of
pdus.parquet at 11:18:15 and 11:22:25, the first and the last inside the core phase. Its summary doubles the counters of
racks 443 and 444, whose second feeds were broken; the counters themselves do not.
"""

from __future__ import annotations

import contextlib
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import arro3.core as arrow
import arro3.io as pq
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.exchange.importers.bring_in import import_source, preview_source
from wattmark.exchange.importers.eehpc.counters import read_counters
from wattmark.exchange.importers.eehpc.eehpc import EEHPC
from wattmark.exchange.importers.eehpc.eehpc_audit import audit_eehpc
from wattmark.exchange.importers.eehpc.hpl_log import read_hpl
from wattmark.exchange.importers.eehpc.summary_text import read_summary
from wattmark.exchange.importers.importer import Choices
from wattmark.exchange.importers.kinds import importer_of
from wattmark.exchange.importers.unread import Unread
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate

READINGS_WH = {
    (100, 1): (33638877.0, 33639239.0),
    (100, 2): (33755513.0, 33755875.0),
    (100, 3): (14781230.0, 14781474.0),
    (145, 1): (28960452.0, 28960816.0),
    (145, 2): (27463058.0, 27463415.0),
    (200, 1): (16068880.0, 16069052.0),
    (200, 2): (15677924.0, 15678083.0),
    (200, 3): (19616250.0, 19616551.0),
    (245, 1): (58533527.0, 58534851.0),
    (245, 2): (61069555.0, 61071027.0),
    (246, 1): (46652971.0, 46654368.0),
    (246, 2): (50714620.0, 50716025.0),
    (247, 1): (67024121.0, 67025549.0),
    (247, 2): (73724230.0, 73725643.0),
    (443, 2): (150786.2, 150786.4),
    (444, 1): (23731.2, 23731.3),
}
GFLOPS, PUBLISHED = 5.238e6, 33.804
FIRST = datetime(2024, 9, 27, 11, 18, 15, tzinfo=ZoneInfo("Europe/Berlin"))
SPAN_S, STEP_S = 250, 5
RULE = "=" * 80
HPL = f"""\
{RULE}
HPLinpack 2.1  --  High-Performance Linpack benchmark  --   October 26, 2012
{RULE}
N        : 1262592
a banner of a container
\x1b[0;31m Prog= 99.15%\tN_left=   258048\tTime= 237.12\x1b[0m
{RULE}
T/V                N    NB     P     Q         Time          Gflops (   per GPU)
--------------------------------------------------------------------------------
WC0          1262592  1024    12    12       256.20       5.238e+06 ( 3.637e+04)

HPL_pdgesv() start time Fri Sep 27 11:18:11 2024
HPL_pdgesv() end time   Fri Sep 27 11:22:27 2024

||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   0.000227490443 ...... PASSED
"""
SUMMARY = """\
using data from 36 nodes in the following 8 racks: [100, 145, 200, 245, 246, 247, 443, 444]
Job with SLURM ID 49525701:
- Start: 1727428575 = 2024-09-27 11:16:15+02:00
- End: 1727428949 = 2024-09-27 11:22:29+02:00
- Runtime: 374 s
Core:
- Start: 1727428691 = 2024-09-27 11:18:11+02:00
- End: 1727428947 = 2024-09-27 11:22:27+02:00
  - Runtime pdus: 250.000 s
- Average Power: 154952.640 W
Top500: Rmax / Rpeak = 5238.000 TFLOPS / 9634.775 TFLOPS = 54.366%
Green500: Rmax / Core Average Power = 5238.000 TFLOPS / 154.953 kW = 33.804 GFLOPS/Watt
"""


def write_counters(path: Path, doubled: bool = False, column: str = "energy", unit: float = 1.0) -> None:
    """Write readings every 5 s, on a straight line through the two that are published and beyond both."""
    seconds = range(-120, SPAN_S + 15, STEP_S)
    times, racks, numbers, energies = [], [], [], []
    for (rack, number), (first, last) in READINGS_WH.items():
        for second in seconds:
            stamp = datetime.fromtimestamp(FIRST.timestamp() + second, FIRST.tzinfo)
            times.append(stamp.strftime("%Y-%m-%dT%H:%M:%S.000000000%z"))
            racks.append(rack)
            numbers.append(number)
            part = (last - first) * second / SPAN_S
            energies.append((first + part * (2 if doubled and rack >= 443 else 1)) * unit)
    columns = {
        "time": arrow.Array(times, arrow.DataType.large_utf8()),
        "rack": arrow.Array.from_numpy(np.array(racks, dtype=np.int64)),
        "num": arrow.Array.from_numpy(np.array(numbers, dtype=np.int64)),
        column: arrow.Array.from_numpy(np.array(energies)),
    }
    schema = arrow.Schema([arrow.Field(name, array.type) for name, array in columns.items()])
    pq.write_parquet(arrow.Table.from_arrays(list(columns.values()), schema=schema), str(path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "claix-2023" / "gpu"
    path.mkdir(parents=True)
    (path / "hpl.log").write_text(HPL)
    (path / "summary.txt").write_text(SUMMARY)
    write_counters(path / "pdus.parquet")
    return path


def test_the_published_figure_is_found_where_the_counters_are_taken_as_its_summary_does(folder: Path) -> None:
    write_counters(folder / "pdus.parquet", doubled=True)
    (audit,) = audit_eehpc(folder, Choices())
    assert audit.published == PUBLISHED
    assert audit.by_rule == pytest.approx(PUBLISHED, abs=0.0005)
    assert [finding.rule for finding in audit.findings] == ["eehpc-level"]


def test_a_correction_that_is_not_in_the_counters_is_found(folder: Path) -> None:
    """The counters gave 10,760.3 Wh in 250 s; doubling two of them adds 0.3 Wh, or 0.003 %."""
    (audit,) = audit_eehpc(folder.parent, Choices())
    assert audit.by_rule == pytest.approx(GFLOPS / (10760.3 * 3600 / SPAN_S), rel=1e-9)
    findings = {finding.rule: finding for finding in audit.findings}
    assert findings["published-figure"].value == pytest.approx(100 * (10760.3 / 10760.6 - 1), abs=0.0005)
    assert "level 3 33.805 GFLOPS/W" in findings["eehpc-level"].text
    assert "Whether the run meets EE HPC level 1 is not known" in findings["eehpc-level"].text
    (run,) = audit.runs
    assert (run.meters, run.window_s, run.refused) == (16, 256.0, None)
    assert run.inside.mean_w == pytest.approx(10760.3 * 3600 / SPAN_S, rel=1e-6)


def test_a_run_holds_every_counter_and_the_product_gives_the_same_by_level_3(folder: Path, storage: Storage) -> None:
    assert importer_of("auto", folder) is EEHPC
    (preview,) = preview_source(EEHPC, folder, storage.runs)
    assert preview.samples == 16 * len(range(-120, SPAN_S + 15, STEP_S))
    assert [(line.line, line.text) for line in preview.unread.first] == [(5, "a banner of a container")]
    (outcome,) = import_source(EEHPC, folder, storage.samples, storage.runs)
    run = storage.runs.get(outcome.run_id or "")
    assert run is not None
    assert run.window_begin_ns == 1727428691 * 10**9
    assert (run.server, run.configuration, run.level) == ("claix-2023", "gpu", "N = 1262592")
    assert run.facts["energy_edge_s"] == 4.0
    assert run.facts["core_energy_readings"] == 51.0
    assert any("watt-hours" in note for note in outcome.notes)
    result = evaluate(run, storage.samples, "eehpc-l3")
    assert result.efficiency.value == pytest.approx(GFLOPS / (10760.3 * 3600 / SPAN_S), rel=1e-9)
    assert result.throughput.value == GFLOPS


def test_the_clock_of_hpl_is_asked_for_where_no_summary_proves_it(folder: Path) -> None:
    (folder / "summary.txt").unlink()
    with pytest.raises(InputError, match="name no time zone"):
        list(audit_eehpc(folder, Choices()))
    (audit,) = audit_eehpc(folder, Choices(zone=ZoneInfo("Europe/Berlin")))
    assert (audit.published, audit.runs[0].begin_ns) == (None, 1727428691 * 10**9)
    with pytest.raises(InputError, match="has 0 readings in the core phase"):
        list(audit_eehpc(folder, Choices(zone=ZoneInfo("UTC"))))


def test_a_column_states_its_unit(folder: Path) -> None:
    write_counters(folder / "pdus.parquet", column="energy_kWh", unit=1e-3)
    (audit,) = audit_eehpc(folder, Choices())
    assert audit.by_rule == pytest.approx(GFLOPS / (10760.3 * 3600 / SPAN_S), rel=1e-6)
    assert all(counter.unit_stated for counter in read_counters(folder / "pdus.parquet"))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("5.238e+06", "5.238e+99", "no amounts"),
        ("5.238e+06", "5..238", "no amounts"),
        ("Fri Sep 27 11:18:11 2024", "27.09.2024 11:18", "is no time such as"),
        ("11:22:27", "11:17:27", "ends before it begins"),
        ("HPL_pdgesv() end time", "HPL_pdgesv() came to", "0 end times"),
        ("11:18:11", "11:18:12", "Give the summary of the same run"),
    ],
)
def test_an_output_that_cannot_be_is_refused_in_one_line(folder: Path, old: str, new: str, why: str) -> None:
    (folder / "hpl.log").write_text(HPL.replace(old, new))
    with pytest.raises(InputError, match=why) as refusal:
        list(audit_eehpc(folder, Choices()))
    assert "\n" not in str(refusal.value)


def test_a_run_that_fails_its_residual_check_is_failed(folder: Path, storage: Storage) -> None:
    (folder / "hpl.log").write_text(HPL.replace("PASSED", "FAILED"))
    (outcome,) = import_source(EEHPC, folder, storage.samples, storage.runs)
    run = storage.runs.get(outcome.run_id or "")
    assert run is not None
    assert run.status == "failed"


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1" + bytes(64) + b"PAR1", b"text"])
def test_a_damaged_file_of_counters_ends_in_one_line(folder: Path, content: bytes) -> None:
    (folder / "pdus.parquet").write_bytes(content)
    with pytest.raises(InputError, match="cannot be read as Parquet") as refusal:
        list(audit_eehpc(folder, Choices()))
    assert "\n" not in str(refusal.value)


@settings(max_examples=60, deadline=None)
@given(cut=st.binary(max_size=40), at=st.integers(0, len(HPL)))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, cut: bytes, at: int) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "any.txt"
    for text, read in ((HPL, read_hpl), (SUMMARY, read_summary)):
        path.write_bytes(text.encode()[:at] + cut + text.encode()[at + len(cut) :])
        with contextlib.suppress(InputError):
            read(path, path.name, Unread())
