"""A PTB DCC from upload to corrected power; its table's name becomes the meter's range."""

from __future__ import annotations

import pytest

U = """<si:expandedUncXMLList><si:uncertaintyXMLList>0.0515 0.1403 0.5389</si:uncertaintyXMLList>
<si:coverageFactorXMLList>2</si:coverageFactorXMLList><si:coverageProbabilityXMLList>0.95</si:coverageProbabilityXMLList>
</si:expandedUncXMLList>"""


def quantity(kind: str, values: str, unit: str = r"\watt", more: str = "") -> str:
    return (
        f'<dcc:quantity refType="{kind}"><si:realListXMLList><si:valueXMLList>{values}</si:valueXMLList>'
        f"<si:unitXMLList>{unit}</si:unitXMLList>{more}</si:realListXMLList></dcc:quantity>"
    )


def document(unit: str = r"\watt", head: str = "") -> bytes:
    table = (
        quantity("basic_referenceValue", "50 250 1000", unit)
        + quantity("basic_measuredValue", "50.21 250.62 1002.21", unit, U)
        + quantity("electrical_powerFactor", "1", r"\one")
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>{head}
<dcc:digitalCalibrationCertificate xmlns:dcc="https://ptb.de/dcc" xmlns:si="https://ptb.de/si" schemaVersion="3.1.1">
<dcc:administrativeData>
  <dcc:coreData><dcc:uniqueIdentifier>DCC-1</dcc:uniqueIdentifier>
    <dcc:endPerformanceDate>2025-03-02</dcc:endPerformanceDate></dcc:coreData>
  <dcc:items><dcc:item><dcc:name><dcc:content>Power meter</dcc:content></dcc:name><dcc:model>PM1</dcc:model>
    <dcc:identifications><dcc:identification><dcc:issuer>manufacturer</dcc:issuer><dcc:value>SN-1</dcc:value>
    </dcc:identification></dcc:identifications></dcc:item></dcc:items>
  <dcc:calibrationLaboratory><dcc:contact><dcc:name><dcc:content>Example Laboratory</dcc:content></dcc:name>
    </dcc:contact></dcc:calibrationLaboratory>
</dcc:administrativeData>
<dcc:measurementResults><dcc:measurementResult><dcc:results><dcc:result>
  <dcc:name><dcc:content>300 V, 5 A</dcc:content></dcc:name><dcc:data><dcc:list>{table}</dcc:list></dcc:data>
</dcc:result></dcc:results></dcc:measurementResult></dcc:measurementResults>
</dcc:digitalCalibrationCertificate>""".encode()


@pytest.fixture
def files(lab, tmp_path):
    lab.measure(watts=250.62, day="2025-06-01")
    lab.storage.close()

    def write(content: bytes):
        path = tmp_path / "dcc.xml"
        path.write_bytes(content)
        return path, lab.folder

    return write


def test_a_dcc_corrects_after_its_range_is_named(answer, files):
    path, folder = files(document())
    code, problem = answer("certificate", "add", path, "--data", folder)
    assert (code, "Enter the due date" in problem["error"]["cause"]) == (2, True)
    rename = ("--due", "2026-03-02", "--range", "300 V, 5 A=300V/5A")
    code, made = answer("certificate", "add", path, *rename, "--data", folder)
    assert (code, made["certificate"]["id"], made["certificate"]["ranges"]) == (0, "DCC-1", ["300V/5A"])
    _, again = answer("certificate", "recompute", "r1", "--by", "A", "--reason", "the DCC came", "--data", folder)
    assert again[0]["certificates"] == ["certificate DCC-1 v1"]
    # at a calibrated point: the reference, within the curve's distance from the point
    assert again[0]["result"]["power"]["value"] == pytest.approx(250.0, abs=0.02)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (document(r"\volt"), "must be in W"),
        (document(head='<!DOCTYPE a [<!ENTITY b "c">]>'), "document type"),
        (document().replace(b"3.1.1", b"2.4.0"), "not a DCC 3.x"),
        (document()[:-40], "not well-formed"),
    ],
)
def test_bad_ones_change_nothing(answer, files, content, complaint):
    path, folder = files(content)
    code, problem = answer("certificate", "add", path, "--due", "2026-03-02", "--data", folder)
    assert (code, complaint in problem["error"]["cause"]) == (2, True), problem
    assert answer("certificate", "list", "--data", folder)[1]["certificates"] == []
