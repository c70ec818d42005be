"""Big answers: CPU time and peak memory of each, in a process of its own, beside reading the same results once.

usage: python -m tests.benchmarks.service.bench_answers [RUNS] [SAMPLES] [FOLDER]

RUNS stated runs, and one run of SAMPLES samples. A store in FOLDER is kept, and measured again without generating it.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import numpy as np
from wattmark.archives.data_folder import Archives
from wattmark.reports.files.report_file import write_report
from wattmark.reports.product_tables import product_table
from wattmark.reports.report_data import report_of
from wattmark.reports.sources import Sources
from wattmark.reports.table_query import TableQuery
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.pages.listing import ResultQuery
from wattmark.store.columns import make_samples
from wattmark.tables.formats import FORMATS, write_to
from wattmark_drivers.clock import SystemClock

from tests.benchmarks.ratio import tell
from tests.benchmarks.store.bench_scale import CHANNELS, S, fill, key, record

LONG = "long"
READING = "each result once"


def add_long_run(folder: Path, samples: int) -> None:
    """Store one run of very many samples in four series."""
    storage = open_storage(folder)
    run = record(LONG, 100_000)
    n = samples // len(CHANNELS)
    step_ns = 60 * S // n
    for channel in CHANNELS:
        number = storage.samples.series(key(LONG, channel)).id
        for first in range(0, n, 2**18):
            index = np.arange(first, min(first + 2**18, n))
            value = np.random.default_rng(first).normal(300, 5, len(index))
            storage.samples.append([(number, make_samples(run.created_ns + index * step_ns, value))])
    storage.samples.seal(LONG)
    storage.runs.put(run)
    Issuer(storage, Evaluations(storage), SystemClock()).first(run)
    storage.close()


class Answers:
    """Everything big that may be asked for; what is written goes to a file that is thrown away."""

    def __init__(self, folder: Path, beside: Path) -> None:
        self._storage = open_storage(folder, read_only=True)
        self._sources = Sources.of(self._storage)
        self._beside = beside

    def all(self) -> dict[str, Callable[[], object]]:
        tables = {f"results.{name}": lambda name=name: self._table(name) for name in FORMATS}
        return {
            READING: lambda: sum(1 for _ in self._sources.results.each()),
            "a page of 100 results": lambda: self._sources.pages.page(ResultQuery()).model_dump_json(),
            "a page of 1000 results": lambda: self._sources.pages.page(ResultQuery(limit=1000)).model_dump_json(),
            **tables,
            "report of all": self._report,
            "archive of all": lambda: self._archive(None),
            "archive of the long run": lambda: self._archive([LONG]),
            "preview that": lambda: self._archives().preview(self._packed().open("rb"), "long.zip"),
            "restore that": self._restore,
        }

    def _table(self, name: str) -> None:
        with self._file() as file:
            write_to(file, product_table(self._sources, "results", TableQuery()), name)

    def _report(self) -> None:
        with self._file() as file:
            write_report(report_of(self._sources), file)

    def _archives(self, storage: Storage | None = None, results: Evaluations | None = None) -> Archives:
        storage, results = storage or self._storage, results or self._sources.results
        return Archives(storage, results, Issuer(storage, results, SystemClock()))

    def _archive(self, run_ids: list[str] | None) -> None:
        archives = self._archives()
        with self._packed().open("wb") if run_ids else self._file() as file:
            archives.write(file, archives.choose(run_ids or (), None, every=run_ids is None), "Lab")

    def _restore(self) -> None:
        with tempfile.TemporaryDirectory(dir=self._beside) as name, self._packed().open("rb") as file:
            storage = open_storage(Path(name))
            self._archives(storage, Evaluations(storage)).restore(file, "long.zip")
            storage.close()

    def _packed(self) -> Path:
        return self._beside / "long.zip"

    def _file(self) -> IO[bytes]:
        return tempfile.TemporaryFile(dir=self._beside)


def measure(name: str, folder: Path, beside: Path) -> None:
    """Print the CPU time [s] and the peak above what was there before [MB] of one answer."""
    answer = Answers(folder, beside).all()[name]
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    answer()
    worked = time.process_time() - begin
    sys.stdout.write(f"{worked} {(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}\n")


def main(runs: str = "1e4", samples: str = "1e7", keep_in: str | None = None) -> None:
    """Measure every answer, each in a process of its own."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(keep_in or name) / "store"
        if not (folder / "wattmark.db").exists():
            fill(folder, 4_000_000, int(float(runs)))
            add_long_run(folder, int(float(samples)))
        reading = 1.0
        for answer in Answers(folder, Path(name)).all():
            child = ["-m", "tests.benchmarks.service.bench_answers", "--measure", answer, str(folder), name]
            worked, peak = map(float, subprocess.check_output([sys.executable, *child], text=True).split())
            reading = worked if answer == READING else reading
            tell(answer, worked, reading, "s CPU", "reading the same samples")
            sys.stdout.write(f"  peak {peak:.0f} MB\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        main(*sys.argv[1:])
