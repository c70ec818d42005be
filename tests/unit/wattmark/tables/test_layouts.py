"""Layouts: the columns of an article, chosen columns, notes by letter, published figures without a ±."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest
from wattmark.cli.console.narrow import narrow
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.compare.views import CompareOut, ComparePair
from wattmark.comparison.published.library import load_published, published_groups
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval, Interval95
from wattmark.reports.routes import preview
from wattmark.results.result import Result
from wattmark.results.tables.results_table import results_table
from wattmark.tables.formats import write
from wattmark.tables.layouts import arranged, names_in, shown_keys
from wattmark.tables.people import lay_out
from wattmark.tables.table import Table

from tests.unit.wattmark.comparison.compare.test_tables import group

Make = Callable[..., Result]
ARTICLE = ["Configuration", "Runs", "Throughput [signs/s]", "Power [W]", "Perf/W [signs/J]", "Ratio", "Notes"]


def compared(*servers: str, significant: bool | None = True) -> Table:
    groups = [
        group(key=f"{server}/{n}", server=server, title=f"{n} FB-DIMMs", dimm_count=n, kind="simulated",
              remarks=["Simulated power.", "Steadiness was not checked: the window is too short."],
              efficiency=Interval95(value=57.03 * n, low=56.03 * n, high=58.03 * n, u=0.3))
        for server in servers
        for n in (4, 8)
    ]  # fmt: skip
    base = groups[0]
    ratio = Interval(value=1.25, low=1.21, high=1.29)
    pairs = [
        ComparePair(key=g.key, baseline=base.key, ratio=ratio, p_adjusted=0.2,
                    significant=significant, verdict="")
        for g in groups[1:]
    ]  # fmt: skip
    return compare_table(
        CompareOut(
            workload="rsa", level="4 processes", title="rsa, 4 processes", efficiency_unit="signs/J",
            throughput_unit="signs/s", direction="higher", baseline=base.key, groups=groups, pairs=pairs,
            statement="“8 FB-DIMMs” does 25.0 % more work per joule.",
        )
    )  # fmt: skip


def published() -> Table:
    """AnandTech 2006: T2000 10722 signs/s at 188 W; S5000 6240 signs/s at 245 W."""
    workload = "openssl.rsa1024-sign"
    return compare_table(compare([], workload, "full load", None, published_groups(load_published(), workload)))


def test_comparison_has_the_columns_of_an_article() -> None:
    page = lay_out(arranged(compared("t2000")))
    assert list(page.headings) == ARTICLE
    best, baseline = page.rows
    assert (best[0], best[5]) == ("8 FB-DIMMs", "1.250 ± 0.040")
    assert baseline[0] == "4 FB-DIMMs"
    assert baseline[-2:] == ("–", "a b c")
    assert page.headline.startswith("“8 FB-DIMMs”")
    assert page.footnotes[0] == page.headline


def test_server_is_named_where_more_than_one_is_compared() -> None:
    assert [row[0] for row in lay_out(arranged(compared("t2000", "s5000"))).rows] == [
        "t2000 · 8 FB-DIMMs", "s5000 · 8 FB-DIMMs", "t2000 · 4 FB-DIMMs", "s5000 · 4 FB-DIMMs",
    ]  # fmt: skip


def test_what_holds_for_several_rows_is_said_once() -> None:
    page = lay_out(arranged(compared("t2000", "s5000")))
    notes = [note for _, note in page.letters]
    assert len(notes) == len(set(notes))
    assert sum("Steadiness" in note for note in notes) == 1
    assert sum(note.startswith("simulated: ") for note in notes) == 1


def test_tie_and_baseline_are_notes_of_their_rows() -> None:
    page = lay_out(arranged(compared("t2000", significant=False)))
    by_letter = dict(page.letters)
    tie, baseline = ([by_letter[letter] for letter in letters.split()] for _, letters in page.lines)
    assert any(note.startswith("Baseline: the ratios divide the performance per watt") for note in baseline)
    assert any(note.startswith("Tie: ") for note in tie)
    assert not any(note.startswith("Tie: ") for note in baseline)


def test_what_all_runs_share_is_said_once(make_result: Make) -> None:
    page = lay_out(arranged(results_table([make_result(), make_result(repeat=2)])))
    assert list(page.headings) == [
        "Configuration", "Repeat", "Throughput [samples/s]", "Power [W]", "Perf/W [samples/J]", "Notes",
    ]  # fmt: skip
    assert page.headline == "All rows: workload mlperf.resnet50, level Offline."
    mixed = lay_out(arranged(results_table([make_result(), make_result(level="Server", server="other")])))
    assert "Level" in mixed.headings
    assert next(iter(mixed.rows))[0] == "R7525 · as submitted"


def test_run_without_a_plus_minus_says_why(make_result: Make) -> None:
    page = lay_out(arranged(results_table([make_result()])))
    assert any("No ±" in note for _, note in page.letters), "the throughput of that run has none"


def test_layouts_name_columns_that_exist(make_result: Make) -> None:
    for table in (results_table([make_result()]), compared("a")):
        assert table.layout
        assert set(shown_keys(arranged(table))) <= {column.key for column in table.columns}


def test_chosen_columns_bring_their_unit_their_uncertainty_and_the_marks() -> None:
    table = arranged(compared("t2000"), columns=names_in("title, efficiency"))
    assert list(lay_out(table).headings) == ["Configuration", "Efficiency [signs/J]", "Notes"]
    (head, *_) = csv.reader(io.StringIO(write(table, "csv").decode()))
    assert head == ["title", "efficiency", "efficiency_U95", "efficiency_rounding", "efficiency_unit", "marks"]


def test_layout_changes_no_column_of_files_for_programs() -> None:
    table = compared("t2000")
    for extension in ("csv", "json", "parquet"):
        assert write(arranged(table), extension) == write(table, extension)


def test_preview_lists_the_shown_columns_first_and_in_their_order() -> None:
    whole = compared("t2000")
    choices = preview(arranged(whole), whole).choices
    assert [choice.key for choice in choices if choice.shown] == [shown.key for shown in whole.layout]
    assert [choice.shown for choice in choices] == sorted((choice.shown for choice in choices), reverse=True)
    assert {choice.key for choice in choices} == {column.key for column in whole.columns}


def test_unknown_column_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="no column 'watts'") as caught:
        arranged(compared("t2000"), columns=["watts"])
    assert "power_w" in caught.value.remedy


def test_published_figures_have_no_plus_minus_but_their_rounding() -> None:
    """10722 ± 0.5 over 188 ± 0.5 lies between 56.88 and 57.19: three digits, and no U95."""
    table = published()
    cells = [dict(zip([column.key for column in table.columns], row, strict=True)) for row in table.rows]
    t2000 = next(row for row in cells if str(row["title"]).startswith("Sun Fire T2000"))
    for key in ("efficiency", "throughput", "ratio"):
        assert [t2000[f"{key}_{end}"] for end in ("U95", "low", "high")] == [None] * 3
    assert (t2000["power_U95_w"], t2000["power_rounding_w"], t2000["throughput_rounding"]) == (None, 0.5, 0.5)
    assert t2000["efficiency_rounding"] == pytest.approx((10722.5 / 187.5 - 10721.5 / 188.5) / 2)
    page = lay_out(arranged(table))
    shown = next(row for row in page.rows if row[0].startswith("Sun Fire T2000"))
    assert shown[2:5] == ("10\u202f722", "188", "57.0")
    assert not any("±" in cell for row in page.rows for cell in row)


def test_measured_figures_have_no_rounding() -> None:
    table = compared("t2000")
    for key in ("efficiency_rounding", "power_rounding_w", "throughput_rounding", "ratio_rounding"):
        assert {row[table.position(key)] for row in table.rows} == {None}


@pytest.mark.parametrize("width", [100, 120])
def test_table_fits_a_terminal(width: int) -> None:
    lines = narrow(lay_out(arranged(compared("server-1.lab.example.org", "server-2.lab.example.org"))), width)
    assert lines is not None
    drawn = list(lines)
    assert max(map(len, drawn)) <= width
    assert len({line.index("±") for line in drawn[3:] if line.count("±") == 4}) == 1, "aligned at the sign"


def test_terminal_that_is_too_narrow_for_the_numbers_is_told() -> None:
    assert narrow(lay_out(arranged(compared("t2000"))), 40) is None


def test_energy_per_operation_has_a_prefix(make_result: Make) -> None:
    """11.794648 mJ per sample, as MLPerf's R7525 gave; the file for programs has joules."""
    table = arranged(results_table([make_result()]), columns=["energy_per_op_j"])
    page = lay_out(table)
    assert page.headings[0] == "Energy per operation [mJ]"
    assert next(iter(page.rows))[0] == "11.8"
    assert b"\n0.011794648," in write(table, "csv").replace(b"\r", b"")
