"""Every export with everything in it that needs a mark: each figure comes out with what it is.

The names of tables, formats and figures come from the registries of the product: a new one is walked too.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import numpy as np
import openpyxl
import pytest
from arro3.io import read_parquet
from wattmark.archives.preview import found_run
from wattmark.comparison.published.library import load_published, published_out
from wattmark.comparison.published.published_table import published_table
from wattmark.core.errors import InputError
from wattmark.fleet.clickhouse.columns import sample_columns
from wattmark.fleet.clickhouse.tables import SAMPLE
from wattmark.fleet.clickhouse.tables import TABLES as FLEET_TABLES
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.dossiers.rows import result_columns
from wattmark.fleet.influx.lines import sample_lines
from wattmark.fleet.influx.result_row import result_lines
from wattmark.fleet.parquet.write import sample_batches
from wattmark.reports import product_tables
from wattmark.reports.figures import product_figures
from wattmark.reports.files.figure_file import write_figure
from wattmark.reports.files.overlay_figure import overlaid, write_overlay
from wattmark.reports.files.report_file import write_report
from wattmark.reports.files.trace_figure import write_traces
from wattmark.reports.product_tables import product_table
from wattmark.reports.report_data import report_of
from wattmark.reports.sources import Sources
from wattmark.reports.table_query import TableQuery
from wattmark.results.data_folder import Storage
from wattmark.results.pages.row import RunRow
from wattmark.runs.samples.blocks import blocks
from wattmark.runs.samples.csv_rows import csv_lines
from wattmark.runs.samples.parquet_rows import write_samples
from wattmark.store.outbox.outbox_types import SampleSlice
from wattmark.tables.formats import FORMATS, write
from wattmark.tables.layouts import arranged
from wattmark.tables.table import Table

from tests.marked_lab import COUNTED, FULL, LOOSE, LOST, PLAIN, SIMULATED, WORKLOAD, run_ids

MIXED = {"normalised", "geometric-means", "deltas"}
"""Tables that hold all servers side by side."""
MARK = {SIMULATED: "simulated", LOOSE: "not traceable", LOST: "not ranked"}
ALIKE = "configuration,memory.gib,memory.slots,memory.dimm_count"
WITHOUT_FIGURES = {"differences", "factors", "memory-predicted", "memory-slots", "published"}
"""Tables of words alone, of others' figures, and of what all servers predict, which have tests of their own."""
ONLY_SERVER = {"results", "compare", "eehpc", "mlperf-summary", "procurement"}


def query(name: str, server: str, run_id: str) -> TableQuery:
    """Choose what holds figures of one server alone."""
    if name in ONLY_SERVER:
        return TableQuery(server=server, workload=WORKLOAD, level=FULL)
    more: dict[str, Any] = {
        "deltas": {"factor": "memory.dimm_count", "old": "2", "new": "8", "ignore": ALIKE, "figure": "power"},
        "extrapolated": {"axis": "load", "target": 8.0, "workload": COUNTED},
        "scaling": {"workload": COUNTED},
    }.get(name, {})
    return TableQuery.model_validate(
        {
            "server": server, "workload": WORKLOAD, "level": FULL, "run_id": run_id, "against": PLAIN,
            "configuration": f"{server}/dimms-8", **more,
        }
    )  # fmt: skip


def own_rows(table: Table) -> list[int]:
    """Select the rows that rest on the server asked for; the others are of the one that it is compared with."""
    kept = range(len(table.rows))
    return [n for n in kept if table.id == "compare" or not any(str(cell).startswith(PLAIN) for cell in table.rows[n])]


@pytest.fixture(scope="module")
def tables(sources: Sources, storage: Storage) -> dict[str, list[Table]]:
    """Build every table for each kind of server."""
    return {
        server: [
            product_table(sources, name, query(name, server, run_ids(storage, server)[0]))
            for name in product_tables.NAMES
            if name not in WITHOUT_FIGURES and not (name == "extrapolated" and server == LOOSE)
        ]
        for server in (SIMULATED, LOOSE)
    }


def rows_of(data: bytes, extension: str) -> list[str]:
    """Read the rows of a file for machines back as text."""
    if extension == "csv":
        return [str(row) for row in csv.reader(io.StringIO(data.decode(), newline=""))][1:]
    if extension == "json":
        return [str(row) for row in json.loads(data)["rows"]]
    if extension == "parquet":
        columns = read_parquet(io.BytesIO(data)).read_all()
        cells = [columns.column(name).to_pylist() for name in columns.column_names]
        return [str(row) for row in zip(*cells, strict=True)]
    sheet = openpyxl.load_workbook(io.BytesIO(data), read_only=True).worksheets[0]
    return [str(row) for row in sheet.iter_rows(values_only=True)]


@pytest.mark.parametrize("server", [SIMULATED, LOOSE])
def test_every_row_of_every_table_has_its_mark(tables: dict[str, list[Table]], server: str) -> None:
    unmarked = {
        table.id: [
            row for n in own_rows(table) if MARK[server] not in str((row := table.rows[n])[table.position("marks")])
        ]
        for table in tables[server]
        if table.id not in MIXED
    }
    assert {name: rows for name, rows in unmarked.items() if rows} == {}
    assert all(own_rows(table) for table in tables[server])


@pytest.mark.parametrize("server", [SIMULATED, LOOSE])
@pytest.mark.parametrize("extension", list(FORMATS))
def test_every_file_says_it_too_whichever_columns_are_chosen(
    tables: dict[str, list[Table]], server: str, extension: str
) -> None:
    for table in tables[server]:
        figure = next(column.key for column in table.columns if column.kind == "number")
        layouts = (arranged(table, columns=[figure]), arranged(table, "paper"), arranged(table, "full"))
        for chosen in layouts[: 1 if extension == "xlsx" else None]:
            data = write(chosen, extension)
            if extension in ("csv", "json", "parquet"):
                marked = [MARK[server] in row for row in rows_of(data, extension)]
                assert table.id in MIXED or all(marked[n] for n in own_rows(table)), table.id
                assert any(marked), table.id
            else:
                text = str(rows_of(data, extension)) if extension == "xlsx" else data.decode()
                assert MARK[server] in " ".join(text.split()).lower().replace("\u00a0", " "), (table.id, extension)


def test_a_published_figure_says_so_in_every_file(sources: Sources) -> None:
    for published in published_out(load_published()).tables[:1]:
        table = published_table(published)
        for extension in ("csv", "json", "parquet"):
            assert all("published" in row for row in rows_of(write(table, extension), extension))
        for extension in ("md", "html", "tex", "tsv"):
            assert "published" in write(table, extension).decode().lower()
    compared = product_table(sources, "compare", TableQuery(workload=WORKLOAD, level=FULL))
    printed = [row for row in compared.rows if row[compared.position("key")].startswith("published:")]
    assert printed
    assert {row[compared.position("marks")] for row in printed} == {"published, not traceable"}


def test_power_that_is_withheld_is_no_number_and_has_its_reason(sources: Sources, storage: Storage) -> None:
    for name in ("results", "run", "memory", "compare", "scaling"):
        table = product_table(sources, name, query(name, LOST, run_ids(storage, LOST)[0]))
        for row in table.rows:
            assert row[table.position("power_w")] is None, name
            assert re.search(
                r"readings are missing|no power: \d+ s lost|no good reading for \d+ s", str(row).lower()
            ), name


def drawn(svg: bytes) -> str:
    """Read the text of a drawing, which it keeps beside the outlines of the letters."""
    return " ".join(re.findall(r"<!-- (.*?) -->", svg.decode()))


@pytest.mark.parametrize("server", [SIMULATED, LOOSE])
def test_every_figure_says_it(sources: Sources, storage: Storage, server: str) -> None:
    run_id = run_ids(storage, server)[0]
    for name in (name for name in product_figures.NAMES if name != "years"):  # others' figures alone: hollow, no ±
        plot = product_figures.product_figure(sources, name, query(name, server, run_id))
        words = " ".join([plot.marked_title, *(series.label for series in plot.series)])
        assert (MARK[server] in words, MARK[server] in plot.caption.lower() or name == "compare") == (True, True), name
    assert MARK[server] in drawn(write_figure(plot, "svg"))


def test_drawings_of_traces_say_it(sources: Sources, storage: Storage) -> None:
    run_id = run_ids(storage, SIMULATED)[0]
    traces = write_traces(sources.pages.run(run_id), sources.pages.traces(run_id, 100, None, None), "svg")
    overlay = write_overlay([overlaid(sources.pages, run_id, 100, None, None)], "svg")
    assert ("simulated" in drawn(traces), "simulated" in drawn(overlay)) == (True, True)


def test_the_report_says_it_of_every_run(sources: Sources, storage: Storage) -> None:
    file = io.BytesIO()
    write_report(report_of(sources, None, [run_ids(storage, server)[0] for server in MARK]), file)
    text = file.getvalue().decode().lower()
    assert [mark for mark in MARK.values() if mark not in text] == []


def test_samples_as_files_say_that_a_simulator_gave_them(storage: Storage) -> None:
    for server in (SIMULATED, PLAIN):
        of_run = list(blocks(storage.samples, storage.samples.list_series(run_ids(storage, server)[0])))
        _, *rows = b"".join(csv_lines(of_run)).decode().splitlines()
        file = io.BytesIO()
        write_samples(of_run, file)
        for text in (*rows, *rows_of(file.getvalue(), "parquet")):
            assert ("simulated" in text) is (server == SIMULATED)


def test_samples_that_are_sent_away_say_that_a_simulator_gave_them(storage: Storage) -> None:
    for server in (SIMULATED, PLAIN):
        run_id = run_ids(storage, server)[0]
        for block in blocks(storage.samples, storage.samples.list_series(run_id)):
            key, samples = block.series.key, block.samples
            piece = SampleSlice(key, 0, samples, np.zeros(len(samples), np.int64))
            columns, _ = sample_columns([piece], lambda _: "Lab")
            assert set(columns) == {column.name for column in SAMPLE.columns}
            assert set(columns["simulated"]) == {int(server == SIMULATED)}
            assert {"simulated=1.0" in line for line in sample_lines(piece, "Lab")} == {server == SIMULATED}
        for batch in sample_batches(storage.samples, run_id, "Lab"):
            assert set(batch["simulated"].to_numpy().tolist()) == {int(server == SIMULATED)}


def test_every_table_of_a_shared_server_has_its_kind_or_no_figure() -> None:
    """A new table of the fleet must say what its figures are."""
    figures = re.compile(r"value|power|efficiency|throughput|energy")
    without = [
        table.name
        for table in FLEET_TABLES
        if any(figures.match(column.name) for column in table.columns)
        and "simulated" not in {column.name for column in table.columns}
    ]
    assert without == []


def test_what_is_shared_says_it(storage: Storage, sources: Sources) -> None:
    dossiers = Dossiers(storage, sources.results, lambda: "Lab")
    for server in (SIMULATED, LOOSE):
        dossier = dossiers.gather(run_ids(storage, server)[0])
        assert dossier is not None
        row = result_columns(dossier, 0)
        assert row is not None
        line = RunRow.model_validate_json(str(row["line"]))
        assert (row["simulated"], line.simulated, line.traceable) == (server == SIMULATED,) * 2 + (server != LOOSE,)
        row_of_fleet = found_run(dossier.result, "Lab", "new", 0)
        assert (row_of_fleet.simulated, row_of_fleet.traceable) == (server == SIMULATED, server != LOOSE)
        (line_of_influx,) = result_lines(dossier)
        assert ("simulated=true" in line_of_influx) is (server == SIMULATED)
        assert f"traceable={0.0 if server == LOOSE else 1.0}" in line_of_influx


@pytest.mark.parametrize(("name", "option"), [("compare", "--workload"), ("cross-check", "`wattmark cross-check RUN`")])
def test_a_table_that_needs_more_tells_it_for_the_command_line_too(sources: Sources, name: str, option: str) -> None:
    with pytest.raises(InputError) as refused:
        product_table(sources, name, TableQuery())
    assert option in refused.value.remedy
