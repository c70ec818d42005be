"""Hostile XML ends in one line, at once, without reading anything else."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_calibration.dcc import safe_xml
from wattmark_calibration.dcc.safe_xml import parse_xml
from wattmark_calibration.errors import CertificateError

LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
BOMB = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]><r>&l9;</r>'
QUADRATIC = f'<!DOCTYPE r [<!ENTITY a "{"x" * 100_000}">]><r>{"&a;" * 10_000}</r>'


def test_plain_xml_becomes_a_tree_as_elementtree_names_it():
    root = parse_xml('<a:r xmlns:a="urn:x" xmlns="urn:y" k="1" a:l="2">é<b/>t&amp;<![CDATA[<c>]]></a:r>'.encode())
    assert root.tag == "{urn:x}r"
    assert root.attrib == {"k": "1", "{urn:x}l": "2"}
    assert root.text == "é"
    assert root[0].tag == "{urn:y}b"
    assert root[0].tail == "t&<c>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_encodings(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><r>é</r>'
    assert parse_xml(text.encode(encoding)).text == "é"


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        QUADRATIC,
        "<!DOCTYPE r><r/>",
        '<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>',
        '<!DOCTYPE r PUBLIC "-//X" "http://127.0.0.1:9/x.dtd"><r/>',
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>',
        '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p"> %p;]><r/>',
        '<!DOCTYPE r [<!ATTLIST r a CDATA "x">]><r/>',
        '<!DOCTYPE r [<!NOTATION n SYSTEM "n"><!ENTITY u SYSTEM "u" NDATA n>]><r/>',
    ],
)
def test_document_types_and_entities_are_refused_before_they_expand(text):
    tracemalloc.start()
    for encoding in ("utf-8", "utf-16"):
        with pytest.raises(CertificateError, match="declares a document type"):
            parse_xml(text.encode(encoding))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_undeclared_entities_are_no_xml():
    with pytest.raises(CertificateError, match="not well-formed"):
        parse_xml(b"<r>&x;</r>")


def test_nothing_is_opened(monkeypatch):
    def opened(*_args, **_kwargs):
        pytest.fail("the parser opened something")

    monkeypatch.setattr("builtins.open", opened)
    monkeypatch.setattr("urllib.request.urlopen", opened)
    include = b'<r xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd"/></r>'
    assert len(parse_xml(include)) == 1


def test_depth_is_bounded():
    assert parse_xml(b"<a>" * 100 + b"</a>" * 100).tag == "a"
    with pytest.raises(CertificateError, match="deeper than 100"):
        parse_xml(b"<a>" * 1_000_000)


def test_number_of_elements_and_attributes_is_bounded(monkeypatch):
    monkeypatch.setattr(safe_xml, "MOST_ELEMENTS", 50)
    with pytest.raises(CertificateError, match="more than 50 elements"):
        parse_xml(b"<r>" + b"<a/>" * 50 + b"</r>")
    attributes = " ".join(f'a{i}="1"' for i in range(101))
    with pytest.raises(CertificateError, match="attributes"):
        parse_xml(f"<r {attributes}/>".encode())


def test_size_is_bounded():
    with pytest.raises(CertificateError, match="bytes"):
        parse_xml(b" " * (safe_xml.LARGEST_FILE + 1))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<r>",
        b"<r></s>",
        b"<r/><r/>",
        b'<r a="1" a="2"/>',
        b"<p:r/>",
        b'<?xml version="1.0" encoding="none-such"?><r/>',
        b'<?xml version="1.0" encoding="utf-7"?><r/>',
        b'<?xml version="1.0" encoding="rot13"?><r/>',
        b"<r>\xff</r>",
        b"<r>\x00</r>",
        b"PK\x03\x04",
        b"%PDF-1.7",
    ],
)
def test_what_is_no_xml(content):
    with pytest.raises(CertificateError) as caught:
        parse_xml(content)
    assert "\n" not in str(caught.value)


@given(st.binary(max_size=200) | st.text(alphabet="<>&;!/\"'= ar[]%-?DOCTYPEN", max_size=80).map(str.encode))
def test_any_bytes_give_a_tree_or_one_line(complaint_of, content):
    assert "\n" not in complaint_of(parse_xml, content)
