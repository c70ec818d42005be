"""`wattmark doctor` where much is broken: it comes to its end, and what is broken has its remedy."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from ..disks import fill_up, mount, small_disk
from ..service.conftest import WATTMARK

__all__ = ["small_disk"]
Findings = dict[str, dict[str, str]]


def examine(*arguments: str, prefix: tuple[str, ...] = (), **environment: str) -> Findings:
    done = subprocess.run(
        [*prefix, str(WATTMARK), "doctor", "--json", *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env={**os.environ, **environment},
    )
    findings = {finding["subject"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert all(finding["remedy"] for finding in findings.values() if finding["state"] != "ok")
    assert done.returncode == any(finding["state"] == "problem" for finding in findings.values()), done.stderr
    return findings


def test_a_full_disk_is_a_problem_and_not_the_end(small_disk: Path) -> None:
    fill_up(small_disk)
    findings = examine("--data", str(small_disk / "data"))
    assert (findings["disk space"]["state"], findings["disk space"]["found"]) == (
        "problem",
        "0.0 MiB free; nothing is recorded",
    )
    assert findings["disk speed"]["found"] == "a durable write failed: No space left on device"
    assert "clock" in findings


def test_a_disk_that_is_mounted_for_reading_only(small_disk: Path) -> None:
    mount("-o", "remount,ro", str(small_disk))
    findings = examine("--data", str(small_disk / "data"))
    assert findings["data folder"]["found"] == f"{small_disk} cannot be written"


def test_programs_that_are_not_in_the_path(tmp_path: Path) -> None:
    findings = examine("--data", str(tmp_path), PATH="/nonexistent")
    for program in ("ipmitool", "openssl"):
        assert findings[program]["found"].startswith("not installed (needed for ")
        assert findings[program]["remedy"] == f"apt-get install {program}"


def test_text_comes_as_it_is_and_gives_the_terminal_no_orders(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_text('schema: "root:x:0 \\e]0;title\\a"\n')
    command = [str(WATTMARK), "doctor", "--data", str(tmp_path), "--bench", str(tmp_path / "bench.yaml")]
    output = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False).stdout
    assert "root:x:0" in output, "no word between colons becomes a picture"
    assert "\x1b" not in output
