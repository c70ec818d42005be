"""An override is printed on every export; so is what each figure rests on."""

from __future__ import annotations

import io
import json

import arro3.io as arro3_io
import openpyxl
import pytest
from arro3 import core
from wattmark.comparison.scaling.scaling import scaling_view
from wattmark.comparison.scaling.scaling_table import scaling_table
from wattmark.reports.product_tables import product_table
from wattmark.reports.table_query import TableQuery
from wattmark.tables.formats import FORMATS, write
from wattmark.traceability.certificates.views import OverrideIn

NAME, REASON = "Head of lab", "recalibration is under way"


@pytest.fixture
def overridden(lab, vector):
    """Two runs after the due day, whose expired certificate was accepted."""
    lab.add(vector.make())
    order = OverrideIn(by=NAME, reason=REASON, accepts=["expired"])
    lab.calibration.certificates.override("CAL-1", order)
    for dimms in (2, 4):
        lab.measure(f"r{dimms}", watts=240.0 + dimms, day="2026-04-01", dimms=dimms, noise_w=0.05)
    return lab


def text_of(content: bytes, extension: str) -> str:
    if extension == "parquet":
        table = core.Table(arro3_io.read_parquet(io.BytesIO(content)))
        about = [value.decode() for value in table.schema.metadata.values()]
        return "\n".join([*about, *(str(table[name].to_pylist()) for name in table.column_names)])
    if extension != "xlsx":
        return content.decode()
    book = openpyxl.load_workbook(io.BytesIO(content))
    cells = [str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row]
    return "\n".join(cells)


def tables(lab):
    sources = lab.sources
    yield product_table(sources, "results", TableQuery())
    yield product_table(sources, "run", TableQuery(run_id="r2"))
    yield product_table(sources, "compare", TableQuery(workload="rsa", level="1 process"))
    yield product_table(sources, "memory", TableQuery(server="s1", workload="rsa", level="1 process"))
    yield scaling_table(scaling_view(sources.results.results(), "s1/dimm-4", "rsa"))


@pytest.mark.parametrize("extension", sorted(FORMATS))
def test_every_table_in_every_format_prints_the_override(overridden, extension):
    for table in tables(overridden):
        text = text_of(write(table, extension), extension)
        assert NAME in text, table.id
        assert REASON in text, table.id
        assert "was due on 2026-03-02" in text, table.id


def test_the_mark_says_overridden(overridden):
    document = json.loads(write(product_table(overridden.sources, "results", TableQuery()), "json"))
    assert all("overridden" in row["marks"] for row in document["rows"])
    assert all(row["traceable"] is False for row in document["rows"])
    assert all(row["power_U95_w"] > 0 for row in document["rows"])


def test_results_say_coverage_factor_and_basis(lab, vector):
    lab.measure("by-maker")
    lab.measure("nothing", reading_pct=None, fixed_w=None)
    lab.add(vector.make())
    lab.measure("by-lab")
    document = json.loads(write(product_table(lab.sources, "results", TableQuery()), "json"))
    rows = {row["run_id"]: row for row in document["rows"]}
    assert {name: row["basis"] for name, row in rows.items()} == {
        "by-maker": "specification",
        "nothing": "none",
        "by-lab": "certificate",
    }
    assert rows["by-lab"]["rests_on"] == "certificate CAL-1 v1"
    assert rows["by-lab"]["certificate_hash"] == lab.queries.register().get("CAL-1").sha256
    assert rows["by-lab"]["power_U95_w"] == pytest.approx(rows["by-lab"]["power_k95"] * rows["by-lab"]["power_u_w"])
    assert rows["nothing"]["power_k95"] is None
    assert "not traceable" in rows["nothing"]["marks"]


def test_a_refused_certificate_is_marked_with_the_reason(lab, vector):
    lab.add(vector.make())
    lab.measure(watts=1101.28)
    table = product_table(lab.sources, "results", TableQuery())
    text = write(table, "md").decode()
    assert "certificate refused" in text
    assert "lies outside the calibrated span 50.21 to 1002.21 W" in text


def test_an_overridden_figure_keeps_its_interval_on_every_page_and_in_every_export(overridden):
    sources = overridden.sources
    run = sources.results.results()[0]
    assert run.power.U95
    assert not run.traceable
    group = sources.comparisons.compare("rsa", "1 process").groups[0]
    assert group.power_w.complete
    assert any(NAME in remark for remark in group.remarks)
    (row, *_) = json.loads(
        write(product_table(sources, "compare", TableQuery(workload="rsa", level="1 process")), "json")
    )["rows"]
    assert row["power_U95_w"] == pytest.approx((group.power_w.high - group.power_w.low) / 2)
    assert "overridden" in row["marks"]
    overridden.measure("r8", watts=248.0, day="2026-04-01", dimms=8, noise_w=0.05)
    memory = sources.comparisons.memory("s1", "rsa", "1 process")
    assert memory.watts_per_part.complete
    assert all(NAME in text for point in memory.points for text in point.overrides)


def test_repeats_of_an_unknown_meter_have_no_interval_on_any_page_or_export(lab):
    for name, watts in (("a", 240.0), ("b", 241.0)):
        lab.measure(name, watts=watts, noise_w=0.05, reading_pct=None, fixed_w=None)
    group = lab.sources.comparisons.compare("rsa", "1 process").groups[0]
    assert not group.power_w.complete
    assert not group.efficiency.complete
    (row,) = json.loads(
        write(product_table(lab.sources, "compare", TableQuery(workload="rsa", level="1 process")), "json")
    )["rows"]
    assert row["power_w"] == pytest.approx(240.5, abs=0.1)
    assert [row[key] for key in ("power_U95_w", "power_low_w", "efficiency_U95", "efficiency_high")] == [None] * 4
