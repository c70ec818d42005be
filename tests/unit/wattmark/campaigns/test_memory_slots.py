"""The slots are disclosed without serial numbers, or with the reason why they were not read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from wattmark.campaigns.server_facts import memory_slots
from wattmark.core.errors import WorkloadFailed


class Answer:
    """Stands for a server: prints lines, ends with a status, or cannot start the program."""

    def __init__(self, lines: Sequence[str] = (), status: int = 0, missing: bool = False) -> None:
        self.lines, self.status, self.missing = lines, status, missing

    @asynccontextmanager
    async def start(self, argv: Sequence[str], keep: Callable[[Any], None], environment: Mapping[str, str] | None):
        assert list(argv) == ["dmidecode", "-t", "17"]
        if self.missing:
            raise WorkloadFailed("dmidecode is not there.", "Install it.")
        for text in self.lines:
            keep(type("Line", (), {"text": text})())
        yield self

    async def wait(self) -> tuple[int, float]:
        return self.status, 0.0


async def test_serial_numbers_are_not_kept() -> None:
    slots = await memory_slots(Answer(["Memory Device", "\tSize: 8 GB", "\tSerial Number: 440FEB5D"]))
    assert slots == "Memory Device\n\tSize: 8 GB"


@pytest.mark.parametrize(
    "server",
    [
        Answer(missing=True),
        Answer(["/dev/mem: Permission denied"], status=1),
        Answer(["# No SMBIOS nor DMI entry point"]),
    ],
)
async def test_a_refusal_is_polite(server: Answer) -> None:
    assert await memory_slots(server) is None
