"""The pipe for marks, into which anybody of this user may write anything, as fast as he can."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from wattmark.campaigns.marker_pipe import MarkerPipe
from wattmark.workloads.markers import parse_marker
from wattmark.workloads.parsers.bounds import BURST_S, MARKS_PER_S


@pytest.fixture
async def taken_lines(tmp_path: Path) -> AsyncIterator[list[str]]:
    lines: list[str] = []

    def take(line: str) -> None:
        lines.append(line)
        parse_marker(line)

    pipe = MarkerPipe(tmp_path, take)
    pipe.open()
    yield lines
    pipe.close()
    assert not (tmp_path / "markers").exists()


async def write(path: Path, data: bytes, most_turns: int) -> int:
    """Write as fast as the pipe takes it, for so many turns of the loop; gives how many turns it was full."""
    full, fd = 0, os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    try:
        for _ in range(most_turns):
            try:
                os.write(fd, data)
            except BlockingIOError:
                full += 1
            await asyncio.sleep(0)
    finally:
        os.close(fd)
    return full


@pytest.mark.parametrize("line", [b"y\n", b"1\n"], ids=["no marks", "marks"])
async def test_a_flood_waits_in_the_pipe_and_not_in_memory(line: bytes, taken_lines: list[str], tmp_path: Path) -> None:
    """The loop goes on meanwhile: what is written too fast is simply not read for a while."""
    full = await write(tmp_path / "markers", line * 1000, most_turns=2000)
    assert full > 1000
    assert len(taken_lines) < 3 * MARKS_PER_S * BURST_S


async def test_many_lines_that_are_no_marks_do_not_fill_the_log(
    taken_lines: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await write(tmp_path / "markers", b"y\n" * 1000, most_turns=500)
    assert len(taken_lines) > 5000
    messages = [record.getMessage() for record in caplog.records]
    assert 1 <= len(messages) < 60
    assert "'y' is not a marker" in messages[0]


async def test_marks_at_their_ordinary_pace_all_arrive(taken_lines: list[str], tmp_path: Path) -> None:
    await write(tmp_path / "markers", b"begin\n", most_turns=1)
    await write(tmp_path / "markers", b"value 12\n", most_turns=300)
    async with asyncio.timeout(30):
        while len(taken_lines) < 301:
            await asyncio.sleep(0.01)
    assert taken_lines == ["begin", *["value 12"] * 300]
