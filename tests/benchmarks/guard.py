"""`make guard`: costs beside a limit or peer of the same run, as CPU time, each the best of three, held against goals.

A ratio that is worse than its goal in `goals.toml` by more than a quarter fails. To make a goal easier takes a decision
record.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.analysis.ratios import join
from tests.benchmarks.drivers.ratios import flat_out, staggered
from tests.benchmarks.exchange.ratios import log
from tests.benchmarks.ratio import SLACK, Ratio, best, report
from tests.benchmarks.service.bench_start import bench_check, meter_models, results, serve_to_ready
from tests.benchmarks.store.ratios import bulk, commits

FILE = Path(".cache/guard.json")


def ratios() -> Iterator[Ratio]:
    """Measure them one after another."""
    for measure in (join, commits, bulk, log("telegraf"), log("hwinfo"), results, meter_models, bench_check):
        yield best(measure)
    yield best(serve_to_ready)
    with contextlib.suppress(FileNotFoundError):  # no C compiler: the meters of the peer cannot be built
        yield from flat_out()
        yield from staggered()


def main() -> None:
    """Print all ratios; exit status 1 where one is too bad."""
    began_s = time.monotonic()
    worse = report(ratios(), FILE)
    sys.stdout.write(f"{time.monotonic() - began_s:.0f} s; as JSON in {FILE}\n")
    if worse:
        sys.exit(f"worse than their goals by more than a factor of {SLACK}: {', '.join(worse)}")


if __name__ == "__main__":
    main()
