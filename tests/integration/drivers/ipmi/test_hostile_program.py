"""An ipmitool that says anything: the driver gives right values, a gap or a reason, and never another's answer."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path

import pytest
import uvloop
from wattmark_drivers.errors import DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.ipmi import shell
from wattmark_drivers.ipmi.child import IpmitoolChild, ShellEnded
from wattmark_drivers.settings import MeterSettings

PROGRAM = """#!{python}
import pathlib, sys
folder = pathlib.Path({folder!r})
out = sys.stdout.buffer
out.write(b"ipmitool> ")
out.flush()
for line in sys.stdin:
    if line.startswith("exit"):
        break
    name = "dcmi" if line.startswith("raw 0x2c") else "sdr" if line.startswith("sdr") else "raw"
    errors = folder / (name + ".err")
    if errors.exists():
        sys.stderr.buffer.write(errors.read_bytes())
        sys.stderr.flush()
    out.write(line.encode() + (folder / name).read_bytes() + b"ipmitool> ")
    out.flush()
"""
POWER = b" dc 6f 02 6f 02 6f 02 6f 02 b1 91 00 6b f8 18 03\n 00 40\n"
SENSORS = b"PSU1 Input Power | 05h | ok  | 10.1 | 312 Watts\n"


@pytest.fixture
def program(tmp_path, monkeypatch) -> Path:
    """Put an ipmitool of ours first on the path; its answers are files."""
    (tmp_path / "ipmitool").write_text(PROGRAM.format(python=sys.executable, folder=str(tmp_path)))
    (tmp_path / "ipmitool").chmod(0o755)
    for name, answer in (("dcmi", POWER), ("sdr", SENSORS), ("raw", b" 4e c0 00\n")):
        (tmp_path / name).write_bytes(answer)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


@pytest.fixture
async def opened(program):
    session = create_meter(MeterSettings("bmc", "ipmi.bmc", "ipmi://127.0.0.1", username="u", timeout_s=5))
    await session.open()
    yield session
    await session.close()


async def poll(session) -> dict[str, float]:
    return {reading.channel: reading.value for reading in await session.read() if reading.quality.usable}


async def test_our_program_is_understood(opened):
    assert await poll(opened) == {"power": 623, "psu1_input_power": 312}


@pytest.mark.parametrize(
    "answer", [b"\xff\xfe\x00\n", b"", b"\x1b[2J" + POWER, POWER * 2, b" dc\n", b"A" * 5000 + b"\n"]
)
async def test_noise_is_no_power(program, opened, answer):
    (program / "dcmi").write_bytes(answer)
    for _ in range(3):
        with pytest.raises(DriverError):
            await opened.read()
    (program / "dcmi").write_bytes(POWER)
    assert (await poll(opened))["power"] == 623


@pytest.mark.parametrize("name", [b"ipmitool> ", b"PSU ipmitool> "])
async def test_a_prompt_inside_an_answer_never_moves_answers_to_other_questions(program, opened, name):
    (program / "sdr").write_bytes(name + b"| 05h | ok  | 10.1 | 999 Watts\n" + SENSORS)
    pid = opened._shell.child.pid
    for watts in (600, 601, 602, 603):
        opened._sensors_due_ns = 0
        (program / "dcmi").write_bytes(POWER.replace(b"6f 02", watts.to_bytes(2, "little").hex(" ").encode(), 1))
        with contextlib.suppress(DriverError):
            values = await poll(opened)
            assert values.get("power", watts) == watts
            assert 999 not in values.values()
    assert opened._shell.child.pid != pid
    (program / "sdr").write_bytes(SENSORS)
    assert (await poll(opened))["power"] == 603


async def test_endless_output_and_errors_end_in_a_new_session(program, opened, monkeypatch):
    (program / "dcmi").write_bytes(b"x" * (3 << 20))
    with pytest.raises(DriverError):
        await opened.read()
    (program / "dcmi").write_bytes(POWER)
    (program / "dcmi.err").write_bytes(b"e" * (1 << 20))
    monkeypatch.setattr(opened, "_timeout_s", 0.5)
    with pytest.raises(DriverError):
        await opened.read()
    (program / "dcmi.err").unlink()
    monkeypatch.setattr(opened, "_timeout_s", shell.START_TIMEOUT_S)
    assert (await poll(opened))["power"] == 623


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_one_that_has_ended_is_said_to_have_ended_on_every_event_loop(tmp_path, monkeypatch, loop):
    """A refused password ends ipmitool, on a busy machine before anything is written to it."""
    (tmp_path / "ipmitool").write_text("#!/bin/sh\nprintf 'ipmitool> '\n")
    (tmp_path / "ipmitool").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    child = IpmitoolChild()

    async def ask() -> None:
        await child.start([], "", 30)
        await child._process.wait()
        while not child._process.stdin.is_closing():
            await asyncio.sleep(0.01)
        await child.ask("raw 0x06 0x01", 30)

    async def scenario() -> None:
        with pytest.raises(ShellEnded):
            await ask()
        await child.end()

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(scenario())
