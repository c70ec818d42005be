"""Samples as CSV: what a device calls itself is text to a spreadsheet, never a formula (OWASP, CSV injection)."""

from __future__ import annotations

import csv
import io

import pytest
from wattmark.runs.samples.blocks import Block
from wattmark.runs.samples.csv_rows import csv_lines
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import Series, SeriesKey


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "\t=1"])
def test_names_are_text_and_values_are_numbers(name: str) -> None:
    key = SeriesKey("r", "s", name, name, name, name, "averaged")
    text = b"".join(csv_lines([Block(Series(1, key, 1), make_samples([10**18], [-1.5]))])).decode()
    _, row = csv.reader(io.StringIO(text, newline=""))
    assert [row[column] for column in (2, 3, 4, 6)] == [f"'{name}"] * 4
    assert (row[0], row[1], row[5]) == ("1000000000000000000", "2001-09-09T01:46:40.000000000Z", "-1.5")
