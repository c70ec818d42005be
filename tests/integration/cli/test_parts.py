"""`wattmark table parts`, its figures and its break-even: two models of drive with planted watts, every format."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from wattmark.archives.site.site import _figures, _pieces, _tables
from wattmark.reports.report_data import report_of
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import Storage, open_storage
from wattmark.runs.disclosure import Disclosure, WorkloadAsRun
from wattmark.runs.record import MeterRecord

from tests.integration.command import Command
from tests.stored_run import BEGIN_NS, S, make_run, store_readings

SECONDS = 60
METER = MeterRecord(name="outlet", model="wattsup.pro", title="Watts Up? PRO", reading_pct=1.5, fixed_w=0.3)
PLANTED = {"small": (3.0, 2.0), "large": (6.0, 8.0)}
"""Model: watts of a drive, its capacity [TB]."""
OPERATIONS = 400.0
"""Per second that a drive adds."""


def store_run(storage: Storage, number: int, model: str, count: int, *, configuration: str = "") -> None:
    watts, capacity_tb = PLANTED[model]
    part = {"kind": "drive", "model": model, "count": count, "capacity_tb": capacity_tb}
    rng = np.random.default_rng(number)
    run = make_run(
        f"{model}-{count}-{number}", begin_ns=BEGIN_NS + number * 600 * S, window_s=SECONDS,
        amount=lambda _: OPERATIONS * count * rng.normal(1, 0.001), server="s1",
        configuration=configuration or f"{model}-{count}", workload="fio.randread", level="4 jobs", unit="operations",
        meters=(METER,),
        configuration_snapshot={"declared": {"parts": [part]}}, full_load_limit_pct=None,
        disclosure=Disclosure(installation=str(number), workload=WorkloadAsRun(limited_by="disk")),
    )  # fmt: skip
    storage.runs.put(run)
    t_s = np.arange(-10, SECONDS + 11)
    store_readings(storage, run, t_s, 180.0 + watts * count + rng.normal(0, 0.2) + rng.normal(0, 0.2, len(t_s)))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("data")
    storage = open_storage(folder)
    turns = [(count, model) for count in (4, 2, 8, 2, 8, 4) for model in PLANTED]
    for number, (count, model) in enumerate(turns):
        store_run(storage, number, model, count)
    storage.close()
    return str(folder)


@pytest.fixture
def table(data: str, tmp_path: Path, wattmark: Command):
    """Print a table of the data folder in a format."""

    def run(*asked: str, format_: str = "csv") -> str:
        file = tmp_path / "file"
        code, _, err = wattmark("table", *asked, "--data", data, "--format", format_, "-o", file)
        assert code == 0, err
        return file.read_text("utf-8")

    return run


def rows_of(text: str) -> dict[str, dict[str, str]]:
    return {row["quantity"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}


def test_watts_of_a_drive_and_what_they_give(table) -> None:
    rows = rows_of(table("parts-fit", "--part", "drive: small, 2 TB"))
    expected = {
        "Watts per drive at the wall": 3.0,
        "W per TB of a drive, loaded": 1.5,
        "IOPS per W of a drive alone": 400 / 3,
        "IOPS per W of the server with 8 drives": 3200 / 204,
    }
    for quantity, planted in expected.items():
        assert float(rows[quantity]["low"]) < planted < float(rows[quantity]["high"]), quantity
    assert rows["IOPS per W of a drive alone"]["unit"] == "IOPS/W"


def test_large_against_small(table) -> None:
    text = table("parts-break-even", "--part", "drive: small, 2 TB", "--against-part", "drive: large, 8 TB")
    rows = rows_of(text)
    assert (
        float(rows["Difference of watts per drive"]["low"]) < 3 < float(rows["Difference of watts per drive"]["high"])
    )
    equal = next(row for name, row in rows.items() if "as many draw as much" in name)
    assert float(equal["low"]) < 2 < float(equal["high"])
    assert "for the same capacity drive large, 8 TB draws less" in table(
        "parts-break-even", "--part", "drive: small, 2 TB", "--against-part", "drive: large, 8 TB", format_="md"
    )


@pytest.mark.parametrize("format_", ["json", "md", "tex", "html"])
def test_the_runs_in_every_format(table, format_: str) -> None:
    text = table("parts", "--part", "drive: large, 8 TB", format_=format_)
    assert "large-8" in text
    assert "Each drive costs" in text


def test_a_part_that_nobody_counted_names_those_that_were(data: str, wattmark: Command) -> None:
    code, _, err = wattmark("table", "parts", "--part", "fan", "--data", data)
    assert code != 0
    assert "drive: large, 8 TB" in err


@pytest.fixture
def sources(data: str) -> Iterator[Sources]:
    storage = open_storage(Path(data))
    yield Sources.of(storage)
    storage.close()


def test_the_report_has_a_table_and_a_figure_of_each_part(sources: Sources) -> None:
    chapters = {chapter.title: chapter for chapter in report_of(sources).chapters if chapter.id.startswith("parts-")}
    of = "s1, fio.randread, 4 jobs"
    names = {model: f"Power against drive count: {model}, {tb:g} TB, {of}" for model, (_, tb) in PLANTED.items()}
    assert set(chapters) == set(names.values())
    for model in PLANTED:
        (section,) = chapters[names[model]].sections()
        assert section.words[0].startswith("Each drive costs ")
        (table,), (plot,) = section.tables, section.plots
        assert [row[table.position("count")] for row in table.rows] == [2, 2, 4, 4, 8, 8]
        assert list(plot.series[0].x) == [2, 2, 4, 4, 8, 8]
        assert not plot.caption.startswith("Each drive costs ")


def test_a_site_has_files_of_each_part(sources: Sources, tmp_path: Path) -> None:
    pieces = [piece for piece in _pieces(sources) if piece.subject == "parts"]
    assert {piece.title for piece in pieces} == {
        f"Watts per drive: {model}, {tb:g} TB, s1" for model, (_, tb) in PLANTED.items()
    }
    for piece in pieces:
        places = [download.place for write in (_tables, _figures) for download in write(tmp_path, sources, piece)]
        assert {Path(place).suffix for place in places} == {".csv", ".xlsx", ".tex", ".md", ".svg", ".pdf"}
        model = piece.title.split(": ")[1].split(",")[0]
        assert f"{model}-8" in (tmp_path / f"tables/{piece.file}.csv").read_text("utf-8")


def test_parts_that_an_earlier_run_of_a_configuration_declared_are_offered(tmp_path: Path) -> None:
    """Drives were added to one configuration under its old id: its runs declare 2, then 4, then 8."""
    storage = open_storage(tmp_path)
    comparisons, offered = Sources.of(storage).comparisons, []
    for number, count in enumerate((2, 4, 8)):
        store_run(storage, number, "small", count, configuration="grown")
        offered.append([(choice.key, choice.counts) for choice in comparisons.part_choices()])
    storage.close()
    key = "drive: small, 2 TB"
    assert offered == [[], [(key, [2, 4])], [(key, [2, 4, 8])]]


def test_a_run_that_could_not_be_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = open_storage(tmp_path)
    comparisons = Sources.of(storage).comparisons
    for number, count in enumerate((2, 4)):
        store_run(storage, number, "small", count, configuration="grown")
    with monkeypatch.context() as patched:
        patched.setattr(type(comparisons._results), "records", lambda self, run_ids: [])
        assert comparisons.part_choices() == []
    assert [choice.counts for choice in comparisons.part_choices()] == [[2, 4]]
    storage.close()
