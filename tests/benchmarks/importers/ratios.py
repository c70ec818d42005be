"""CPU time of importing logs, beside the least that plain Python can do with their lines."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks.importers.bench_logs import MB, WRITERS, read
from tests.benchmarks.ratio import Pair, side_by_side

SIZE = MB // 2


def points(path: Path) -> None:
    """Split the lines of line protocol; read their values and stamps."""
    with path.open() as file:
        for line in file:
            _, value, stamp = line.rsplit(" ", 2)
            float(value.partition("=")[2]), int(stamp)


def sensors(path: Path) -> None:
    """Split the rows of sensors; read their values."""
    with path.open() as file:
        next(file)
        for line in file:
            list(map(float, line.split(",")[2:-1]))


PLAIN: dict[str, Callable[[Path], None]] = {"telegraf": points, "hwinfo": sensors}


def logs() -> Iterator[Pair]:
    """Compare reading logs as an import does with splitting their lines and reading the numbers in them."""
    for kind, plain in PLAIN.items():
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "log.txt"
            WRITERS[kind](path, SIZE)
            yield side_by_side(
                f"import: {kind}",
                "splitting its lines, reading the numbers",
                partial(read, kind, path),
                partial(plain, path),
                5,
            )
