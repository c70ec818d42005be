from __future__ import annotations

import csv
import io
import json
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable
from datetime import datetime

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.comparison.published.library import load_published, published_out
from wattmark.comparison.published.published_table import published_table
from wattmark.core.errors import InputError
from wattmark.reports.routes import preview
from wattmark.results.result import BudgetedQuantity, Result
from wattmark.results.tables.results_table import results_table
from wattmark.tables.formats import FORMATS, write, write_to
from wattmark.tables.layouts import arranged
from wattmark.tables.table import Column, Table

from tests.examples import examples

Make = Callable[..., Result]
NASTY = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\tx",
    "\rx",
    'say "hi", please',
    "two\nlines",
    "a|b <b>c</b> [x](y) `z`",
    "µ Ω Δ",
]


def texts(*values: str) -> Table:
    return Table("t", "T", (Column("text", "Text"),), tuple((value,) for value in values))


@pytest.mark.parametrize("extension", list(FORMATS))
def test_same_table_gives_the_same_bytes(make_result: Make, extension: str) -> None:
    results = [make_result(), make_result(run_id="b", simulated=True)]
    assert write(results_table(results), extension) == write(results_table(results), extension)


def test_unknown_format_names_the_known_ones(make_result: Make) -> None:
    with pytest.raises(InputError, match="'docx'") as caught:
        write(results_table([make_result()]), "docx")
    assert "csv, md, xlsx" in caught.value.remedy


def test_csv_is_read_back_in_full_precision(make_result: Make) -> None:
    result = make_result(efficiency=BudgetedQuantity(value=84.8, unit="samples/J"))
    data = write(results_table([result]), "csv")
    assert data.count(b"\r\n") == 2
    (row,) = csv.DictReader(io.StringIO(data.decode(), newline=""))
    assert float(row["power_w"]) == 1101.2828341013824
    assert float(row["throughput"]) == 93371.4
    assert row["throughput_unit"] == "samples/s"
    assert row["efficiency_u"] == ""
    assert (row["simulated"], row["traceable"]) == ("false", "true")


def test_csv_heads_carry_units() -> None:
    table = Table(
        "t", "T", (Column("power_w", "Power", "W"), Column("load", "Load", "%"), Column("use_pct", "Use", "%")), ()
    )
    assert write(table, "csv") == b"power_w,load [%],use_pct\r\n"


def test_csv_text_is_no_formula_and_survives_the_round_trip() -> None:
    rows = list(csv.reader(io.StringIO(write(texts(*NASTY), "csv").decode(), newline="")))
    read = [row[0] for row in rows[1:]]
    assert read == [f"'{text}" if text[0] in "=+-@\t\r" else text for text in NASTY]


def test_csv_leaves_negative_numbers_alone() -> None:
    table = Table("t", "T", (Column("x", "X", kind="number"),), ((-1.5,), (float("nan"),), (None,)))
    assert write(table, "csv") == b'x\r\n-1.5\r\n""\r\n""\r\n'


def test_xlsx_is_typed_and_has_a_methods_sheet(make_result: Make) -> None:
    book = openpyxl.load_workbook(io.BytesIO(write(results_table([make_result(simulated=True)]), "xlsx")))
    assert book.sheetnames == ["Results", "Data", "Methods"]
    head, row = list(book["Data"].iter_rows(values_only=True))
    cells = dict(zip(head, row, strict=True))
    assert cells["power_w"] == pytest.approx(1101.2828341013824, rel=1e-15)
    assert cells["samples"] == 868
    assert cells["simulated"] is True
    assert cells["window_begin"] == datetime.fromisoformat("2021-03-19T02:29:31.830000")
    assert cells["energy_j"] is None
    methods = {row[0]: row[1] for row in book["Methods"].iter_rows(values_only=True)}
    assert "Student" in str(methods["U95, ±"])
    assert str(methods["note"]).startswith("simulated:")


def test_xlsx_text_is_never_a_formula() -> None:
    storable = [text for text in NASTY if "\r" not in text]
    book = openpyxl.load_workbook(io.BytesIO(write(texts(*storable), "xlsx")))
    cells = [row[0] for row in book["Data"].iter_rows(min_row=2)]
    assert all(cell.data_type != "f" for row in book.worksheets[0].iter_rows() for cell in row)
    assert all(cell.data_type != "f" for cell in cells)
    assert [cell.value for cell in cells] == storable


def test_xlsx_begins_with_a_sheet_to_read_and_print(make_result: Make) -> None:
    """1101.28 ± 3.01 W has one decimal, 84.784 ± 0.232 samples/J two; work per joule is work per second over watts."""
    efficiency = BudgetedQuantity(value=93371.4 / 1101.2828341013824, unit="samples/J", u=0.1155, k95=2.0)
    table = arranged(results_table([make_result(efficiency=efficiency)]))
    sheet = openpyxl.load_workbook(io.BytesIO(write(table, "xlsx"))).worksheets[0]
    heads = [cell.value for cell in sheet[3]]
    row = dict(zip(heads, sheet[4], strict=True))
    assert heads[:2] == ["Configuration", "Repeat"]
    assert row["Power [W]"].value == pytest.approx(1101.2828341013824, rel=1e-15)
    assert row["Power [W]"].number_format == "#,##0.0"
    assert row["Perf/W [samples/J]"].number_format == "#,##0.00"
    throughput, power = (row[head].coordinate for head in ("Throughput [samples/s]", "Power [W]"))
    assert row["Perf/W [samples/J]"].value == f"={throughput}/{power}"
    assert sheet.freeze_panes == "B4"
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.print_area is not None


def test_formula_stands_only_where_it_gives_the_value(make_result: Make) -> None:
    other = BudgetedQuantity(value=80.0, unit="samples/J", u=0.1, k95=2.0)
    sheet = openpyxl.load_workbook(
        io.BytesIO(write(arranged(results_table([make_result(efficiency=other)])), "xlsx"))
    ).worksheets[0]
    cells = dict(zip([cell.value for cell in sheet[3]], sheet[4], strict=True))
    assert cells["Perf/W [samples/J]"].value == 80.0


def test_formula_divides_what_the_cells_show(make_result: Make) -> None:
    """5e7 ops/s is shown as 50 in millions, and 5e7 / 250 W = 200 000 ops/J as it is: 50 / 250 is another number."""
    result = make_result(
        unit="ops",
        throughput=BudgetedQuantity(value=5e7, unit="ops/s"),
        power=BudgetedQuantity(value=250.0, unit="W"),
        efficiency=BudgetedQuantity(value=2e5, unit="ops/J"),
    )
    sheet = openpyxl.load_workbook(io.BytesIO(write(arranged(results_table([result])), "xlsx"))).worksheets[0]
    cells = dict(zip([cell.value for cell in sheet[3]], sheet[4], strict=True))
    assert cells["Throughput [10⁶ ops/s]"].value == 50.0
    assert cells["Perf/W [ops/J]"].value == 2e5


def test_xlsx_shows_the_unit_of_each_row_where_rows_differ(make_result: Make) -> None:
    results = [make_result(), make_result(run_id="b", unit='2.5" disks')]
    sheet = openpyxl.load_workbook(io.BytesIO(write(arranged(results_table(results)), "xlsx"))).worksheets[0]
    column = next(cell.column for cell in sheet[3] if cell.value == "Throughput")
    formats = {sheet.cell(row, column).number_format for row in (4, 5)}
    assert formats == {'#,##0 "samples/s"', '#,##0 "2.5 disks/s"'}


def test_tsv_has_values_and_uncertainties_in_columns_of_their_own(make_result: Make) -> None:
    text = write(arranged(results_table([make_result()])), "tsv").decode()
    head, row = (line.split("\t") for line in text.splitlines()[:2])
    cells = dict(zip(head, row, strict=True))
    assert cells["Power [W]"] == "1101.3"
    assert head[head.index("Power [W]") + 1] == "± U95 [W]"
    assert row[head.index("Power [W]") + 1] == "3.0"
    assert cells["Throughput [samples/s]"] == "93400"


def test_xlsx_carries_no_clock(make_result: Make) -> None:
    archive = zipfile.ZipFile(io.BytesIO(write(results_table([make_result()]), "xlsx")))
    assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert b"2000-01-01T00:00:00Z" in archive.read("docProps/core.xml")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("A title: with [every] forbidden/character? and far too long", "A title with every forbidden ch"),
        ("methods", "Table"),
        ("History", "Table"),
        ("電力", "Table"),
        ("", "Table"),
    ],
)
def test_xlsx_sheet_name_fits_any_title(title: str, name: str) -> None:
    book = openpyxl.load_workbook(io.BytesIO(write(Table("t", title, (), ()), "xlsx")))
    assert book.sheetnames == [name, "Data", "Methods"]


def test_json_is_one_document_without_nan(make_result: Make) -> None:
    document = json.loads(write(results_table([make_result().model_copy(update={"n_eff": float("nan")})]), "json"))
    assert document["rows"][0]["power_w"] == 1101.2828341013824
    assert document["rows"][0]["n_eff"] is None
    assert document["columns"][9] == {"key": "power_w", "title": "Power", "unit": "W", "kind": "number"}


def test_markdown_has_a_rule_and_as_many_cells_as_heads(make_result: Make) -> None:
    lines = write(arranged(results_table([make_result(traceable=False)] * 3), "full"), "md").decode().splitlines()
    assert lines[0] == "# Results"
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 5
    assert len({line.replace("\\|", "").count("|") for line in table}) == 1
    assert set(table[1]) <= set("|-: ")
    assert "- not traceable: " in lines[-1]


def test_markdown_text_stays_text() -> None:
    lines = write(texts(*NASTY), "md").decode().splitlines()
    assert r"a\|b \<b>c\</b> [x\](y) \`z\`" in lines[-2]
    assert "two lines" in lines[-3]


def test_html_text_stays_text() -> None:
    page = write(texts("<script>alert(1)</script>"), "html").decode()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("extension", list(FORMATS))
def test_every_published_table_can_be_written(extension: str) -> None:
    for table in published_out(load_published()).tables:
        assert write(published_table(table), extension)


@pytest.mark.parametrize("text", ["a\x85b", "a\u2028b", "a\u2029b", "a\x0bb\x1c"])
def test_line_ends_of_others_stay_as_they_are_in_json(text: str) -> None:
    table = Table("t", text, (Column("text", text),), ((text,), (text,)))
    assert json.loads(write(table, "json"))["rows"] == 2 * [{"text": text}]


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1, max_size=4))
def test_no_text_breaks_a_writer(cells: list[str]) -> None:
    table = Table("t", cells[0], (Column("text", cells[-1]),), tuple((cell,) for cell in cells), tuple(cells))
    for extension in FORMATS:
        assert write(table, extension)
    rows = list(csv.reader(io.StringIO(write(table, "csv").decode(), newline="")))
    assert len(rows) == len(cells) + 1
    assert json.loads(write(table, "json"))["rows"] == [{"text": cell} for cell in cells]


def many(n: int) -> Table:
    columns = (Column("run", "Run"), Column("power_w", "Power", "W", "number"), Column("none", "Nothing"))
    return Table("results", "Results", columns, tuple((f"run-{k}", 100.5 + k, None) for k in range(n)), ("A note.",))


def test_a_page_shows_the_first_rows_of_a_long_table_and_says_so() -> None:
    shown = preview(many(1200))
    assert (len(shown.rows), shown.rows[-1][0], shown.columns) == (50, "run-49", ["Run", "Power [W]"])
    assert shown.total == 1200
    assert shown.footnotes == ["The first 50 of 1200 rows are shown; an exported file has all rows.", "A note."]
    assert preview(many(50)).footnotes == ["A note."]


@pytest.mark.parametrize("extension", [name for name in FORMATS if name != "parquet"])
def test_a_long_table_is_written_row_by_row(extension: str) -> None:
    def peak_bytes(n: int) -> int:
        table = many(n)
        tracemalloc.start()
        try:
            with tempfile.TemporaryFile() as file:
                write_to(file, table, extension)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak_bytes(10)
    assert peak_bytes(3000) < peak_bytes(500) + 200_000, "as text alone, 2500 rows take more"


def test_a_long_spreadsheet_holds_what_a_short_one_does() -> None:
    content = write(many(1500), "xlsx")
    assert content == write(many(1500), "xlsx")
    sheet = openpyxl.load_workbook(io.BytesIO(content))["Data"]
    assert [cell.value for cell in sheet[1]] == ["run", "power_w", "none"]
    assert [cell.value for cell in sheet[1501]] == ["run-1499", 1599.5, None]
    assert (sheet.max_row, sheet.freeze_panes, sheet.auto_filter.ref) == (1501, "A2", "A1:C1501")
