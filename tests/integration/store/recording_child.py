"""Record until killed: print the number of each batch after the store has taken it.

usage: recording_child.py DATA_DIR RUN_ID SEAL_EVERY
Every batch holds three samples of each of four series; the value of a sample is its index.
"""

import sys
from pathlib import Path

import numpy as np
from wattmark.results.data_folder import open_storage
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey

PER_BATCH = 3


def main(folder: Path, run_id: str, seal_every: int) -> None:
    storage = open_storage(folder)
    storage.runs.put(
        RunRecord(
            run_id=run_id,
            created_ns=0,
            server="r1",
            configuration="c",
            workload="w",
            level="l",
            status=RunStatus.RUNNING,
            unit="signs",
        )
    )
    numbers = [
        storage.samples.series(SeriesKey(run_id, "r1", f"wall{index}", "power", "power", "W", "averaged")).id
        for index in range(4)
    ]
    batch = 0
    while True:
        index = np.arange(batch * PER_BATCH, (batch + 1) * PER_BATCH)
        storage.samples.append([(number, make_samples(index * 10**8, index)) for number in numbers])
        sys.stdout.write(f"{batch}\n")
        sys.stdout.flush()
        batch += 1
        if batch % seal_every == 0:
            storage.samples.seal(run_id)


main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
