"""Certificates as JSON: there and back, one hash, a schema, and every broken or hostile file."""

import hashlib
import json
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_calibration.certificate.canonical import canonical_json, canonical_sha256, verify_file
from wattmark_calibration.certificate.conformity import Outcome
from wattmark_calibration.certificate.json_file import json_schema, read_json, write_json
from wattmark_calibration.certificate.record import (
    Approval,
    ReferenceStandard,
    Revocation,
    SourceFile,
    StatedConformity,
)
from wattmark_calibration.errors import CertificateError, Refused


@pytest.fixture
def full(certificate_with, range_with):
    return certificate_with(
        version=2,
        as_left=(range_with(), range_with(stated=False, name="300V/1A")),
        adjusted=True,
        chain=(ReferenceStandard(name="Power standard", serial="R-1", traceable_to="PTB"),),
        file=SourceFile(name="k-12345.pdf", sha256=hashlib.sha256(b"pdf").hexdigest()),
        supersedes="CAL-2025-001",
        conformity=StatedConformity(rule="ILAC-G8, w = U", verdict=Outcome.CONDITIONAL_PASS),
        approval=Approval(by="Owner", on=date(2026, 3, 9), accepts=("chi-squared",)),
        revocation=Revocation(effective=date(2026, 12, 1), by="Laboratory", reason="standard drifted"),
    )


def test_there_and_back(full, certificate):
    for original in (full, certificate):
        assert read_json(write_json(original).encode()) == original
        assert read_json(canonical_json(original).encode()) == original


def test_the_hash_depends_on_content_only(certificate):
    text = json.loads(write_json(certificate))
    shuffled = json.dumps(dict(reversed(text.items())), indent=7)
    assert canonical_sha256(read_json(shuffled.encode())) == canonical_sha256(certificate)
    whole = shuffled.replace("50.0,", "50,")
    assert canonical_sha256(read_json(whole.encode())) == canonical_sha256(certificate)
    assert canonical_sha256(replace(certificate, version=2)) != canonical_sha256(certificate)
    assert canonical_sha256(certificate) == hashlib.sha256(canonical_json(certificate).encode()).hexdigest()


def test_canonical_text_is_sorted_dense_and_without_none(certificate):
    text = canonical_json(certificate)
    assert ": " not in text
    assert "null" not in text
    assert text.startswith('{"adjusted":false,"as_found":[{"common":{"gain":0.00025,"offset_w":0.01}')
    assert '"reactive":"lagging","reference_w":50,"temperature_c":23}' in text


def test_schema_names_every_field_and_forbids_others():
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert {"id", "number", "meter", "laboratory", "method", "calibrated_on", "due_on"} == set(schema["required"])
    assert schema["additionalProperties"] is False
    assert all(part.get("additionalProperties") is False for part in schema["$defs"].values() if "properties" in part)


def test_file_is_verified_by_its_bytes(full, certificate):
    verify_file(full, b"pdf")
    with pytest.raises(Refused, match="is not the file") as caught:
        verify_file(full, b"other")
    assert caught.value.refusals[0].code == "hash"
    with pytest.raises(ValueError, match="names no file"):
        verify_file(certificate, b"pdf")


def changed(certificate, **changes):
    return json.dumps({**json.loads(write_json(certificate)), **changes}).encode()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"surprise": 1}, "surprise"),
        ({"version": "1"}, "version"),
        ({"version": True}, "version"),
        ({"adjusted": "no"}, "adjusted"),
        ({"calibrated_on": "02.03.2026"}, "calibrated_on"),
        ({"calibrated_on": "2026-02-30"}, "calibrated_on"),
        ({"due_on": "2020-01-01"}, "not after its calibration"),
        ({"schema_version": 2}, "schema_version"),
        ({"meter": None}, "meter"),
        ({"as_found": []}, "as-found points"),
        ({"as_found": [{"name": "r", "points": []}]}, "points"),
        ({"as_found": [{"name": "r", "points": [{"reference_mw": 5}]}]}, r"as_found\.0\.points\.0"),
        ({"conformity": {"rule": "r", "verdict": "excellent"}}, "verdict"),
    ],
)
def test_wrong_fields_are_named_on_one_line(certificate, changes, words):
    with pytest.raises(CertificateError, match=words) as caught:
        read_json(changed(certificate, **changes))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"{", "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "not JSON"),
        (b"[]", "object"),
        (b"null", "object"),
        (b'{"id": "a", "id": "b"}', "twice"),
        (b'{"version": NaN}', "NaN"),
        (b'{"version": -Infinity}', "Infinity"),
        (b" " * (4 * 1024 * 1024 + 1), "bytes"),
        (b'{"version": ' + b"9" * 5000 + b"}", "not JSON"),
    ],
)
def test_broken_and_hostile_files(content, words):
    with pytest.raises(CertificateError, match=words) as caught:
        read_json(content)
    assert "\n" not in str(caught.value)


@given(st.binary(max_size=200))
def test_any_bytes_give_an_error_and_nothing_else(content):
    with pytest.raises(CertificateError):
        read_json(content)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)


@given(
    st.sampled_from(["id", "meter", "as_found", "as_left", "due_on", "approval", "file", "version", "chain"]),
    json_values,
)
def test_any_value_in_any_place_gives_a_certificate_or_one_line(complaint_of, field, value):
    base = {
        "id": "A", "number": "1", "meter": {"manufacturer": "E", "model": "M", "serial": "S"},
        "laboratory": {"name": "L"}, "method": "m", "calibrated_on": "2026-03-02", "due_on": "2027-03-02",
        "as_found": [
            {"name": "r", "points": [{"reference_w": 100, "indication_w": 100.1, "expanded_u_w": 0.1, "k": 2}]}
        ],
    }  # fmt: skip
    assert "\n" not in complaint_of(read_json, json.dumps({**base, field: value}).encode())
