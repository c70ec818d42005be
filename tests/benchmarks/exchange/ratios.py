"""CPU time of importing logs, beside reading their lines."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.exchange.bench_logs import MB, WRITERS, read
from tests.benchmarks.ratio import Ratio, cpu_s

SIZE = 3 * MB


def log(kind: str) -> Callable[[], Ratio]:
    """Compare reading a log of 3 MB as an import does with `for line in file`."""

    def measure() -> Ratio:
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "log.txt"
            WRITERS[kind](path, SIZE)

            def lines() -> None:
                with path.open() as file:
                    for _ in file:
                        pass

            ours = cpu_s(lambda: read(kind, path), rounds=1)
            return Ratio(f"import: {kind}", ours, cpu_s(lines), "s", "reading its lines")

    return measure
