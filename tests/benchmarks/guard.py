"""`make guard`: costs beside a limit or peer of the same run, as CPU time, each the best of three, held against goals.

A ratio that is worse than its goal in `goals.toml` by more than a quarter fails. To make a goal easier takes a decision
record.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.analysis.ratios import join
from tests.benchmarks.drivers.bench_modbus import meters
from tests.benchmarks.drivers.ratios import flat_out, watching
from tests.benchmarks.gateway.ratios import asking
from tests.benchmarks.importers.ratios import logs
from tests.benchmarks.ratio import SLACK, Pair, held, report
from tests.benchmarks.service.bench_start import starts
from tests.benchmarks.service.ratios import recording
from tests.benchmarks.store.ratios import bulk, commits

FILE = Path(".cache/guard.json")


def pairs() -> Iterator[Pair]:
    """Prepare them one after another."""
    for prepare in (join, commits, bulk, logs, watching, asking, starts):
        yield from prepare()
    with meters() as ports:
        yield from flat_out(ports)
        yield from recording(ports)


def main() -> None:
    """Print all ratios; exit status 1 where one is too bad."""
    began_s = time.monotonic()
    worse = report(held(pairs()), FILE)
    sys.stdout.write(f"{time.monotonic() - began_s:.0f} s; as JSON in {FILE}\n")
    if worse:
        sys.exit(f"worse than their goals by more than a factor of {SLACK}: {', '.join(worse)}")


if __name__ == "__main__":
    main()
