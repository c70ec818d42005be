"""A mapping says what is wrong with it; mappings are kept by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from wattmark.core.errors import InputError, NotFound
from wattmark.importers.csv_mapping.kept import KeptMappings
from wattmark.importers.csv_mapping.mapping import CsvMapping, read_mapping
from wattmark.importers.csv_mapping.stamp_format import parse_stamp, problem_of
from wattmark.results.data_folder import Storage

from .conftest import hs100_mapping

POWER = {"column": "p", "quantity": "power", "unit": "W"}
WORK = {"column": "ops", "quantity": "throughput", "unit": "1/s"}
TABLE = [{"column": "s", "quantity": "server"}, POWER, WORK]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"columns": [POWER | {"unit": "V"}]}, "power is given in W, dW, cW, mW, µW, nW, kW, MW, not 'V'"),
        ({"columns": [POWER, POWER | {"column": "q"}]}, "give each meter a name of its own"),
        ({"columns": [{"column": "u", "quantity": "voltage", "unit": "V"}]}, "No column holds power or energy"),
        ({"columns": [POWER, WORK]}, "A power log has no column of throughput"),
        ({"columns": [POWER], "holds": "power log with throughput"}, "One column must hold the throughput, not 0"),
        ({"time": None}, "A log needs a time column"),
        ({"time": {"columns": ["t"], "format": "%H:%M"}}, "names no year"),
        ({"time": {"columns": ["t"], "format": "%Y-%m-%d %I:%M"}}, "has %I without %p"),
        ({"zone": "Nowhere/Land"}, "There is no time zone 'Nowhere/Land'"),
        ({"header_rows": 0}, "Row 1 cannot name the columns"),
        ({"header_rows": 0, "names_row": 0}, "no row names the columns: give its number"),
        ({"columns": TABLE, "holds": "table of results"}, "A table of results has no time column"),
        ({"columns": TABLE[:2], "holds": "table of results", "time": None}, "No column holds throughput"),
        (
            {"columns": [*TABLE[:2], WORK | {"unit": "count"}], "holds": "table of results", "time": None},
            "its unit is 1/s, 1/min, 1/h",
        ),
        ({"columns": [POWER | {"quantity": "server"}]}, "is a server, which has no unit"),
    ],
)
def test_a_mapping_that_cannot_work_says_why(changes: dict[str, Any], named: str) -> None:
    fields = {"name": "any", "time": {"columns": ["t"], "format": "iso 8601"}, "columns": [POWER]}
    CsvMapping.model_validate(fields)
    with pytest.raises(ValidationError) as raised:
        CsvMapping.model_validate(fields | changes)
    assert named in str(raised.value)


def test_a_mapping_is_read_from_a_file_and_a_mistake_has_its_line(tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(
        "name: plug\ntime: {columns: [t], format: unix ms}\ncolumns:\n  - {column: 2, quantity: power, unit: kW}\n"
    )
    mapping = read_mapping(file)
    assert (mapping.columns[0].column, mapping.needs_zone) == (2, False)
    file.write_text("name: plug\ncolumns:\n  - {column: 2, quantity: heat, unit: kW}\n")
    with pytest.raises(InputError, match=r"m\.yaml:3: columns\.0\.quantity"):
        read_mapping(file)


def test_mappings_are_kept_replaced_and_deleted_by_name(storage: Storage) -> None:
    mappings = KeptMappings(storage.runs)
    mappings.keep(hs100_mapping())
    mappings.keep(hs100_mapping(name="another", zone="UTC"))
    mappings.keep(hs100_mapping(zone="Europe/London"))
    assert [(mapping.name, mapping.zone) for mapping in mappings.all()] == [
        ("HS110", "Europe/London"),
        ("another", "UTC"),
    ]
    assert mappings.get("HS110") == hs100_mapping(zone="Europe/London")
    mappings.delete("HS110")
    with pytest.raises(NotFound, match="Mappings here: another"):
        mappings.get("HS110")
    storage.runs.put_document("csv-mapping", "old", {"name": "old"})
    assert [mapping.name for mapping in mappings.all()] == ["another"]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        *(("2024-02-30 12:00:00", form) for form in ("iso 8601", "%Y-%m-%d %H:%M:%S")),
        ("2024-02-03 24:00:00", "iso 8601"),
        ("0012-02-03 12:00:00", "iso 8601"),
        ("9999-02-03 12:00:00", "iso 8601"),
        ("2024-02-03 13:00 PM", "%Y-%m-%d %I:%M %p"),
        ("1e9", "unix s"),
        ("99999999999999999999", "unix ns"),
        ("3 Foo 2024 12:00", "%d %b %Y %H:%M"),
    ],
)
def test_what_is_no_stamp_is_refused(text: str, form: str) -> None:
    assert problem_of(form) is None
    with pytest.raises(ValueError):  # noqa: PT011 - the caller words it
        parse_stamp(text, form)
