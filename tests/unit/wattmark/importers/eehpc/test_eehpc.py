"""HPL with energy counters, on the files of a published example (`conftest`)."""

from __future__ import annotations

import contextlib
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.importers.bring_in import import_source, preview_source
from wattmark.importers.eehpc.counters import read_counters
from wattmark.importers.eehpc.eehpc import EEHPC
from wattmark.importers.eehpc.eehpc_audit import audit_eehpc
from wattmark.importers.eehpc.hpl_log import read_hpl
from wattmark.importers.eehpc.summary_text import read_summary
from wattmark.importers.importer import Choices
from wattmark.importers.kinds import importer_of
from wattmark.importers.unread import Unread
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate

from tests.examples import examples

from .conftest import GFLOPS, HPL, PUBLISHED, SPAN_S, STEP_S, SUMMARY, write_counters


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
    assert run.disclosure.program_version == "HPLinpack 2.1"
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


@pytest.mark.parametrize(
    ("column", "of_wh"), [("energy_kWh", 1e-3), ("ENERGY_KWH", 1e-3), ("energy_mJ", 3.6e6), ("energy_MJ", 3.6e-3)]
)
def test_a_column_states_its_unit(folder: Path, column: str, of_wh: float) -> None:
    """1 Wh is 3.6 kJ."""
    write_counters(folder / "pdus.parquet", column=column, unit=of_wh)
    (audit,) = audit_eehpc(folder, Choices())
    assert audit.by_rule == pytest.approx(GFLOPS / (10760.3 * 3600 / SPAN_S), rel=1e-6)
    assert all(counter.unit_stated for counter in read_counters(folder / "pdus.parquet"))


@pytest.mark.parametrize(
    ("column", "why"),
    [
        ("energy_mj", "may be in mJ or MJ: write the unit with its capital letters"),
        ("energy_MWH", "may be in mWh or MWh"),
        ("energy_kcal", "names no unit of energy"),
        ("energy_W", "names no unit of energy"),
    ],
)
def test_a_column_whose_unit_is_not_known_is_refused(folder: Path, column: str, why: str) -> None:
    write_counters(folder / "pdus.parquet", column=column)
    with pytest.raises(InputError, match=why):
        read_counters(folder / "pdus.parquet")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("5.238e+06", "5.238e+99", "not amounts"),
        ("5.238e+06", "5..238", "not amounts"),
        ("Fri Sep 27 11:18:11 2024", "27.09.2024 11:18", "is not a time such as"),
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


@settings(max_examples=examples(60), deadline=None)
@given(cut=st.binary(max_size=40), at=st.integers(0, len(HPL)))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, cut: bytes, at: int) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "any.txt"
    for text, read in ((HPL, read_hpl), (SUMMARY, read_summary)):
        path.write_bytes(text.encode()[:at] + cut + text.encode()[at + len(cut) :])
        with contextlib.suppress(InputError):
            read(path, path.name, Unread())
