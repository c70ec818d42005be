"""The slots are disclosed without serial numbers and with the way they were read, or with the reasons why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from wattmark.bench.slot_ways import INVENTORY_FILE
from wattmark.campaigns import server_facts
from wattmark.campaigns.server_facts import memory_slots
from wattmark.core.errors import WorkloadFailed

BOOT = "0b7c1e2a-5a0e-4a63-9c37-9a64e3b1f001"
TEXT = ("Memory Device", "\tSize: 8 GB", "\tSerial Number: 440FEB5D", "\tAsset Tag: DIMM-A1")
KEPT = "Memory Device\n\tSize: 8 GB"
DIRECT, FILE = ("dmidecode", "-t", "17"), ("cat", INVENTORY_FILE)
OF_THIS_BOOT = (f"# boot {BOOT}", *TEXT)
SUDO = ("sudo", "-n", "/usr/sbin/dmidecode", "-t", "17")
REFUSED = (["/dev/mem: Permission denied"], 1)


class Server:
    """Answers commands with lines and a status; a program without an answer cannot be started."""

    def __init__(self, answers: Mapping[tuple[str, ...], tuple[Sequence[str], int]]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, ...]] = []

    @asynccontextmanager
    async def start(self, argv: Sequence[str], keep: Callable[[Any], None], environment: Mapping[str, str] | None):
        self.asked.append(tuple(argv))
        if tuple(argv) not in self.answers:
            raise WorkloadFailed(f"{argv[0]} is not there.", "Install it.")
        lines, self.status = self.answers[tuple(argv)]
        for text in lines:
            keep(type("Line", (), {"text": text})())
        yield self

    async def wait(self) -> tuple[int, float]:
        return self.status, 0.0


@pytest.mark.parametrize(
    ("answers", "way", "asked"),
    [
        ({DIRECT: (TEXT, 0)}, "dmidecode", [DIRECT]),
        ({DIRECT: REFUSED, FILE: (OF_THIS_BOOT, 0)}, "file", [DIRECT, FILE]),
        ({FILE: (OF_THIS_BOOT, 0)}, "file", [DIRECT, FILE]),
        ({DIRECT: REFUSED, FILE: ([], 1), SUDO: (TEXT, 0)}, "sudo", [DIRECT, FILE, SUDO]),
    ],
)
async def test_the_first_way_that_works_is_taken(answers, way, asked) -> None:
    server = Server(answers)
    slots = await memory_slots(server, here=False, boot=BOOT, sudo=True)
    assert (slots.way, slots.unread, server.asked) == (way, None, asked)
    assert (slots.text or "").endswith(KEPT)


async def test_a_list_that_is_too_long_is_not_taken_without_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slots at its end would look like none."""
    monkeypatch.setattr(server_facts, "MOST_LINES", len(TEXT))
    assert (await memory_slots(Server({DIRECT: (TEXT, 0)}), here=True)).text == KEPT
    longer = await memory_slots(Server({DIRECT: ((*TEXT, "\tRank: 1"), 0)}), here=True)
    assert longer.text is None


async def test_sudo_is_for_servers_over_ssh_alone() -> None:
    server = Server({SUDO: (TEXT, 0)})
    slots = await memory_slots(server, here=True, sudo=True)
    assert (slots.text, server.asked) == (None, [DIRECT, FILE])


async def test_sudo_is_not_tried_where_the_bench_file_does_not_say_that_it_works() -> None:
    """sudo reports an attempt that it does not allow to root: sudoers(5), mail_no_user."""
    server = Server({SUDO: (TEXT, 0)})
    slots = await memory_slots(server, here=False, boot=BOOT)
    assert (slots.text, server.asked) == (None, [DIRECT, FILE])
    assert "sudo is not tried without sudo_dmidecode: true in the bench file" in (slots.unread or "")


@pytest.mark.parametrize(
    ("first", "boot", "why"),
    [
        (f"# boot {BOOT.replace('0b', '0c')}", BOOT, f"{INVENTORY_FILE} was written in an earlier boot"),
        ("# dmidecode 3.4", BOOT, f"{INVENTORY_FILE} does not begin with the boot in which it was written"),
        (f" # boot {BOOT}", BOOT, f"{INVENTORY_FILE} does not begin with the boot in which it was written"),
        (f"# boot {BOOT}", None, f"the present boot is not known, and {INVENTORY_FILE} may be of an earlier one"),
    ],
)
async def test_a_file_that_need_not_be_of_this_boot_is_not_believed(first: str, boot: str | None, why: str) -> None:
    slots = await memory_slots(Server({FILE: ((first, *TEXT), 0)}), here=True, boot=boot)
    assert slots.text is None
    assert why in (slots.unread or "")
    assert "Install wattmark-inventory.service" in (slots.unread or "")


async def test_a_serial_number_in_a_file_that_was_written_otherwise_is_not_kept() -> None:
    system = ("System Information", "\tSerial Number: MXQ1", "\tUUID: 36383150-3630-584D-5130-313930323042")
    lines = (f"# boot {BOOT}", *system, *TEXT)
    slots = await memory_slots(Server({FILE: (lines, 0)}), here=True, boot=BOOT)
    assert slots.text == f"# boot {BOOT}\nSystem Information\n{KEPT}"


@pytest.mark.parametrize(
    ("answers", "reasons"),
    [
        ({}, ["dmidecode is not there", "is not in its group", "sudo does not allow"]),
        ({DIRECT: REFUSED}, ["which needs root", "is not in its group", "sudo does not allow"]),
        ({DIRECT: (["# No SMBIOS nor DMI entry point"], 0)}, ["dmidecode lists no memory device"]),
        ({FILE: (["nothing"], 0)}, [f"{INVENTORY_FILE} lists no memory device"]),
    ],
)
async def test_a_refusal_names_each_way_and_what_to_do(answers, reasons) -> None:
    slots = await memory_slots(Server(answers), here=False, boot=BOOT, sudo=True)
    assert (slots.text, slots.way) == (None, None)
    assert all(reason in (slots.unread or "") for reason in reasons), slots.unread
    assert "Install wattmark-inventory.service" in (slots.unread or "")
