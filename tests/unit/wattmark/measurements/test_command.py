"""A command runs as without wattmark: exit status, streams, environment, and what its lines say on the way."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from wattmark.core.errors import InputError
from wattmark.measurements.command import Ended, NotStarted, require_program, run_command
from wattmark.measurements.work_count import WHOLE_NUMBER, PrintedWork, read_pattern
from wattmark_drivers.clock import SystemClock

ENVIRONMENT = {"PATH": os.environ["PATH"], "MARK": "here"}


async def run(script: str, capfd: pytest.CaptureFixture[str], **options: object) -> tuple[Ended, str, str]:
    ended = await run_command(["sh", "-c", script], ENVIRONMENT, SystemClock(), **options)  # type: ignore[arg-type]
    out, err = capfd.readouterr()
    return ended, out, err


@pytest.mark.parametrize(
    ("script", "status", "name"),
    [
        ("exit 0", 0, None),
        ("exit 7", 7, None),
        ("kill -9 $$", 137, "SIGKILL"),
        ("kill -TERM $$", 143, "SIGTERM"),
        ("kill -40 $$", 168, "SIGRTMIN+6"),
        ("kill -34 $$", 162, "SIGRTMIN"),
        ("kill -64 $$", 192, "SIGRTMAX"),
    ],
)
async def test_the_exit_status_is_that_of_a_shell(
    capfd: pytest.CaptureFixture[str], script: str, status: int, name: str | None
) -> None:
    ended, _, _ = await run(script, capfd)
    assert (ended.status, ended.signal, ended.asked_to_end) == (status, name, None)
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
    assert [len(line) for line in lines] == [2**16 + 1, 3]


async def test_progress_lines_are_lines(capfd: pytest.CaptureFixture[str]) -> None:
    lines: list[bytes] = []
    script = r"i=0; while [ $i -lt 10000 ]; do printf '%08d%%\r' $i; i=$((i+1)); done; printf 'n=5\r\n'"
    await run(script, capfd, on_line=lines.append)
    assert len(lines) == 10_001
    assert lines[-1] == b"n=5"


async def test_output_that_cannot_be_written_ends_it_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it ends without wattmark: not 0."""
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        endless = await run_command(["yes"], ENVIRONMENT, SystemClock(), on_line=lambda _: None)
        brief = await run_command(["echo", "x"], ENVIRONMENT, SystemClock(), on_line=lambda _: None)
    assert endless.status != 0
    assert brief.status == 1
    assert brief.output_problem == "The output of the command could not be written: No space left on device."


async def test_what_comes_after_its_end_is_copied_and_not_searched(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A background process may print for long: nobody waits for it, and nothing of it is lost."""
    go_on, lines = tmp_path / "go-on", list[bytes]()
    os.mkfifo(go_on)
    script = f"(read x < {go_on}; echo n=9; echo said > {go_on}) & echo n=5"
    ended, out, _ = await run(script, capfd, on_line=lines.append)
    assert (ended.status, out, lines) == (0, "n=5\n", [b"n=5"])
    go_on.write_text("now\n")
    assert go_on.read_text() == "said\n"
    out = ""
    while "n=9\n" not in out:
        out += capfd.readouterr().out
    assert lines == [b"n=5"]


async def test_a_background_process_that_prints_without_end_does_not_keep_it(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    script = f"yes & echo $! > {tmp_path / 'pid'}; sleep 0.01"
    ended = await run_command(["sh", "-c", script], ENVIRONMENT, SystemClock(), on_line=lambda _: None)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert ended.status == 0


async def test_descriptors_that_were_inherited_are_handed_on(capfd: pytest.CaptureFixture[str]) -> None:
    """As a jobserver of make, or <(...) of a shell; those of wattmark itself are not."""
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    try:
        ended, _, _ = await run(f"echo there > /dev/fd/{writing}", capfd)
        assert ended.status == 0
        assert os.read(reading, 6) == b"there\n"
        ended, _, _ = await run(f"true < /dev/fd/{reading}", capfd)
        assert ended.status != 0
    finally:
        os.close(reading)
        os.close(writing)


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


@pytest.mark.parametrize(
    ("text", "status", "cause", "remedy"),
    [
        ("echo here\n", 126, "nor a script with #! in its first line", "Run it by its interpreter, such as: sh "),
        ("#!/no/such/interpreter\n", 127, "what it is to be run by is not: /no/such/interpreter.", "Install that"),
    ],
)
async def test_a_script_that_nothing_runs_is_said_to_be_one(
    tmp_path: Path, text: str, status: int, cause: str, remedy: str
) -> None:
    script = tmp_path / "script"
    script.write_text(text)
    script.chmod(0o755)
    with pytest.raises(NotStarted) as error:
        await run_command([str(script)], ENVIRONMENT, SystemClock())
    assert error.value.exit_code == status
    assert cause in error.value.cause
    assert remedy in error.value.remedy


@pytest.mark.parametrize(("mode", "status"), [(None, 127), (0o644, 126), (0o755, None)])
@pytest.mark.parametrize("by_name", [False, True])
def test_a_program_is_looked_up_as_it_will_be_started(
    tmp_path: Path, mode: int | None, status: int | None, by_name: bool
) -> None:
    program = tmp_path / "program"
    if mode is not None:
        program.write_text("#!/bin/sh\n")
        program.chmod(mode)
    argv, environment = ["program" if by_name else str(program)], {"PATH": f"/no/such:{tmp_path}"}
    if status is None:
        require_program(argv, environment)
        return
    with pytest.raises(NotStarted) as error:
        require_program(argv, environment)
    assert error.value.exit_code == status


async def test_a_signal_from_the_keyboard_is_left_to_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    """It is sent to the process group; here this process stands for it, and the command ends by itself."""
    script = f"kill -INT {os.getpid()}; sleep 0.3; echo survived"
    ended, out, _ = await run(script, capfd)
    assert (ended.asked_to_end, out) == (signal.SIGINT, "survived\n")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


async def test_a_signal_to_this_process_alone_is_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    script = f"import os, signal, time; os.kill({os.getpid()}, signal.SIGTERM); time.sleep(30)"
    ended = await run_command([sys.executable, "-S", "-c", script], ENVIRONMENT, SystemClock())
    assert (ended.signal, ended.asked_to_end) == ("SIGTERM", signal.SIGTERM)


@pytest.mark.parametrize(
    ("pattern", "lines", "amount"),
    [
        ("n=([0-9]+)", [b"n=1", b"n=2 n=3", b"done"], 3.0),
        (r"([0-9,.]+) req/s", [b"12,345.5 req/s"], 12_345.5),
        ("n=(.*)", [b"n=1,250.5 "], 1250.5),
        ("([0-9]+) requests", [b"5, 7 requests."], 7.0),
        ("n=([0-9]+)", [b"n=5."], 5.0),
        ("n=([0-9]+)", [b"n=5, m=6"], 5.0),
        ("name,([0-9]+)", [b"name,5,"], 5.0),
        ("'([0-9]+)'", [b"n='5'"], 5.0),
        ("n 1( [0-9]+)", [b"n 1 5 "], 5.0),
        ("n=([0-9]+)", [b"n=5kB"], 5.0),
        ("n=([0-9]+)|(?:x)", [b"n=5", b"x"], 5.0),
        ("n=([0-9]+)", [b"x" * (2**16 + 1), b"n=5"], 5.0),
        ("n=([0-9]+)", [b"n=12 45"], 12.0),
        ("n=([0-9]+)", [b"n=1234 567"], 1234.0),
        ("n=([0-9]+)", [b"n=12 3456"], 12.0),
        ("n=([0-9]+) [0-9]+", [b"n=12 345"], 12.0),
        ("[0-9]+ ([0-9]+)", [b"n 12 345"], 345.0),
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
        ([b"n=5", b"n=0"], "The work that was printed is 0: no work was counted."),
        (
            [b"n=5", b"x" * (2**16 + 1)],
            "A line of the output has more than 65536 bytes and was not searched; no work is counted.",
        ),
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
    ("pattern", "line", "text", "whole"),
    [
        ("n=([0-9]+)", "n=1,250", "1", "1,250"),
        ("n=([0-9]+)", "n=1.2e6", "1", "1.2e6"),
        ("n=([0-9.]+)", "n=1.2e6", "1.2", "1.2e6"),
        ("n=([0-9.]+)", "n=1.2E+06 s", "1.2", "1.2E+06"),
        ("n=([0-9.]+)e", "n=1.2e6", "1.2", "1.2e6"),
        ("([0-9]+)", "a 1,250", "250", "1,250"),
        ("([0-9]+)$", "n=1.2e-6", "6", "1.2e-6"),
        ("([0-9]{3})", "n=1250", "125", "1250"),
        (r"(\S+)", "n=1\u00a0000", "000", "1\u00a0000"),
        (r"n=(\S+)", "n=1\u202f000\u202f000", "1", "1\u202f000\u202f000"),
        ("n=([0-9]+)", "n=1'000", "1", "1'000"),
        ("n=.([0-9]+)", "n=.5", "5", ".5"),
        ("([0-9]+)", "n=-5", "5", "-5"),
        ("n=([0-9.]+)", "n=1.5k", "1.5", "1.5k"),
        ("n=([0-9]+)", "n=1 234", "1", "1 234"),
        ("n=([0-9]+)", "n=12 345 678.5 s", "12", "12 345 678.5"),
        ("([0-9]+)", "n=1 234 ops", "234", "1 234"),
    ],
)
def test_a_part_of_a_number_is_not_counted(pattern: str, line: str, text: str, whole: str) -> None:
    work = PrintedWork(read_pattern(pattern))
    work.take(line.encode())
    with pytest.raises(InputError) as error:
        _ = work.amount
    assert f"--work found {text!r}, a part of {whole!r} in the output" in error.value.cause
    assert WHOLE_NUMBER in error.value.remedy


@pytest.mark.parametrize("number", ["1,250", "1.2e6", "1.2E+06", "1250", "7"])
def test_the_pattern_that_is_advised_takes_the_whole_number(number: str) -> None:
    work = PrintedWork(read_pattern(f"n={WHOLE_NUMBER}"))
    work.take(f"n={number}.".encode())
    assert work.amount == float(number.replace(",", ""))


@pytest.mark.parametrize(
    ("pattern", "cause"), [("(", "is no regular expression"), ("n", "has 0 groups"), ("(.)(.)", "has 2 groups")]
)
def test_a_pattern_that_names_no_number_is_refused(pattern: str, cause: str) -> None:
    with pytest.raises(InputError, match=cause):
        read_pattern(pattern)
