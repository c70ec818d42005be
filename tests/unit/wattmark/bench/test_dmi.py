"""Memory slots out of dmidecode's text. Field names and values as dmidecode prints them (SMBIOS type 17)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.bench.dmi import parse_memory_devices

TEXT = """# dmidecode 3.3
Getting SMBIOS data from sysfs.
SMBIOS 2.5 present.

Handle 0x0030, DMI type 17, 27 bytes
Memory Device
\tArray Handle: 0x0029
\tTotal Width: 72 bits
\tSize: 1024 MB
\tForm Factor: FB-DIMM
\tLocator: ONBOARD DIMM_A1
\tBank Locator: Branch 0 Channel A
\tType: DDR2 FB-DIMM
\tType Detail: Synchronous
\tPart Number: 18HF12872FD667D6D4

Handle 0x0032, DMI type 17, 27 bytes
Memory Device
\tSize: No Module Installed
\tForm Factor: FB-DIMM
\tLocator: ONBOARD DIMM_A2
\tBank Locator: Branch 0 Channel A
\tType: Unknown
\tPart Number: Not Specified

Handle 0x0039, DMI type 17, 84 bytes
Memory Device
\tSize: 32 GB
\tForm Factor: DIMM
\tLocator: DIMM 1
\tBank Locator: P0 CHANNEL A
\tType: DDR4
\tType Detail: Synchronous Registered (Buffered)
\tRank: 2
\tPart Number: M393A4K40DB2-CVF

Handle 0x0040, DMI type 17, 40 bytes
Memory Device
\tSize: 16 MB
\tForm Factor: Chip
\tLocator: System ROM
\tType: Flash

Handle 0x0041, DMI type 19, 31 bytes
Memory Array Mapped Address
\tRange Size: 64 GB
"""


def test_slots() -> None:
    slots = parse_memory_devices(TEXT)
    assert [(s.locator, s.capacity_gib, s.module_type) for s in slots] == [
        ("ONBOARD DIMM_A1", 1.0, "FB-DIMM"),
        ("ONBOARD DIMM_A2", None, "FB-DIMM"),
        ("DIMM 1", 32.0, "RDIMM"),
    ]
    assert [s.part for s in slots] == ["18HF12872FD667D6D4", None, "M393A4K40DB2-CVF"]


@pytest.mark.parametrize(
    ("form", "detail", "expected"),
    [
        ("DIMM", "Synchronous Unbuffered (Unregistered)", "UDIMM"),
        ("DIMM", "Synchronous LRDIMM", "LRDIMM"),
        ("SODIMM", "Synchronous Unbuffered (Unregistered)", "SO-DIMM"),
        ("DIMM", "Synchronous", None),
    ],
)
def test_module_types(form: str, detail: str, expected: str | None) -> None:
    text = f"Memory Device\n\tSize: 8 GB\n\tForm Factor: {form}\n\tType: DDR4\n\tType Detail: {detail}\n"
    assert parse_memory_devices(text)[0].module_type == expected


@pytest.mark.parametrize("size", ["Unknown", "0 MB", "GB", "-8 GB", "eight"])
def test_a_size_that_tells_nothing_is_no_module(size: str) -> None:
    assert parse_memory_devices(f"Memory Device\n\tSize: {size}\n")[0].capacity_gib is None


@given(st.text(alphabet=st.sampled_from("Memory Device\n\t: SizeGB0123456789NoModule"), max_size=300))
def test_any_text(text: str) -> None:
    for slot in parse_memory_devices(text):
        assert slot.capacity_gib is None or slot.capacity_gib > 0


@given(st.text(max_size=300))
def test_any_text_after_a_device(text: str) -> None:
    assert len(parse_memory_devices(TEXT + text)) >= 3
