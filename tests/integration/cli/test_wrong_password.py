"""A BMC that refuses the password, a real ipmitool, and the command line in between."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from wattmark_drivers.simulators.simulated_lab import SimulatedLab

WATTMARK = Path(sys.executable).with_name("wattmark")
WriteBench = Callable[..., Path]


def run(bench: Path, password: str | None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "BMC_PASSWORD"}
    if password is not None:
        environment["BMC_PASSWORD"] = password
    command = [str(WATTMARK), "run", str(bench), "--data", str(bench.parent / "data")]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, env=environment)


def test_a_wrong_password_fails_before_anything_gets_hot(write_bench: WriteBench) -> None:
    done = run(write_bench(password_env="BMC_PASSWORD"), "not-the-password")
    assert done.returncode == 1
    assert "Nothing was started" in done.stderr
    assert "password" in done.stderr
    assert "not-the-password" not in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_a_missing_password_names_the_variable(write_bench: WriteBench) -> None:
    done = run(write_bench(password_env="BMC_PASSWORD"), None)
    assert done.returncode == 1
    assert "BMC_PASSWORD" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_right_password_measures_and_the_simulators_are_known_for_what_they_are(
    lab: SimulatedLab, write_bench: WriteBench, tmp_path: Path
) -> None:
    """The bench file does not say that anything is simulated; the meter's serial number does."""
    password = (lab.devices["bmc"].password_file or Path()).read_text().strip()
    done = run(write_bench(password_env="BMC_PASSWORD"), password)
    assert done.returncode == 0, done.stderr
    shown = subprocess.run(
        [str(WATTMARK), "results", "--data", str(tmp_path / "data"), "--format", "csv"],
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    header, row = shown.stdout.splitlines()[:2]
    assert dict(zip(header.split(","), row.split(","), strict=False))["status"] == "complete"
    assert "true" in row.lower()
