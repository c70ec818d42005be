"""Whatever the bytes: a certificate, or one line that says what is wrong."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.traceability.certificates.reading import range_names, read_certificate

CSV = b"""id,CAL-7
number,K-7
manufacturer,Example
model,PM1
serial,SN-1
laboratory,Example Laboratory
method,Comparison
calibrated_on,2025-03-02
due_on,2026-03-02
range,state,reference_w,indication_w,expanded_u_w,k,power_factor
300V/5A,as_found,50,50.21,0.0515,2,1
300V/5A,as_found,250,250.62,0.1403,2,1
300V/5A,as_found,1000,1002.21,0.5389,2,1
"""


def outcome(content: bytes, name: str = "file.csv") -> str:
    """Return the refusal of a file; empty where it was read."""
    try:
        read_certificate(content, name)
    except InputError as error:
        return error.cause
    return ""


@given(st.binary(max_size=300))
@example(b"\xef\xbb\xbf")
@example(b"\xef\xbb\xbf{}")
@example(b"{" * 100_000)
@example(b"[" * 100_000)
@example(b'{"a": ' * 5000)
@example(b"<" * 1000)
@example(b"<a>" * 100_000)
@example(b"\xff\xfe<\x00a\x00>\x00")
@example(b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>')
@example(b'{"schema_version": 1e999}')
@example(b'{"id": "\\ud800"}')
def test_any_bytes_get_one_printable_line(content):
    text = outcome(content)
    assert text
    assert text.isprintable()
    assert len(text) < 1000


@given(st.integers(0, len(CSV) - 1), st.binary(min_size=0, max_size=3))
def test_a_changed_csv_is_read_or_refused_in_words(position, patch):
    text = outcome(CSV[:position] + patch + CSV[position + 1 :])
    assert text == "" or text.isprintable()


def test_the_unchanged_csv_is_read():
    assert outcome(CSV) == ""


@pytest.mark.parametrize("name", ["", "\n", "a\x1b[2J", "\ud800", "x" * 5000])
def test_odd_file_names_are_refused_in_words(name):
    text = outcome(CSV, name)
    assert "Name of the certificate's file" in text
    assert text.isprintable()


def test_csv_is_told_by_content_and_the_owner_sets_the_due_date():
    assert read_certificate(CSV, "x").due_on == date(2026, 3, 2)
    assert read_certificate(CSV, "x", due_on=date(2025, 9, 2)).due_on == date(2025, 9, 2)
    with pytest.raises(InputError, match="not after its calibration"):
        read_certificate(CSV, "x", due_on=date(2020, 1, 1))


def test_ranges_are_renamed_in_pairs():
    assert range_names(["Table 1=300V/5A", "b=c=d"]) == {"Table 1": "300V/5A", "b": "c=d"}
    for bad in ("", "a", "=b", "a="):
        with pytest.raises(InputError, match="DCC-NAME=METER-NAME"):
            range_names([bad])


def test_a_flood_of_points_or_ranges_is_refused():
    """A covariance of ten thousand points would take 800 MB; no laboratory measures so many."""
    rows = "".join(f"300V/5A,as_found,{p},{p},0.05,2,1\n" for p in range(1, 1000))
    assert "give 1 to 500 points" in outcome(CSV + rows.encode())
    ranges = "".join(f"R{p},as_found,250,250,0.05,2,1\n" for p in range(200))
    assert "more than 100 ranges" in outcome(CSV + ranges.encode())
