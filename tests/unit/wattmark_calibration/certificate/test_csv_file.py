"""Certificates as CSV, as spreadsheets write it, and every mistake in one."""

import hashlib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_calibration.certificate.csv_file import read_csv
from wattmark_calibration.correction.model import fit_model
from wattmark_calibration.errors import CertificateError

FACTS = """id,CAL-2026-001
number,K-12345
manufacturer,Example
model,PM1
serial,SN-1
laboratory,"Example Laboratory, Berlin"
accreditation,D-K-00000-01-00
method,Comparison with a power standard
calibrated_on,2026-03-02
due_on,2027-03-02
reference_standard,Power standard R-1
reference_traceable_to,PTB
common_gain,2.5e-4
common_offset_w,0.01
"""
TABLE = """range,state,reference_w,indication_w,expanded_u_w,k,power_factor,frequency_hz,temperature_c,error_w
300V/5A,as_found,50,50.21,0.0515,2,1,50,23,0.21
300V/5A,as_found,100,100.31,0.0675,2,1,50,23,
300V/5A,as_found,250,250.62,0.1403,2,1,50,23,0.62
300V/5A,as_found,500,501.14,0.2701,2,1,50,23,1.14
300V/5A,as_found,1000,1002.21,0.5389,2,1,50,23,2.21
300V/5A,as_found,250,251.27,0.1403,2,0.5,50,23,1.27
300V/5A,as_found,250,250.91,0.1403,2,0.8,50,23,0.91
"""
TEXT = FACTS + "\n" + TABLE


def read(text):
    return read_csv(text.encode(), "certificate.csv")


def test_reads_facts_and_points():
    certificate = read(TEXT)
    assert certificate.meter.serial == "SN-1"
    assert certificate.laboratory.name == "Example Laboratory, Berlin"
    assert (certificate.calibrated_on, certificate.due_on) == (date(2026, 3, 2), date(2027, 3, 2))
    assert certificate.chain[0].traceable_to == "PTB"
    assert certificate.file.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert not certificate.adjusted
    assert len(certificate.as_found[0].points) == 7
    assert certificate.as_found[0].points[5].power_factor == 0.5
    # method 6.2, with U rounded to 0.1 mW
    assert fit_model(certificate.as_found[0]).parameters == pytest.approx([-0.1026, -0.0020834, -0.0014919], rel=2e-3)


def test_as_left_points_mean_an_adjustment():
    certificate = read(TEXT + TABLE.split("\n", 1)[1].replace("as_found", "as_left"))
    assert certificate.adjusted
    assert certificate.as_left == certificate.as_found


def test_decimal_comma_with_semicolons_and_a_byte_order_mark():
    facts = "\n".join(line.replace(",", ";", 1) for line in FACTS.splitlines()).replace("2.5e-4", "2.5e-4")
    table = TABLE.replace(",", ";").replace(".", ",")
    certificate = read_csv(("\ufeff" + facts + "\n" + table).replace("\n", "\r\n").encode(), "a.csv")
    assert certificate.as_found == read(TEXT).as_found
    assert certificate.laboratory.name == "Example Laboratory, Berlin"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("id,CAL", "idd,CAL", "'idd' is not a known field"),
        ("serial,SN-1\n", "", "serial is missing"),
        ("serial,SN-1", "serial,SN-1\nserial,SN-2", "twice"),
        ("calibrated_on,2026-03-02", "calibrated_on,2.3.2026", "YYYY-MM-DD"),
        ("due_on,2027-03-02", "due_on,2025-03-02", "not after its calibration"),
        ("method,Comparison", "method,Comparison, careful", "double quotes"),
        ("reference_w", "reference", "'reference' is not known; check its spelling"),
        ("reference_w", "reference_kw", "in watts"),
        ("expanded_u_w", "u_pct", "u_pct"),
        ("error_w", "k", "twice"),
        (",k,", ",limit_w,", "has no column k"),
        ("as_found,500", "asfound,500", "as_found or as_left"),
        ("300V/5A,as_found,500", ",as_found,500", "range is missing"),
        (",501.14,", ",501.14 W,", "'501.14 W' is not a number"),
        (",501.14,", ",nan,", "finite"),
        (",501.14,", ",1e999,", "finite"),
        (",501.14,", ",0.50114,", r"differ too much|is not indication"),
        (",501.14,", ",,", "indication_w is missing"),
        (",501.14,", ",5_01.14,", "not a number"),
        (",1.14\n", ",2.14\n", "is not indication - reference"),
        (",1.14\n", ",1.14,9\n", "cells for"),
        ("0.2701,2,1,50,23", "0.2701,2,1,50,296.15", "kelvin"),
        ("0.2701,2,1", "0.2701,2,99", "Line 20.*power factor"),
        ("common_gain,2.5e-4", "common_gain,2.5e-2", "exceeds U/k"),
        ("Example Laboratory", "Example\x00Laboratory", "printable"),
    ],
)
def test_mistakes_are_named_on_one_line(old, new, words):
    assert old in TEXT
    with pytest.raises(CertificateError, match=words) as caught:
        read(TEXT.replace(old, new, 1))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no table"),
        (FACTS.encode(), "no table"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b'"' + b"x" * 200_000 + b'",1\n', "not a CSV|field"),
        (b"," * (1024 * 1024 + 1), "bytes"),
        (TEXT.split("300V", 1)[0].encode(), "as-found points"),
    ],
)
def test_broken_and_hostile_files(content, words):
    with pytest.raises(CertificateError, match=words):
        read_csv(content, "a.csv")


@given(st.text(max_size=300))
def test_any_text_after_the_facts_gives_an_error_on_one_line(text):
    with pytest.raises(CertificateError) as caught:
        read(FACTS + text)
    assert "\n" not in str(caught.value)


@given(st.integers(0, len(TEXT) - 1), st.characters(codec="utf-8"))
def test_any_changed_character_gives_a_certificate_or_one_line(complaint_of, place, character):
    assert "\n" not in complaint_of(read, TEXT[:place] + character + TEXT[place + 1 :])
