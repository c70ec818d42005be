"""Energy counters in Parquet files: a row per reading, with its time, its energy, and what names its meter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wattmark.core.amounts import MOST
from wattmark.core.apart import read_apart
from wattmark.core.extras import require
from wattmark.importers.csv_mapping.units import UNITS, alike, spelled

TIME = "time"
ENERGY = "energy"
"""Column of energy, with its unit behind an underscore; without one it counts watt-hours, as in EEHPCWG's example."""
MOST_ROWS = 20_000_000
_MOST_METERS = 5_000
_MOST_NAMES = 6
_LONGEST_TEXT = 100
_MOST_BYTES = 4 * _LONGEST_TEXT + 16
"""Of a text in a batch: four bytes for a character, and where it begins."""
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
    """Readings that are not counts."""
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


class _Energy(NamedTuple):
    name: str
    unit_wh: float
    is_stated: bool


def _energy_column(columns: Sequence[str]) -> _Energy | str:
    """Return the column of energy with its unit, or why there is none."""
    energies = [name for name in columns if name.lower() == ENERGY or name.lower().startswith(f"{ENERGY}_")]
    if TIME not in columns or not energies:
        return f"it lacks a column {TIME!r} or an energy; its columns are {', '.join(columns)[:100]}"
    if len(energies) > 1:
        return f"it has several columns of energy, {', '.join(energies)[:100]}: leave one"
    unit = energies[0][len(ENERGY) + 1 :]
    if not unit:
        return _Energy(energies[0], 1.0, is_stated=False)
    if unit not in UNITS[ENERGY] and (units := alike(unit)):
        return f"its column {energies[0]!r} may be in {' or '.join(units)}: write the unit with its capital letters"
    if (known := UNITS[ENERGY].get(spelled(unit))) is None:
        return f"its column {energies[0][:60]!r} names no unit of energy, such as {ENERGY}_Wh or {ENERGY}_J do"
    return _Energy(energies[0], known.factor, is_stated=True)


def _counters(reader: Any, stem: str) -> list[Counter] | str:
    columns = list(reader.schema.names)
    energy = _energy_column(columns)
    if isinstance(energy, str):
        return energy
    names = [column for column in columns if column not in (TIME, energy.name)]
    if len(names) > _MOST_NAMES:
        return f"more than {_MOST_NAMES} columns name its meters"
    stamps: dict[object, int] = {}
    meters: dict[tuple[object, ...], int] = {}
    t_ns, values, which, rows = [], [], [], 0
    for batch in reader:
        rows += batch.num_rows
        if rows > MOST_ROWS:
            return f"it has more than {MOST_ROWS} rows"
        if any(batch[name].nbytes > batch.num_rows * _MOST_BYTES for name in columns):
            return f"its texts are longer than {_LONGEST_TEXT} characters"
        t_ns.append(_times(batch[TIME], stamps))
        values.append(_energies(batch[energy.name]))
        which.append(_meters([batch[name] for name in names], batch.num_rows, meters))
        if len(meters) > _MOST_METERS:
            return f"it has more than {_MOST_METERS} meters"
    if rows == 0:
        return "it has no rows"
    if any(len(str(part)) > _LONGEST_TEXT for key in meters for part in key):
        return f"the name of a meter is longer than {_LONGEST_TEXT} characters"
    at, counts, index = np.concatenate(t_ns), np.concatenate(values) * energy.unit_wh, np.concatenate(which)
    del t_ns, values, which
    in_order = np.argsort(index, kind="stable")
    at, counts = at[in_order], counts[in_order]
    edges = np.searchsorted(index[in_order], np.arange(len(meters) + 1)).tolist()
    return [
        _counter(_name(stem, key), at[begin:end], counts[begin:end], energy.is_stated)
        for key, begin, end in zip(meters, edges, edges[1:], strict=False)
    ]


def _counter(name: str, t_ns: NDArray[np.int64], counts: NDArray[np.float64], stated: bool) -> Counter:
    order = np.argsort(t_ns, kind="stable")
    counts = counts[order]
    return Counter(name, t_ns[order], counts, ~(np.abs(counts) <= MOST) | (counts < 0), stated)


def _name(stem: str, key: Sequence[Any]) -> str:
    return " ".join([stem, "-".join(map(str, key))]).strip()


def _different(column: Any) -> tuple[NDArray[np.intp], list[object]]:
    """Return the different values of a column, and which of them each row has."""
    arrow = require("parquet", "arro3.core", "Parquet needs")
    kind = arrow.DataType
    if column.null_count == 0 and kind.is_string(column.type):
        coded = column.cast(kind.dictionary(kind.int32(), column.type))
        codes, values = arrow.dictionary_indices(coded).to_numpy(), arrow.dictionary_dictionary(coded)
        return codes.astype(np.intp), values.to_pylist()
    if column.null_count == 0 and kind.is_integer(column.type):
        numbers, codes = np.unique(column.to_numpy(), return_inverse=True)
        return codes, numbers.tolist()
    listed = column.to_pylist()
    places = {value: place for place, value in enumerate(dict.fromkeys(listed))}
    return np.array([places[value] for value in listed], dtype=np.intp), list(places)


def _energies(column: Any) -> NDArray[np.float64]:
    """Read counts; NaN for what is not a number."""
    kind = require("parquet", "arro3.core", "Parquet needs").DataType
    if column.null_count == 0 and (kind.is_integer(column.type) or kind.is_floating(column.type)):
        return np.asarray(column.to_numpy(), dtype=np.float64)
    return np.array([_value(value) for value in column.to_pylist()], dtype=np.float64)


def _value(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else np.nan


def _meters(columns: Sequence[Any], rows: int, known: dict[tuple[object, ...], int]) -> NDArray[np.int32]:
    """Number the meters of rows by what names them; ``known`` grows with those that are new."""
    coded = [_different(column) for column in columns]
    together = np.zeros(rows, np.int64)
    for codes, values in coded:
        together = together * len(values) + codes
    _, first, group = np.unique(together, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int32)
    for place in np.argsort(first).tolist():
        key = tuple(values[codes[first[place]]] for codes, values in coded)
        numbers[place] = known.setdefault(key, len(known))
    return numbers[group]


def _times(column: Any, known: dict[object, int]) -> NDArray[np.int64]:
    """Read stamps; those of many meters are alike, so each text is read once. Raises ValueError for what is none."""
    if len(known) > 2**20:
        known.clear()
    codes, values = _different(column)
    for value in values:
        if value not in known:
            known[value] = _stamp_ns(value)
    return np.array([known[value] for value in values], dtype=np.int64)[codes]


def _stamp_ns(value: object) -> int:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return round(value.timestamp() * 1e6) * 1000
    match = _STAMP.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{str(value)[:40]!r} is not a time with a zone, such as 2024-04-23T21:11:10+02:00")
    second = datetime.fromisoformat(f"{match[1]}T{match[2]}{match[4]}").timestamp()
    return round(second) * 10**9 + int((match[3] or "").ljust(9, "0"))
