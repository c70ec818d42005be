"""A bench whose meters cannot be polled as often as it asks is refused before anything starts, with the sum."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

WATTMARK = Path(sys.executable).with_name("wattmark")
HEAD = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {local: true}
    configurations:
      - id: c
        cpu: {model: any}
        psus: [{id: psu1}]
        os: {name: any, kernel: any}
plans:
  - {name: p, configurations: [s/c], workloads: [openssl.rsa1024-sign], repeats: 1, measure_s: 1}
meters:
"""


def bench(folder: Path, period_s: float) -> str:
    url = "modbus-rtu:///dev/ttyUSB0?baud=9600&device="
    meters = "".join(
        f'  - {{id: m{n}, model: schneider.iem3000, url: "{url}{n}", period_s: {period_s},'
        f" role: {'secondary' if n > 1 else 'wall'}, feeds: [{{server: s}}]}}\n"
        for n in range(1, 5)
    )
    path = folder / "bench.yaml"
    path.write_text(HEAD + meters)
    return str(path)


@pytest.mark.parametrize("command", [["bench", "check"], ["run"]])
def test_a_plan_that_cannot_fit_on_its_line_is_wrong_input(command: list[str], tmp_path: Path) -> None:
    more = ["--data", str(tmp_path / "data")] if command == ["run"] else []
    argv = [str(WATTMARK), *command, bench(tmp_path, 0.5), *more]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=240, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 2, done.stdout + done.stderr
    assert re.search(r"4 meters x \S+ ms = \S+ ms on /dev/ttyUSB0 at 9600 baud do not fit", done.stderr)
    assert re.search(r"Use \d+ baud or a period of \S+ s", done.stderr)


def test_a_plan_that_fits_is_valid(tmp_path: Path) -> None:
    argv = [str(WATTMARK), "bench", "check", bench(tmp_path, 10.0)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=240, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
