"""Words that firmware prints where nobody wrote a part number or a maker, and part numbers that look like them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.stated_text import stated


@pytest.mark.parametrize(
    "text",
    [
        None, "", "   ", "N/A", "NA", "None", "NULL", "Unknown", "UNKNOWN", "Undefined", "Not Specified",
        "NOT_SPECIFIED",
        "Not Available", "Not Present", "Not Installed", "NO DIMM", "NODIMM", "No Module Installed", "[Empty]",
        "<BAD INDEX>", "<OUT OF SPEC>", "To Be Filled By O.E.M.", "To be filled by OEM", "Default string", "Part Num",
        "PartNum0", "Part Number", "ModulePartNumber00", "Array1_PartNumber0", "Array1_Manufacturer0", "Manufacturer00",
        "0x0000", "0000000000", "0xFFFF", "FFFFFFFF", "-", "...",
    ],
)  # fmt: skip
def test_what_stands_for_nothing_is_nothing(text: str | None) -> None:
    """ "Not Specified" and "<BAD INDEX>" are dmidecode's words; the others are what boards have there."""
    assert stated(text) is None


@pytest.mark.parametrize(
    "part",
    [
        "M393A2K43DB2-CWE", "HMA82GR7CJR4N-XN", "18HF12872FD667D6D4", "9965745-002.A00G", "NMB1XXD256GPS", "P11442-191",
        "PARTNUM-XN", "Nanya", "NT8GA72D89CX3K-HR", "OEM-4711", "0x2C", "F0",
    ],
)  # fmt: skip
def test_a_part_number_is_kept_as_it_is_printed(part: str) -> None:
    assert stated(f" {part}  ") == part


@given(st.text(max_size=40))
def test_any_text(text: str) -> None:
    assert stated(text) in (None, text.strip())
