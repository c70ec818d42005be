"""A BMC that refuses the password, a real ipmitool, and the command line in between."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

WATTMARK = Path(sys.executable).with_name("wattmark")
SPEC = {
    "servers": {"s": {"idle_w": 60.0, "dynamic_w": 60.0, "dimms": 2}},
    "devices": {
        "wall": {"model": "eastron.sdm120", "measures": ["s"]},
        "bmc": {"model": "ipmi.bmc", "measures": ["s"]},
    },
}
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: wall, model: eastron.sdm120, url: "{wall}", feeds: [{{server: s}}]}}
bmcs:
  - {{id: bmc, server: s, host: {host}, port: {port}, user: {user}, password_env: BMC_PASSWORD, cipher: 3}}
plans:
  - {{name: p, configurations: [s/c], workloads: [openssl.rsa512-sign], repeats: 1, idle_s: 0, settle_s: 0,
     measure_s: 1, hold_s: 0}}
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


def run(lab: SimulatedLab, folder: Path, password: str | None) -> subprocess.CompletedProcess[str]:
    bmc = urlsplit(lab.devices["bmc"].url or "")
    bench = folder / "bench.yaml"
    bench.write_text(
        BENCH.format(wall=lab.devices["wall"].url, host=bmc.hostname, port=bmc.port, user=lab.devices["bmc"].username)
    )
    environment = {name: value for name, value in os.environ.items() if name != "BMC_PASSWORD"}
    if password is not None:
        environment["BMC_PASSWORD"] = password
    command = [str(WATTMARK), "run", str(bench), "--data", str(folder / "data")]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=False, env=environment)


def test_a_wrong_password_fails_before_anything_gets_hot(lab: SimulatedLab, tmp_path: Path) -> None:
    done = run(lab, tmp_path, "not-the-password")
    assert done.returncode == 1
    assert "Nothing was started" in done.stderr
    assert "password" in done.stderr
    assert "not-the-password" not in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_a_missing_password_names_the_variable(lab: SimulatedLab, tmp_path: Path) -> None:
    done = run(lab, tmp_path, None)
    assert done.returncode == 1
    assert "BMC_PASSWORD" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_right_password_measures_and_the_simulators_are_known_for_what_they_are(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """The bench file does not say that anything is simulated; the meter's serial number does."""
    password = (lab.devices["bmc"].password_file or Path()).read_text().strip()
    done = run(lab, tmp_path, password)
    assert done.returncode == 0, done.stderr
    shown = subprocess.run(
        [str(WATTMARK), "results", "--data", str(tmp_path / "data"), "--format", "csv"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    header, row = shown.stdout.splitlines()[:2]
    assert dict(zip(header.split(","), row.split(","), strict=False))["status"] == "complete"
    assert "true" in row.lower()
