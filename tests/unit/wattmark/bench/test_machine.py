"""What lscpu (util-linux), os-release(5) and dmidecode print becomes a configuration that the bench file takes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.bench.configuration import Configuration
from wattmark.bench.machine import COMMANDS, describe_machine
from wattmark.bench.routes.machine import _read
from wattmark.bench.slot_ways import WAYS
from wattmark.core.errors import WorkloadFailed

LSCPU = """Architecture:          x86_64
CPU(s):                4
On-line CPU(s) list:   0-3
Thread(s) per core:    1
Core(s) per socket:    2
Socket(s):             2
Vendor ID:             GenuineIntel
Model name:            Intel(R) Xeon(R) CPU            5160  @ 3.00GHz
CPU MHz:               2999.998
"""
OS_RELEASE = """NAME="Debian GNU/Linux"
PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
ID=debian
"""
FB_DIMM = """Handle 0x0030, DMI type 17, 27 bytes
Memory Device
\tSize: 1024 MB
\tForm Factor: FB-DIMM
\tLocator: ONBOARD DIMM_A1
\tBank Locator: Branch 0 Channel A
\tType: DDR2 FB-DIMM
\tSpeed: 667 MHz
\tPart Number: 18HF12872FD667D6D4

Handle 0x0032, DMI type 17, 27 bytes
Memory Device
\tSize: No Module Installed
\tForm Factor: FB-DIMM
\tLocator: ONBOARD DIMM_B1
\tBank Locator: Branch 0 Channel B
"""
DDR4 = """Memory Device
\tSize: 32 GB
\tForm Factor: DIMM
\tLocator: DIMM 1
\tBank Locator: P0 CHANNEL A
\tType Detail: Synchronous Registered (Buffered)
\tSpeed: 3200 MT/s
\tRank: 2
\tConfigured Memory Speed: 2933 MT/s

Memory Device
\tSize: 32 GB
\tForm Factor: DIMM
\tLocator: DIMM 1
\tBank Locator: P1 CHANNEL A
\tType Detail: Synchronous Registered (Buffered)
"""


def answers(slots: str) -> dict[str, str]:
    return {"host": "woodcrest\n", "kernel": "6.1.0-18-amd64\n", "lscpu": LSCPU, "os": OS_RELEASE, "slots": slots}


def test_a_server_with_fb_dimms() -> None:
    machine = describe_machine(answers(FB_DIMM))
    assert machine.host == "woodcrest"
    assert machine.notes == ["The firmware states only the highest speed of the module in 1 slot. Check it."]
    whole = Configuration(id="c", **machine.configuration)
    assert whole.cpu.model == "Intel(R) Xeon(R) CPU 5160 @ 3.00GHz"
    assert (whole.cpu.sockets, whole.cpu.cores, whole.cpu.threads, whole.cpu.clock_mhz) == (2, 4, 4, 3000)
    assert (whole.os.name, whole.os.kernel) == ("Debian GNU/Linux 12 (bookworm)", "6.1.0-18-amd64")
    assert whole.memory is not None
    assert list(whole.memory.slots) == ["ONBOARD_DIMM_A1", "ONBOARD_DIMM_B1"]
    module = whole.memory.slots["ONBOARD_DIMM_A1"]
    assert module is not None
    assert (module.type, module.capacity_gib, module.speed_mts, module.part) == (
        "FB-DIMM",
        1.0,
        667,
        "18HF12872FD667D6D4",
    )
    assert module.channel == "Branch_0_Channel_A"
    assert whole.dimm_count == 1


def test_slots_that_share_a_name_are_told_apart_by_their_bank() -> None:
    whole = Configuration(id="c", **describe_machine(answers(DDR4)).configuration)
    assert whole.memory is not None
    assert list(whole.memory.slots) == ["P0_CHANNEL_A_DIMM_1", "P1_CHANNEL_A_DIMM_1"]
    first = whole.memory.slots["P0_CHANNEL_A_DIMM_1"]
    assert first is not None
    assert (first.type, first.speed_mts, first.ranks, first.channel) == ("RDIMM", 2933, 2, "P0_CHANNEL_A")


def test_what_is_not_told_is_named_with_what_to_do() -> None:
    machine = describe_machine(dict.fromkeys(COMMANDS, ""))
    assert machine.configuration == {}
    processor, slots = machine.notes
    assert "lscpu is missing" in processor
    assert "need root there. Install wattmark-inventory.service" in slots


def test_a_module_of_unknown_type_is_left_to_a_person() -> None:
    machine = describe_machine(answers("Memory Device\n\tSize: 8 GB\n\tForm Factor: DIMM\n\tLocator: A1\n"))
    assert machine.configuration["memory"]["slots"]["A1"] == {"capacity_gib": 8.0}
    assert machine.notes == ["The firmware does not name the type of the module in 1 slot. Choose it."]


def test_a_module_that_the_firmware_does_not_describe_is_no_empty_slot() -> None:
    fitted = "Memory Device\n\tSize: 8 GB\n\tType Detail: Registered\n\tLocator: A1\n"
    machine = describe_machine(answers(f"{fitted}\nMemory Device\n\tSize: Unknown\n\tLocator: A2\n"))
    assert list(machine.configuration["memory"]["slots"]) == ["A1"]
    assert machine.notes == ["The firmware does not know the size of the module in A2. Enter it."]


BOOT = "0b7c1e2a-5a0e-4a63-9c37-9a64e3b1f001"


@pytest.mark.parametrize(
    ("first", "believed"),
    [(f"# boot {BOOT}", True), (f"# boot {BOOT.replace('0b', '0c')}", False), ("# dmidecode 3.4", False)],
)
async def test_the_file_of_another_boot_fills_in_nothing(first: str, believed: bool) -> None:
    told = {COMMANDS["boot"]: f"{BOOT}\n", WAYS["file"].command: f"{first}\n{DDR4}"}

    async def run(argv: Sequence[str]) -> bytes:
        if tuple(argv) not in told:
            raise WorkloadFailed(f"{argv[0]} is not there.")
        return told[tuple(argv)].encode()

    machine = await _read(run, sudo=False)
    assert ("memory" in machine.configuration) is believed


@pytest.mark.parametrize("sudo", [True, False])
async def test_sudo_is_asked_only_where_somebody_says_that_it_answers(sudo: bool) -> None:
    asked = []

    async def run(argv: Sequence[str]) -> bytes:
        asked.append(argv[0])
        return b""

    await _read(run, sudo=sudo)
    assert ("sudo" in asked) is sudo


@given(st.fixed_dictionaries({name: st.text(max_size=300) for name in COMMANDS}))
def test_any_answer_is_read_without_an_error(answers: dict[str, str]) -> None:
    describe_machine(answers)
