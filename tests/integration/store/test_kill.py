"""A recording process is killed at random moments: what it had acknowledged is there, once."""

import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from wattmark.results.data_folder import open_storage
from wattmark.runs.record import RunStatus

CHILD = Path(__file__).with_name("recording_child.py")
PER_BATCH = 3


def record_and_kill(folder: Path, run_id: str, seal_every: int, seconds: float) -> int:
    """Give the last batch that the child had acknowledged when it was killed."""
    command = [sys.executable, str(CHILD), str(folder), run_id, str(seal_every)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "0\n"
        time.sleep(seconds)
        child.kill()
        rest = child.stdout.read()
    lines = rest.splitlines(keepends=True)
    return max((int(line) for line in lines if line.endswith("\n")), default=0)


@pytest.mark.parametrize("seed", range(6))
def test_nothing_acknowledged_is_lost_and_nothing_is_doubled(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for attempt in range(2):
        run_id = f"run{attempt}"
        last = record_and_kill(tmp_path, run_id, chance.choice([3, 40, 10**6]), chance.uniform(0, 0.25))
        check_readable_beside_a_dead_writer(tmp_path, run_id, last)
        storage = open_storage(tmp_path)
        assert storage.runs.mark_interrupted() == [run_id]
        run = storage.runs.get(run_id)
        assert run is not None
        assert run.status is RunStatus.INTERRUPTED
        for sealed in (False, True):
            if sealed:
                storage.samples.seal(run_id)
            series = storage.samples.list_series(run_id)
            assert len(series) == 4
            counts = {check_whole(storage.samples.read(stored.id).value, last) for stored in series}
            assert counts == {stored.n for stored in series}
        storage.close()


def check_readable_beside_a_dead_writer(folder: Path, run_id: str, last: int) -> None:
    """The command line reads what a killed service left, before any service has opened it again."""
    reader = open_storage(folder, read_only=True)
    for stored in reader.samples.list_series(run_id):
        check_whole(reader.samples.read(stored.id).value, last)
    reader.close()


def check_whole(values: np.ndarray, last: int) -> int:
    """Every acknowledged sample once, in order; at most one batch more, which was on disk but not yet acknowledged."""
    np.testing.assert_array_equal(values, np.arange(len(values)))
    assert len(values) in {(last + 1) * PER_BATCH, (last + 2) * PER_BATCH}
    return len(values)
