"""The whole path from meters to disk is killed: what was on disk stays, once, and recording can begin again."""

import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from wattmark.results.data_folder import open_storage

CHILD = Path(__file__).with_name("recording_child.py")


def record_and_kill(folder: Path, run_id: str, seconds: float) -> dict[int, int]:
    """Give by series how many samples were known to be on disk when the recording was killed."""
    command = [sys.executable, str(CHILD), str(folder), run_id]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline()]
        time.sleep(seconds)
        child.kill()
        lines += child.stdout.read().splitlines(keepends=True)
    return {int(number): int(n) for number, n in (line.split() for line in lines if line.endswith("\n"))}


def test_what_was_recorded_survives(tmp_path: Path) -> None:
    chance = random.Random(1)
    for run_id in ("run1", "run2", "run3"):
        acknowledged = record_and_kill(tmp_path, run_id, chance.uniform(0.05, 0.3))
        storage = open_storage(tmp_path)
        storage.samples.seal(run_id)
        series = storage.samples.list_series(run_id)
        assert {recorded.key.source for recorded in series} <= {"wall1", "wall2"}
        assert set(acknowledged) <= {recorded.id for recorded in series}
        for recorded in series:
            samples = storage.samples.read(recorded.id)
            np.testing.assert_array_equal(samples.value, np.arange(len(samples)))
            assert len(samples) >= acknowledged.get(recorded.id, 0)
            assert recorded.key.simulated
        storage.close()
