"""Memory slots out of dmidecode's text. Field names and values as dmidecode prints them (SMBIOS type 17)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.bench.dmi import parse_memory_devices, slot_names

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
def test_a_size_that_tells_nothing_is_none(size: str) -> None:
    (slot,) = parse_memory_devices(f"Memory Device\n\tSize: {size}\n")
    assert slot.capacity_gib is None
    # DSP0134, 7.18: a size of 0 is an empty socket, FFFFh (dmidecode: Unknown) a module of unknown size
    assert slot.filled is (size == "Unknown")


OPTANE = """Memory Device
\tSize: 256 GB
\tForm Factor: DIMM
\tLocator: DIMMB1
\tType: Logical non-volatile device
\tType Detail: Synchronous Non-Volatile LRDIMM
\tSpeed: 3200 MT/s
\tPart Number: NMB1XXD256GPS
\tConfigured Memory Speed: 2933 MT/s
\tMemory Technology: Intel Optane DC persistent memory
"""
"""As dmidecode prints it of a server with Optane, abridged."""


@pytest.mark.parametrize(
    "text",
    [
        OPTANE,
        OPTANE.replace("Logical non-volatile device", "DDR4"),  # firmware before SMBIOS 3.2 has no such type
        OPTANE.replace("Non-Volatile ", ""),
        OPTANE.replace("Logical non-volatile device", "DDR4").replace("Non-Volatile LRDIMM", "Registered (Buffered)"),
        OPTANE.replace("Intel Optane DC persistent memory", "NVDIMM-P"),
        # a dmidecode before SMBIOS 3.2 knows neither the type nor the technology
        OPTANE.replace("Logical non-volatile device", "<OUT OF SPEC>").partition("\tMemory Technology")[0],
    ],
)
def test_persistent_memory_is_told_from_dimms(text: str) -> None:
    (slot,) = parse_memory_devices(text)
    assert (slot.module_type, slot.capacity_gib, slot.speed_mts, slot.rated_mts) == ("PMem", 256.0, 2933, 3200)


@pytest.mark.parametrize("technology", ["\tMemory Technology: NVDIMM-N\n", "\tMemory Technology: Unknown\n", ""])
@pytest.mark.parametrize("non_volatile", ["Non-Volatile ", ""])
def test_an_nvdimm_n_is_dram(technology: str, non_volatile: str) -> None:
    """JESD245: it works as DRAM, and is saved when power fails. SMBIOS has Non-volatile (7.18.3, bit 12) for it too."""
    text = (
        "Memory Device\n\tSize: 16 GB\n\tForm Factor: DIMM\n\tType: DDR4\n"
        f"\tType Detail: Synchronous {non_volatile}Registered (Buffered)\n{technology}"
    )
    assert parse_memory_devices(text)[0].module_type == "RDIMM"


@pytest.mark.parametrize("kind", ["HBM", "HBM2", "HBM3", "Flash", "ROM", "EEPROM", "EPROM", "FEPROM"])
def test_chips_of_firmware_and_of_a_package_are_in_no_slot(kind: str) -> None:
    """DSP0134, 7.18.2: 08h to 0Ch are read-only memories, 20h, 21h and 24h memory in the package of a processor."""
    assert parse_memory_devices(f"Memory Device\n\tSize: 16 GB\n\tForm Factor: Die\n\tType: {kind}\n") == ()


@pytest.mark.parametrize(
    ("lines", "set_mts", "rated_mts"),
    [
        ("\tSpeed: 3200 MT/s\n\tConfigured Memory Speed: 2933 MT/s\n", 2933, 3200),
        ("\tSpeed: 1600 MHz\n\tConfigured Clock Speed: 1333 MHz\n", 1333, 1600),
        ("\tSpeed: 667 MHz\n", None, 667),
        ("\tSpeed: 3200 MT/s\n\tConfigured Memory Speed: Unknown\n", None, 3200),
    ],
)
def test_the_speed_that_is_set_is_told_from_that_of_the_module(
    lines: str, set_mts: int | None, rated_mts: int | None
) -> None:
    """DSP0134, 7.18: Speed is the maximum capable speed of the device, Configured Memory Speed what it runs at."""
    (slot,) = parse_memory_devices(f"Memory Device\n\tSize: 8 GB\n{lines}")
    assert (slot.speed_mts, slot.rated_mts) == (set_mts, rated_mts)


def test_slots_of_one_name_have_names_of_their_own() -> None:
    text = "".join(f"Memory Device\n\tSize: 8 GB\n\tLocator: {name}\n" for name in ("A1", "A1", "A1.2", "B1"))
    names = slot_names(parse_memory_devices(text))
    assert names == ["A1", "A1.2", "A1.2.2", "B1"]


@given(st.text(alphabet=st.sampled_from("Memory Device\n\t: SizeGB0123456789NoModule"), max_size=300))
def test_any_text(text: str) -> None:
    for slot in parse_memory_devices(text):
        assert slot.capacity_gib is None or slot.capacity_gib > 0


@given(st.text(max_size=300))
def test_any_text_after_a_device(text: str) -> None:
    assert len(parse_memory_devices(TEXT + text)) >= 3
