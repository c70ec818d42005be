"""Parquet: types, units and notes arrive, and the bytes repeat."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from arro3.io import read_parquet
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.core.quantity import Quantity
from wattmark.tables import parquet_file
from wattmark.tables.fields import QuantityFields, columns_of, rows_of
from wattmark.tables.formats import write
from wattmark.tables.table import Column, Table

from tests.examples import examples

COLUMNS = (
    Column("name", "Name"),
    Column("power_w", "Power", "W", "number", expanded_u="power_U95_w"),
    Column("power_U95_w", "U95", "W", "number"),
    Column("dimms", "DIMMs", kind="integer"),
    Column("steady", "Steady", kind="flag"),
    Column("begin", "Begin", kind="time"),
)
ROWS = (
    ("=1+1 µ", 245.25, 1.5, 8, True, "2021-03-19T02:29:31.830001Z"),
    (None, float("nan"), None, None, None, None),
)
TABLE = Table("t", "Watts", COLUMNS, ROWS, ("simulated: no",), (("u", "Standard uncertainty."),))


def test_values_come_back_typed_with_null_for_what_is_not_known() -> None:
    read = read_parquet(io.BytesIO(write(TABLE, "parquet"))).read_all()
    columns = {name: read.column(name).to_pylist() for name in read.column_names}
    assert columns["name"] == ["=1+1 µ", None]
    assert columns["power_w"] == [245.25, None]
    assert columns["dimms"] == [8, None]
    assert columns["steady"] == [True, None]
    assert columns["begin"] == [datetime(2021, 3, 19, 2, 29, 31, 830001, tzinfo=UTC), None]


def test_schema_tells_units_title_and_notes() -> None:
    schema = read_parquet(io.BytesIO(write(TABLE, "parquet"))).read_all().schema
    power = schema.field("power_w")
    assert power.metadata_str == {"title": "Power", "unit": "W", "expanded_uncertainty": "power_U95_w"}
    about = schema.metadata_str
    assert about["title"] == "Watts"
    assert json.loads(about["footnotes"]) == ["simulated: no"]
    assert json.loads(about["methods"]) == {"u": "Standard uncertainty."}


def test_schema_tells_which_column_is_the_uncertainty_of_which_and_the_unit_that_all_rows_have() -> None:
    power = QuantityFields[Quantity](Column("power", "Power", "W"), lambda q: q, "power")
    work = QuantityFields[Quantity](Column("work", "Work", unit_from="unit", partial=True), lambda q: q)
    fields = (*(power.value, power.u, power.U95), *(work.value, work.U95), (Column("unit", "Unit"), lambda q: q.unit))
    quantities = [Quantity(value=200.0, unit="ops", u=0.5, k95=2.0), Quantity(value=100.0, unit="ops")]

    def described(rows: list[Quantity]) -> dict[str, dict[str, str]]:
        table = Table("t", "T", columns_of(fields), rows_of(fields, rows))
        schema = read_parquet(io.BytesIO(write(table, "parquet"))).schema
        return {name: schema.field(name).metadata_str for name in schema.names}

    about, of_mixed = described(quantities), described([*quantities, Quantity(value=1.0, unit="MB")])
    assert (about["power"]["expanded_uncertainty"], about["power"]["standard_uncertainty"]) == ("power_U95", "power_u")
    assert about["power_U95"] == {"title": "U95(power)", "unit": "W", "expanded_uncertainty_of": "power"}
    assert about["power_u"] == {"title": "u(power)", "unit": "W", "standard_uncertainty_of": "power"}
    assert "standard_uncertainty" not in about["work"], "this table has no column of it"
    assert about["work"]["expanded_uncertainty_is"] == "only a part, as that of counting alone"
    assert [each["work"]["unit"] for each in (about, of_mixed)] == ["ops", ""]
    assert [each["work_U95"]["unit"] for each in (about, of_mixed)] == ["ops", ""]
    assert about["work"]["unit_from"] == "unit"


def test_another_program_run_writes_the_same_bytes() -> None:
    program = (
        "import sys; from wattmark.tables.formats import write;"
        "from wattmark.comparison.published.published_table import published_table;"
        "from wattmark.comparison.published.library import load_published, published_out;"
        "sys.stdout.buffer.write(write(published_table(published_out(load_published()).tables[0]), 'parquet'))"
    )
    outs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=120).stdout
        for _ in range(2)
    ]
    assert outs[0] == outs[1]
    assert outs[0].startswith(b"PAR1")


def test_a_time_that_is_no_instant_stays_text() -> None:
    table = Table("t", "T", (Column("begin", "Begin", kind="time"),), (("soon",), ("2021-03-19",)))
    read = read_parquet(io.BytesIO(write(table, "parquet"))).read_all()
    assert read.column("begin").to_pylist() == ["soon", "2021-03-19"]


def test_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arro3.core", None)
    with pytest.raises(InputError) as caught:
        parquet_file.write_parquet(TABLE, io.BytesIO())
    assert "wattmark[parquet]" in caught.value.remedy


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(st.tuples(st.text(), st.floats(), st.integers(-(2**62), 2**62), st.booleans()), max_size=5))
def test_any_text_and_number_comes_back(rows: list[tuple[str, float, int, bool]]) -> None:
    kinds = ("text", "number", "integer", "flag")
    table = Table("t", "T", tuple(Column(kind, kind, kind=kind) for kind in kinds), tuple(rows))  # type: ignore[arg-type]
    read = read_parquet(io.BytesIO(write(table, "parquet"))).read_all()
    assert read.column("text").to_pylist() == [row[0] for row in rows]
    assert read.column("integer").to_pylist() == [row[2] for row in rows]
    finite = [row[1] if abs(row[1]) < float("inf") else None for row in rows]
    assert read.column("number").to_pylist() == finite


@pytest.mark.parametrize("instant", ["9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+00:00"])
def test_an_instant_that_nanoseconds_do_not_reach_is_text(instant: str) -> None:
    table = Table("t", "Times", (Column("begin", "Begin", kind="time"),), ((instant,), (None,)))
    assert read_parquet(io.BytesIO(write(table, "parquet"))).read_all().column("begin").to_pylist() == [instant, None]
