"""`wattmark run` ends with an answer, and a Ctrl-C says how to go on; progress of long work on a terminal alone."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

WATTMARK = Path(sys.executable).with_name("wattmark")
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    prepare: {{command: ['true']}}
    configurations:
      - {{id: a, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
      - {{id: b, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: wall, model: eastron.sdm120, url: "simulated://?idle_w=100&dynamic_w=50", period_s: 0.5,
     feeds: [{{server: s}}]}}
plans:
  - {{name: p, configurations: [s/a, s/b], workloads: [openssl.rsa512-sign], levels: [1], repeats: {repeats}, idle_s: 0,
     settle_s: 0, measure_s: 2, hold_s: 0.5}}
"""
PATIENCE_S = 120


def bench(folder: Path, repeats: int = 1) -> Path:
    file = folder / "lab.yaml"
    file.write_text(BENCH.format(repeats=repeats))
    return file


def test_the_last_lines_are_the_sentence_and_the_command_that_shows_the_rest(tmp_path: Path) -> None:
    data = tmp_path / "my data"
    done = subprocess.run(
        [WATTMARK, "run", bench(tmp_path), "--data", data],
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if re.match(r"^ *\d/2  s/", line)]
    assert len(lines) == 2
    assert max(map(len, [*lines, *done.stdout.splitlines()[:-1]])) <= 100
    sentence, command = " ".join(done.stdout.split("  Next: ")[0].split()), done.stdout.split("  Next: ")[1]
    assert sentence.startswith("openssl.rsa512-sign, 1 process: ")
    again = subprocess.run(
        ["bash", "-c", command.strip()],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": f"{WATTMARK.parent}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert again.returncode == 0, again.stderr
    assert " ".join(sentence.split(": ", 1)[1].split()[:6]) in " ".join(again.stdout.split())


def test_ctrl_c_ends_the_load_and_names_the_command_that_goes_on(tmp_path: Path) -> None:
    command = [WATTMARK, "run", bench(tmp_path, repeats=9), "--data", tmp_path / "data"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        watchdog = threading.Timer(PATIENCE_S, process.kill)
        watchdog.start()
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if "1/18  s/" in line:
                process.send_signal(signal.SIGINT)
                break
        said += process.stderr.read()
        watchdog.cancel()
    assert process.returncode == 1
    assert said.count("a second Ctrl-C ends wattmark at once.") == 1
    told = re.search(r"Go on later: wattmark run --resume (\S+) --data (\S+)", said)
    assert told, said
    assert told[2] == str(tmp_path / "data")


def test_a_second_ctrl_c_promises_nothing_more(tmp_path: Path) -> None:
    command = [WATTMARK, "run", bench(tmp_path, repeats=9), "--data", tmp_path / "data"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        watchdog = threading.Timer(PATIENCE_S, process.kill)
        watchdog.start()
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if "1/18  s/" in line or "a second Ctrl-C" in line:
                process.send_signal(signal.SIGINT)
            if "a second Ctrl-C" in line:
                break
        said += process.stderr.read()
        watchdog.cancel()
    assert process.returncode == 130
    assert said.count("a second Ctrl-C ends wattmark at once.") == 1


def on_terminal(*command: str | Path) -> str:
    """Run a command whose standard error is a terminal, and return what it showed there."""
    host, terminal = pty.openpty()
    shown: list[bytes] = []

    def read() -> None:
        try:
            while piece := os.read(host, 65536):
                shown.append(piece)
        except OSError:
            """The terminal was closed."""

    reader = threading.Thread(target=read)
    reader.start()
    try:
        subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, timeout=PATIENCE_S, check=True)
    finally:
        os.close(terminal)
        reader.join(10)
        os.close(host)
    return b"".join(shown).decode()


SLOW = """
import sys
from pathlib import Path
from wattmark.cli.console import log_progress
log_progress.FIRST_S = log_progress._SURE_S = -1.0
log_progress._EVERY_S = 0.0
from wattmark.cli import main
sys.argv = ["wattmark", *sys.argv[1:]]
main()
"""
"""The program itself, which shows progress from its first step on: short work is over before it would."""


def test_archive_verify_and_restore_show_progress_on_a_terminal_and_nothing_in_a_pipe(
    data: Path, tmp_path: Path
) -> None:
    program = (sys.executable, "-c", SLOW)
    pack = (*program, "archive", "--all", "-o", tmp_path / "a.zip", "--data", data)
    assert re.search(r"a\.zip: 3 of 15 runs written, \d+ s left", on_terminal(*pack))
    assert "MB verified" in on_terminal(*program, "verify", tmp_path / "a.zip")
    restored = on_terminal(*program, "restore", tmp_path / "a.zip", "--data", tmp_path / "new")
    assert "15 of 15 runs restored" in restored
    assert "14 of 15 evaluated" in restored
    piped = subprocess.run(pack, capture_output=True, text=True, check=True)
    assert piped.stderr == ""
