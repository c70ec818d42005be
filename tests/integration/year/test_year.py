"""The whole service on simulated time: schedules that once found a fault, new ones, and that a seed repeats itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.year.seeds import FIXED

ROOT = Path(__file__).parents[3]
NEW_S = 60.0


def year(*options: str) -> str:
    """Simulate in a process of its own, for time and chance are replaced there."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.year", *options], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout[-6000:]}{done.stderr[-3000:]}"
    return done.stdout


def test_no_fixed_seed_breaks_an_invariant() -> None:
    assert f"{len(FIXED)} schedules" in year("--fixed")


def test_a_seed_repeats_its_run() -> None:
    assert year("--replay", "17", "--trace") == year("--replay", "17", "--trace")


def test_new_seeds_break_no_invariant() -> None:
    """A minute with seeds that nobody has tried; a failure names its seed and the command that replays it."""
    assert " schedules, seeds " in year("--first", str(int(time.time())), "--seconds", str(NEW_S))
