"""`wattmark measure` around real commands, with a simulated Modbus meter and stand-ins for RAPL and a Shelly plug.

The same command without it is what output and exit status are compared with.
"""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from wattmark.bench.server import THIS_MACHINE
from wattmark.campaigns.power.journal import JournalEntry, SettingsJournal
from wattmark.results.data_folder import open_storage
from wattmark.runs.power_settings import PowerSettings
from wattmark.runs.record import RunStatus
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

WATTMARK = Path(sys.executable).with_name("wattmark")
SPEC = {
    "servers": {"s": {"idle_w": 300.0, "dynamic_w": 0.0, "dimms": 0, "psu": {"rated_w": 1500}}},
    "devices": {
        "wall": {"model": "eastron.sdm120", "measures": ["s"]},
        "plug": {"model": "mystrom.switch", "measures": ["s"]},
        "shelly": {"model": "shelly.plugs", "measures": ["s"], "password": False},
        "cpu": {"model": "linux.rapl", "measures": ["s"]},
    },
}


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


@pytest.fixture
def wall(lab: SimulatedLab) -> str:
    return f"{lab.devices['wall'].url}?model=eastron.sdm120&period_s=0.2"


def measure(data: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WATTMARK")}
    command = [WATTMARK, "measure", "--data", data, *arguments]
    return subprocess.run(command, capture_output=True, timeout=120, env=environment, **options)


def document(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    (run,) = json.loads(done.stdout)["runs"]
    return dict(run)


@pytest.mark.parametrize(
    "script",
    [
        "echo out; echo err >&2",
        "exit 7",
        "kill -9 $$",
        "kill -TERM $$",
        "(sleep 0.2; echo late) & echo first; wait",
        "env | grep -v '^_=' | sort",
        "head -c 3000000 /dev/zero | tr '\\0' x",
        "cat",
        "ulimit -a; umask; trap",
    ],
)
@pytest.mark.parametrize("extra", [(), ("--work", "never ([0-9]+)")])
def test_a_command_runs_as_without_it(tmp_path: Path, wall: str, script: str, extra: tuple[str, ...]) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WATTMARK")}
    bare = subprocess.run(["sh", "-c", script], capture_output=True, input=b"typed\n", env=environment)
    done = measure(tmp_path, "--meter", wall, *extra, "--", "sh", "-c", script, input=b"typed\n")
    assert done.stdout == bare.stdout
    assert done.stderr.startswith(bare.stderr)
    assert done.returncode == (bare.returncode if bare.returncode >= 0 else 128 - bare.returncode)


@pytest.mark.parametrize("extra", [(), ("--work", "never ([0-9]+)")])
def test_a_terminal_stays_one_for_the_command(tmp_path: Path, wall: str, extra: tuple[str, ...]) -> None:
    script = "import sys; print([stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)])"
    main, end = pty.openpty()
    command = [WATTMARK, "measure", "--data", tmp_path, "--meter", wall, *extra, "--", sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=end, stdout=end, stderr=end, start_new_session=True) as process:
        os.close(end)
        shown = b""
        while chunk := _read(main):
            shown += chunk
        assert process.wait(60) == 0
    os.close(main)
    assert b"[True, True, True]" in shown
    assert b"Mean power" in shown


def test_a_machine_with_settings_of_a_killed_run_is_not_measured(tmp_path: Path, wall: str) -> None:
    SettingsJournal(tmp_path).write(
        JournalEntry(
            server="a",
            address=THIS_MACHINE,
            boot=None,
            made_for="run 3 of campaign c",
            set_at="2026-11-30T02:00:00+00:00",
            settings=PowerSettings(power_cap_w=125),
            before=(),
            made=(),
        )
    )
    done = measure(tmp_path, "--meter", wall, "--", "echo", "measured")
    assert (done.returncode, done.stdout) == (125, b"")
    words = " ".join(done.stderr.decode().split())
    assert "Server a still has power cap 125 W of run 3 of campaign c, set at 2026-11-30T02:00:00+00:00." in words
    assert "Run `wattmark doctor --restore`, then measure." in words
    SettingsJournal(tmp_path).remove("a")
    assert measure(tmp_path, "--meter", wall, "--", "echo", "measured").stdout == b"measured\n"


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


@pytest.mark.parametrize("extra", [(), ("--work", "done ([0-9]+)")])
def test_ctrl_c_ends_the_command_and_leaves_the_figures_so_far(
    tmp_path: Path, wall: str, extra: tuple[str, ...]
) -> None:
    """As the terminal sends it: to the whole process group."""
    script = "trap 'echo done 5; exit 130' INT; echo begun; while :; do sleep 0.1; done"
    command = [WATTMARK, "measure", "--data", tmp_path, "--meter", wall, *extra, "--", "sh", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(3)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b"done 5\n"
    assert b"Mean power (simulated)  " in err
    assert (b"operations/J" in err) == bool(extra)


def test_sigterm_to_wattmark_reaches_the_command(tmp_path: Path, wall: str) -> None:
    command = [WATTMARK, "measure", "--data", tmp_path, "--meter", wall, "--", "sh", "-c", "echo begun; exec sleep 60"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert b"ended by SIGTERM" in err


def shown(meter: str) -> float:
    """Read the power that a meter shows [W]; the simulated server draws the same at any load, but for noise."""
    done = subprocess.run([WATTMARK, "meter", "read", meter, "--json"], capture_output=True)
    rows = json.loads(done.stdout)["readings"]
    return float(next(row["value"] for row in rows if row["channel"] == "power"))


def test_work_energy_and_idle_power_are_those_of_the_command(tmp_path: Path, wall: str) -> None:
    done = measure(tmp_path, "--meter", wall, "--json", "--idle", "2s", "--ops", "400", "--", "sleep", "4")
    run = document(done)
    result, duration_s = run["result"], run["duration_s"]
    assert done.returncode == 0
    assert duration_s == pytest.approx(4.0, abs=0.2)
    power, shown_w = result["power"], shown(wall)
    assert abs(power["value"] - shown_w) <= 2.0
    assert result["energy_j"] == pytest.approx(power["value"] * duration_s, rel=1e-4)
    assert result["throughput"]["value"] == pytest.approx(400 / duration_s, rel=1e-4)
    assert result["efficiency"]["value"] == pytest.approx(400 / result["energy_j"], rel=1e-9)
    assert result["efficiency"]["U95"] / result["efficiency"]["value"] == pytest.approx(
        power["U95"] / power["value"], rel=0.02
    )
    if (above := result["idle_subtracted"]) is None:  # the load draws what idle draws, and noise decides which is more
        assert any("The load drew no more power than idle" in note for note in result["notes"])
    else:
        assert abs(above["idle"]["value"] - shown_w) <= 2.0
    assert result["simulated"] is True
    storage = open_storage(tmp_path, read_only=True)
    (stored,) = storage.runs.all()
    storage.close()
    assert stored.status is RunStatus.COMPLETE
    assert stored.disclosure.argv == ("sleep", "4")
    assert [phase.name.value for phase in stored.phases] == ["idle", "measure"]


def test_the_work_that_a_command_prints_is_the_last_number(tmp_path: Path, wall: str) -> None:
    script = "echo requests: 10; sleep 2; echo requests: 1,250 >&2"
    done = measure(tmp_path, "--meter", wall, "--csv", "--unit", "requests", "--work", r"requests: ([0-9,]+)",
                   "--", "sh", "-c", script)  # fmt: skip
    (row,) = csv.DictReader(io.StringIO(done.stdout.decode()))
    # The rate's window and the command's duration are read from two clocks, which the kernel slews against each other.
    assert float(row["throughput_per_s"]) * float(row["duration_s"]) == pytest.approx(1250, rel=1e-3)
    assert done.stderr.startswith(b"requests: 10\nrequests: 1,250\n")


def test_repeats_are_runs_of_their_own_and_an_archive_takes_them(tmp_path: Path, wall: str) -> None:
    file = tmp_path / "run.wattmark"
    done = measure(tmp_path / "d", "--meter", wall, "--repeat", "3", "--ops", "5", "-o", file, "--", "sleep", "1")
    assert done.returncode == 0
    assert done.stderr.count(b"Work per joule") == 3
    verified = subprocess.run([WATTMARK, "verify", file], capture_output=True)
    assert verified.returncode == 0, verified.stderr
    assert b"Results: 3 of 3 follow from the samples in the archive" in verified.stdout


def test_a_command_that_is_too_short_is_said_to_be(tmp_path: Path, wall: str) -> None:
    done = measure(tmp_path, "--meter", wall, "--", "sleep", "0.05")
    assert done.returncode == 0
    assert b"too short for a meter that gives a reading every 1 s. Let it work for 20 s." in done.stderr


def test_processors_alone_are_never_the_wall(tmp_path: Path, lab: SimulatedLab) -> None:
    done = measure(tmp_path, "--meter", str(lab.devices["cpu"].url), "--json", "--ops", "3", "--", "sleep", "3")
    run = document(done)
    assert run["instead_of_wall"] == "CPU package only, not the wall"
    assert run["result"]["power"]["value"] > 0
    assert run["result"]["power"]["U95"] is None
    stored = subprocess.run(
        [WATTMARK, "results", "--data", tmp_path, "--format", "csv", "--columns", "run_id,power_w"],
        capture_output=True,
    )
    assert stored.stdout.splitlines()[1].split(b",")[1] == b""


@pytest.mark.parametrize(
    ("device", "maker", "model", "title"),
    [("plug", "mystrom", "mystrom.switch", "myStrom"), ("shelly", "shelly", "shelly.plugs", "Shelly Plug S")],
)
def test_a_plug_is_found_by_its_maker_and_host(
    tmp_path: Path, lab: SimulatedLab, device: str, maker: str, model: str, title: str
) -> None:
    url = str(lab.devices[device].url)
    run = document(measure(tmp_path, "--meter", url.replace("http", maker), "--json", "--", "sleep", "3"))
    assert title in run["result"]["meter"]
    assert run["result"]["power"]["value"] == pytest.approx(shown(f"{url}?model={model}"), rel=0.05)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--meter", "modbus-tcp://127.0.0.1:1/1?model=eastron.sdm120"), b"Nothing was started"),
        (("--meter", "outlet"), b"there is no bench that could name it"),
        (("--meter", "shelly://127.0.0.1:1"), b"No device at 127.0.0.1:1 says that it is of shelly."),
        (("--work", "no number"), b"has 0 groups; the number must stand in one."),
        (("--work", "(", ), b"is no regular expression"),
        (("--idle", "ten"), b"'ten' is not a time."),
        (("--ops", "1", "--work", "([0-9]+)"), b"Both --ops and --work are given."),
        (("--until", "2%"), b"--until compares, and there is one command."),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_not_started(tmp_path: Path, arguments: tuple[str, ...], said: bytes) -> None:
    done = measure(tmp_path, *arguments, "--", "touch", str(tmp_path / "started"))
    assert done.returncode == 125
    assert said in done.stderr
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(("count", "status"), [(("--ops", "5"), 3), (("--compare", "sh -c 'sleep 2; exit 3'"), 3)])
def test_a_command_that_fails_has_done_no_work(tmp_path: Path, wall: str, count: tuple[str, str], status: int) -> None:
    """Else what fails at once would do the most work per joule."""
    argv = ("--", "sh", "-c", "sleep 2; exit 3") if "--ops" in count else ("--compare", "sleep 2", "--repeat", "1")
    done = measure(tmp_path, "--meter", wall, "--json", *count, *argv)
    assert done.returncode == status, "the first that failed"
    failed = [run for run in json.loads(done.stdout)["runs"] if run["exit_status"]]
    assert [run["result"]["efficiency"] for run in failed] == [None]
    assert "its work is not counted" in failed[0]["problem"]


def test_a_simulated_meter_needs_nothing_but_its_name(tmp_path: Path) -> None:
    done = measure(tmp_path, "--meter", "simulated://?idle_w=200&dynamic_w=0", "--", "sleep", "3")
    assert done.returncode == 0
    assert re.search(rb"Mean power \(simulated\)  2\d\d ", done.stderr), done.stderr


def test_the_figures_open_in_a_browser(tmp_path: Path, wall: str) -> None:
    """The browser is a program that notes the address it is given, as `webbrowser` starts it."""
    noted, browser = tmp_path / "address", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {noted}.new\nmv {noted}.new {noted}\n')
    browser.chmod(0o700)
    command = [WATTMARK, "measure", "--data", tmp_path / "d", "--meter", wall, "--open", "--", "sleep", "2"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, env={**os.environ, "BROWSER": str(browser)}, process_group=0
    ) as process:
        try:
            deadline = time.monotonic() + 60
            while not noted.exists() and time.monotonic() < deadline:
                time.sleep(0.1)
            address = urlsplit(noted.read_text().strip())
            run_id = address.path.removeprefix("/runs/")
            with urllib.request.urlopen(f"http://{address.netloc}/api/runs/{run_id}") as answer:
                assert json.load(answer)["result"]["run_id"] == run_id
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0


def test_a_program_that_is_not_there_ends_as_in_a_shell(tmp_path: Path, wall: str) -> None:
    done = measure(tmp_path, "--meter", wall, "--", "no-such-program")
    assert done.returncode == 127
    assert b"There is no program 'no-such-program'." in done.stderr


def test_variants_run_by_turns_and_are_compared(tmp_path: Path, wall: str) -> None:
    """The same power for half of the time: half the energy, so twice the runs per joule."""
    done = measure(tmp_path, "--meter", wall, "--json", "--parameter", "s=4,2", "--repeat", "3", "--prepare", "true",
                   "--", "sleep", "{s}")  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown_runs, comparison = json.loads(done.stdout)["runs"], json.loads(done.stdout)["comparison"]
    assert sorted(run["result"]["configuration"] for run in shown_runs) == ["s=2"] * 3 + ["s=4"] * 3
    assert [run["result"]["repeat"] for run in shown_runs] == [1, 1, 2, 2, 3, 3]
    joules = {name: [r["result"]["energy_j"] for r in shown_runs if r["result"]["configuration"] == name]
              for name in ("s=2", "s=4")}  # fmt: skip
    assert sum(joules["s=4"]) == pytest.approx(2 * sum(joules["s=2"]), rel=0.05)
    assert comparison["baseline"].endswith("/s=4")


def test_a_meter_that_is_remembered_needs_no_name(tmp_path: Path, wall: str, lab: SimulatedLab) -> None:
    for url in (f"{lab.devices['plug'].url}?model=mystrom.switch", wall):
        used = subprocess.run([WATTMARK, "meter", "use", url, "--data", tmp_path], capture_output=True)
        assert used.returncode == 0, used.stderr
    assert b"eastron.sdm120 at modbus-tcp://" in used.stdout
    checked = subprocess.run([WATTMARK, "bench", "check", tmp_path / "bench.yaml"], capture_output=True)
    assert checked.returncode == 0, checked.stdout
    run = document(measure(tmp_path, "--json", "--", "sleep", "3"))
    assert run["result"]["meter"].startswith("default (Eastron SDM120")
