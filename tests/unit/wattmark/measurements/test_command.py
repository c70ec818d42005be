"""A command runs as without wattmark: exit status, streams, environment, and what its lines say on the way."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from wattmark.core.errors import InputError
from wattmark.measurements.command import Ended, NotStarted, run_command
from wattmark.measurements.work_count import PrintedWork, read_pattern
from wattmark_drivers.clock import SystemClock

ENVIRONMENT = {"PATH": os.environ["PATH"], "MARK": "here"}


async def run(script: str, capfd: pytest.CaptureFixture[str], **options: object) -> tuple[Ended, str, str]:
    ended = await run_command(["sh", "-c", script], ENVIRONMENT, SystemClock(), **options)  # type: ignore[arg-type]
    out, err = capfd.readouterr()
    return ended, out, err


@pytest.mark.parametrize(
    ("script", "status", "name"),
    [("exit 0", 0, None), ("exit 7", 7, None), ("kill -9 $$", 137, "SIGKILL"), ("kill -TERM $$", 143, "SIGTERM")],
)
async def test_the_exit_status_is_that_of_a_shell(
    capfd: pytest.CaptureFixture[str], script: str, status: int, name: str | None
) -> None:
    ended, _, _ = await run(script, capfd)
    assert (ended.status, ended.signal, ended.interrupted) == (status, name, False)
    assert ended.end.since(ended.begin) > 0


@pytest.mark.parametrize("lines", [None, []])
async def test_streams_and_environment_are_its_own(
    capfd: pytest.CaptureFixture[str], lines: list[bytes] | None
) -> None:
    on_line = None if lines is None else lines.append
    _, out, err = await run("echo $MARK; echo wrong >&2", capfd, on_line=on_line)
    assert (out, err) == ("here\n", "wrong\n")
    assert lines is None or sorted(lines) == [b"here", b"wrong"]


@pytest.mark.parametrize("on_line", [None, lambda _: None])
async def test_its_output_leaves_standard_output_free_on_request(
    capfd: pytest.CaptureFixture[str], on_line: object
) -> None:
    _, out, err = await run("echo here; echo wrong >&2", capfd, on_line=on_line, to_stderr=True)
    assert (out, err) == ("", "here\nwrong\n")


async def test_a_flood_is_copied_whole_and_long_lines_are_cut_for_the_pattern(
    capfd: pytest.CaptureFixture[str],
) -> None:
    lines: list[bytes] = []
    _, out, _ = await run("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end", capfd, on_line=lines.append)
    assert len(out) == 1_000_000 + len("\nend\n")
    assert [len(line) for line in lines] == [2**16, 3]


async def test_a_background_process_does_not_keep_it(capfd: pytest.CaptureFixture[str]) -> None:
    ended, out, _ = await run("sleep 30 & echo begun", capfd, on_line=lambda _: None)
    assert ended.end.since(ended.begin) < 5
    assert out == "begun\n"


async def test_its_cpu_time_holds_what_it_forked(capfd: pytest.CaptureFixture[str]) -> None:
    burn = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
    ended, _, _ = await run(f"({burn}) & ({burn}) & wait", capfd)
    assert ended.cpu_s > 0.05


@pytest.mark.parametrize(("mode", "status"), [(None, 127), (0o644, 126)])
async def test_what_cannot_be_started_is_said_with_the_status_of_a_shell(
    tmp_path: Path, mode: int | None, status: int
) -> None:
    program = tmp_path / "program"
    if mode is not None:
        program.write_text("#!/bin/sh\n")
        program.chmod(mode)
    with pytest.raises(NotStarted) as error:
        await run_command([str(program)], ENVIRONMENT, SystemClock())
    assert error.value.exit_code == status


async def test_a_signal_from_the_keyboard_is_left_to_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    """It is sent to the process group; here this process stands for it, and the command ends by itself."""
    script = f"kill -INT {os.getpid()}; sleep 0.3; echo survived"
    ended, out, _ = await run(script, capfd)
    assert (ended.interrupted, out) == (True, "survived\n")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


async def test_a_signal_to_this_process_alone_is_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    script = f"import os, signal, time; os.kill({os.getpid()}, signal.SIGTERM); time.sleep(30)"
    ended = await run_command([sys.executable, "-S", "-c", script], ENVIRONMENT, SystemClock())
    assert ended.signal == "SIGTERM"


@pytest.mark.parametrize(
    ("pattern", "lines", "amount"),
    [
        ("n=([0-9]+)", [b"n=1", b"n=2 n=3", b"done"], 3.0),
        (r"([0-9,.]+) req/s", [b"12,345.5 req/s"], 12_345.5),
        ("n=(.*)", [b"n=0"], 0.0),
    ],
)
def test_work_is_the_last_number_that_its_pattern_finds(pattern: str, lines: list[bytes], amount: float) -> None:
    work = PrintedWork(read_pattern(pattern))
    for line in lines:
        work.take(line)
    assert work.amount == amount


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        ([], "No line of the output matches 'n=(.*)', so no work was counted."),
        ([b"n=many"], "--work found 'many', which is not a number."),
        ([b"n=-3"], "The work that was printed, -3, is below 0."),
        ([b"n=1,5"], "--work found '1,5', whose comma does not separate groups of three digits."),
    ],
)
def test_work_that_cannot_be_counted_is_said(lines: list[bytes], cause: str) -> None:
    work = PrintedWork(read_pattern("n=(.*)"))
    for line in lines:
        work.take(line)
    with pytest.raises(InputError) as error:
        _ = work.amount
    assert error.value.cause == cause


@pytest.mark.parametrize(
    ("pattern", "cause"), [("(", "is no regular expression"), ("n", "has 0 groups"), ("(.)(.)", "has 2 groups")]
)
def test_a_pattern_that_names_no_number_is_refused(pattern: str, cause: str) -> None:
    with pytest.raises(InputError, match=cause):
        read_pattern(pattern)
