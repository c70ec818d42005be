"""Energy counters in Parquet files: a row per reading, with its time, its energy, and what names its meter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wattmark.core.amounts import MOST
from wattmark.core.extras import require
from wattmark.exchange.recordings.apart import read_apart

TIME = "time"
ENERGIES_WH = {
    "energy": 1.0,
    "energy_wh": 1.0,
    "energy_kwh": 1e3,
    "energy_j": 1 / 3600,
    "energy_kj": 1 / 3.6,
    "energy_mj": 1e3 / 3.6,
}
"""Columns of energy, and their unit [Wh]; a column without a unit counts watt-hours, as in the example of EEHPCWG."""
MOST_ROWS = 20_000_000
_MOST_METERS = 5_000
_MOST_NAMES = 6
_STAMP = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?(Z|[+-][0-9]{2}:?[0-9]{2})"
)


@dataclass(frozen=True, slots=True)
class Counter:
    """The readings of one meter in the order of their stamps."""

    name: str
    t_ns: NDArray[np.int64]
    """UTC [ns]"""
    energy_wh: NDArray[np.float64]
    bad: NDArray[np.bool_]
    """Readings that are no count."""
    unit_stated: bool

    @property
    def period_s(self) -> float:
        """Return the usual time between two readings [s]."""
        steps = np.diff(self.t_ns)
        return float(np.median(steps)) / 1e9 if len(steps) else 1.0


def read_counters(path: Path) -> list[Counter]:
    """Read the counters of a file, by name. Raises `InputError` for a file that holds none."""
    return read_apart(path, partial(_read, stem=path.stem))


def _read(path: Path, stem: str) -> list[Counter] | str:
    """Return the counters, or why there are none: what the library raises in Rust's words is no `Exception`."""
    try:
        reader = require("parquet", "arro3.io", "Parquet needs").read_parquet(str(path))
        return _counters(reader, stem)
    except BaseException as error:
        return " ".join(str(error).split())[:100] or type(error).__name__


def _counters(reader: Any, stem: str) -> list[Counter] | str:
    columns = list(reader.schema.names)
    energy = next((name for name in columns if name.lower() in ENERGIES_WH), None)
    if TIME not in columns or energy is None:
        return f"it lacks a column {TIME!r} or an energy; its columns are {', '.join(columns)[:100]}"
    names = [column for column in columns if column not in (TIME, energy)]
    if len(names) > _MOST_NAMES:
        return f"more than {_MOST_NAMES} columns name its meters"
    stamps: dict[str, int] = {}
    meters: dict[tuple[Any, ...], int] = {}
    t_ns, values, which, rows = [], [], [], 0
    for batch in reader:
        rows += batch.num_rows
        if rows > MOST_ROWS:
            return f"it has more than {MOST_ROWS} rows"
        t_ns.append(_times(batch[TIME].to_pylist(), stamps))
        values.append(np.array([_value(value) for value in batch[energy].to_pylist()], dtype=np.float64))
        keys = zip(*(batch[name].to_pylist() for name in names), strict=True) if names else [()] * batch.num_rows
        which.append(np.array([meters.setdefault(key, len(meters)) for key in keys], dtype=np.int64))
        if len(meters) > _MOST_METERS:
            return f"it has more than {_MOST_METERS} meters"
    if rows == 0:
        return "it has no rows"
    unit_wh, stated = ENERGIES_WH[energy.lower()], energy.lower() != "energy"
    at, counts, index = np.concatenate(t_ns), np.concatenate(values) * unit_wh, np.concatenate(which)
    return [
        _counter(_name(stem, key), at[index == meter], counts[index == meter], stated) for key, meter in meters.items()
    ]


def _counter(name: str, t_ns: NDArray[np.int64], counts: NDArray[np.float64], stated: bool) -> Counter:
    order = np.argsort(t_ns, kind="stable")
    counts = counts[order]
    return Counter(name, t_ns[order], counts, ~(np.abs(counts) <= MOST) | (counts < 0), stated)


def _name(stem: str, key: Sequence[Any]) -> str:
    return " ".join([stem, "-".join(str(part)[:40] for part in key)]).strip()


def _value(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else np.nan


def _times(texts: list[Any], known: dict[str, int]) -> NDArray[np.int64]:
    """Read stamps; those of many meters are alike, so each text is read once. Raises ValueError for what is none."""
    if len(known) > 2**20:
        known.clear()
    for text in texts:
        if text not in known:
            known[text] = _stamp_ns(text)
    return np.array([known[text] for text in texts], dtype=np.int64)


def _stamp_ns(value: Any) -> int:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return round(value.timestamp() * 1e6) * 1000
    match = _STAMP.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{str(value)[:40]!r} is no time with a zone, such as 2024-04-23T21:11:10+02:00")
    second = datetime.fromisoformat(f"{match[1]}T{match[2]}{match[4]}").timestamp()
    return round(second) * 10**9 + int((match[3] or "").ljust(9, "0"))
