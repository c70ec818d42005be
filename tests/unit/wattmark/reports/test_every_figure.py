"""Every figure of results, run, compare and memory has its ± or a reason in words, for each kind of run and format."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterator

import openpyxl
import pytest
from arro3.io import read_parquet
from wattmark.reports.product_tables import product_table
from wattmark.reports.sources import Sources
from wattmark.reports.table_query import TableQuery
from wattmark.results.data_folder import Storage
from wattmark.tables.formats import FORMATS, write
from wattmark.tables.layouts import arranged
from wattmark.tables.people import Page, lay_out
from wattmark.tables.table import Table

from tests.marked_lab import COUNTED, FULL, IMPORTED, LOOSE, LOST, PLAIN, SIMULATED, WORKLOAD, run_ids

SERVERS = (PLAIN, SIMULATED, LOOSE, LOST, IMPORTED)
NOT_MEASURED = {
    "window_s", "power_k95", "efficiency_k95", "samples", "n_eff", "uncovered_pct", "cpu_utilisation_pct", "tdp_w",
    "memory_gib", "stated_throughput",
}  # fmt: skip
"""Numbers that are settings, counts and conditions of a figure, or what others state; not figures."""
OF_WORK = r"throughput|counted|whole count|scatter between runs|excluded"
OF_POWER = r"no ±|not traceable|scatter between runs|design power|excluded|published"
REASON = {"throughput": OF_WORK, "nominal_efficiency": "design power"}
"""What a sentence must speak of to be the reason of a figure; a reason of power is none of throughput."""
FOR_MACHINES = ("csv", "json", "parquet")


def made(sources: Sources, storage: Storage, server: str) -> Iterator[Table]:
    """Build the tables of one kind of run; a server of one run only has no memory table."""
    yield product_table(sources, "results", TableQuery(server=server))
    for workload, level in ((WORKLOAD, FULL), (COUNTED, "4 clients"))[: 1 if server == IMPORTED else None]:
        yield product_table(sources, "compare", TableQuery(server=server, workload=workload, level=level))
        if server != IMPORTED:
            yield product_table(sources, "memory", TableQuery(server=server, workload=workload, level=level))
    for run_id in (run_ids(storage, server)[0], run_ids(storage, server)[-1]):
        yield product_table(sources, "run", TableQuery(run_id=run_id))


@pytest.fixture(scope="module")
def tables(sources: Sources, storage: Storage) -> dict[str, list[Table]]:
    return {server: list(made(sources, storage, server)) for server in SERVERS}


def figures(table: Table) -> dict[str, str | None]:
    """List the columns of figures with that of their ±, which people may see in another way."""
    numbers = [column for column in table.columns if column.kind == "number" and column.key not in NOT_MEASURED]
    beside = re.compile(r"U95|rounding|_pct$|_(u|low|high)(_[a-z0-9]+)?$")
    return {column.key: column.expanded_u or column.rounded_by for column in numbers if not beside.search(column.key)}


def has_reason(key: str, words: str) -> bool:
    return re.search(REASON.get(key, OF_POWER), words, re.IGNORECASE) is not None


def bare(table: Table) -> Iterator[tuple[str, str, object]]:
    """List the figures of a table for machines that have neither ± nor reason in their row."""
    keys = [column.key for column in table.columns]
    for row in table.rows:
        cells = dict(zip(keys, row, strict=True))
        words = " ".join(cell for cell in row if isinstance(cell, str))
        for key, half in figures(table).items():
            known = half is not None and cells[half] is not None
            of_printed = cells.get("kind") == "published"
            baseline = key == "ratio" and cells[key] == 1.0
            if cells[key] is not None and not (known or of_printed or baseline or has_reason(key, words)):
                yield table.id, key, cells[key]


def unexplained(page: Page) -> Iterator[tuple[str, str, str]]:
    """List the figures that people see without ± and without a note that speaks of them."""
    notes = dict(page.letters)
    of_figures = figures(page.table)
    for entries, letters in page.lines:
        words = " ".join([*(notes[letter] for letter in letters.split()), *map(page.write, entries)])
        for column, entry in zip(page.columns, entries, strict=True):
            text = page.write(entry)
            if column.shown.key not in of_figures or text == "–" or "±" in text or "published" in words.lower():
                continue
            if not (has_reason(column.shown.key, words) or (column.shown.key == "ratio" and text == "1")):
                yield page.table.id, column.shown.key, text


@pytest.mark.parametrize("server", SERVERS)
def test_every_figure_has_its_plus_minus_or_a_reason(tables: dict[str, list[Table]], server: str) -> None:
    for table in tables[server]:
        assert list(bare(table)) == []
        for layout in ("paper", "full"):
            assert list(unexplained(lay_out(arranged(table, layout)))) == [], layout


def text_of(data: bytes, extension: str) -> str:
    """Read a file for people as text without its markup."""
    if extension == "xlsx":
        sheet = openpyxl.load_workbook(io.BytesIO(data), read_only=True).worksheets[0]
        return " ".join(str(cell) for row in sheet.iter_rows(values_only=True) for cell in row if cell is not None)
    text = html.unescape(data.decode())
    return text.replace(r"$\pm$", "±").replace(r"\ensuremath{\pm}", "±")


def plain(text: str) -> str:
    """Keep letters and digits only: writers escape signs and break lines, each in its own way."""
    return re.sub(r"\W|pm|_", "", text.lower())


@pytest.mark.parametrize("extension", list(FORMATS))
def test_each_format_has_the_reasons_of_its_table(tables: dict[str, list[Table]], extension: str) -> None:
    """The tables are walked above; here each writer prints what stands in them."""
    for table in [*tables[PLAIN][:3], *tables[LOOSE][:3]]:
        data = write(arranged(table), extension)
        reasons = {note for notes in table.row_notes for note in notes if has_reason("throughput", note)}
        if extension not in FOR_MACHINES:
            printed = plain(text_of(data, extension))
            assert [note for note in reasons if plain(note) not in printed] == [], table.id
            continue
        for row in read_back(data, extension):
            if row["throughput"] not in (None, "") and row.get("kind") != "published":
                assert row["throughput_U95"] not in (None, "") or has_reason("throughput", str(row)), table.id


def read_back(data: bytes, extension: str) -> list[dict[str, object]]:
    if extension == "csv":
        head, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
        return [dict(zip((name.split(" [")[0] for name in head), row, strict=True)) for row in rows]
    if extension == "json":
        return list(json.loads(data)["rows"])
    columns = read_parquet(io.BytesIO(data)).read_all()
    cells = [columns.column(name).to_pylist() for name in columns.column_names]
    return [dict(zip(columns.column_names, row, strict=True)) for row in zip(*cells, strict=True)]


def test_a_single_run_says_the_same_of_its_throughput_everywhere(tables: dict[str, list[Table]]) -> None:
    """People see no ±, as that of counting gives no digits; machines see it. The words beside both are the same."""
    (run,) = [table for table in tables[PLAIN] if table.id == "results" and len(table.rows) == 1][-1:]
    cells = dict(zip([column.key for column in run.columns], run.rows[0], strict=True))
    half, why = cells["throughput_U95"], str(cells["plus_minus"])
    assert half == pytest.approx(1.96 / 6**0.5 / 30, rel=0.001)  # half a count at either end of 30 s
    assert "of counting alone" in why
    page = lay_out(arranged(run))
    ((entries, letters),) = page.lines
    (shown,) = (page.write(entry) for column, entry in zip(page.columns, entries, strict=True)
                if column.shown.key == "throughput")  # fmt: skip
    assert ("±" in shown, [dict(page.letters)[letter] in why for letter in letters.split()]) == (False, [True])
