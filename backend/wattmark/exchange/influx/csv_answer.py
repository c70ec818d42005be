"""Answers of InfluxQL as CSV: a header, then rows; a new header where the columns change. Pure."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import StoreError


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns of text by name, of equal length."""

    columns: dict[str, Sequence[str]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def stamps(self) -> NDArray[np.int64]:
        """Read the stamps [UTC ns]."""
        return np.fromiter(map(int, self.columns["time"]), np.int64, len(self))

    def floats(self, name: str, absent: float) -> NDArray[np.float64]:
        """Read a field; ``absent`` where a row has none."""
        texts = self.columns[name]
        return np.fromiter((float(text) if text else absent for text in texts), np.float64, len(self))


def read_csv(text: str, columns: Sequence[str]) -> Rows:
    """Read the rows of one question, whose columns must be these after the series' name and tags.

    Raises `StoreError` where the answer has others: it is not InfluxDB that answers (VictoriaMetrics answers any
    question with a list of databases), or it tells of an error.
    """
    expected = ["name", "tags", *columns]
    rows = list(csv.reader(text.splitlines()))
    if not rows:
        return Rows(dict.fromkeys(expected, ()))
    if rows[0] != expected:
        raise StoreError(
            f"The server answered with columns {', '.join(rows[0])[:120]!r} instead of {', '.join(columns)!r}.",
            "Check that WATTMARK_INFLUX_URL points to InfluxDB; runs cannot be read back from VictoriaMetrics.",
        )
    body = [row for row in rows[1:] if row and row != expected]
    return Rows(dict(zip(expected, zip(*body, strict=True), strict=True)) if body else dict.fromkeys(expected, ()))
