"""Detect several series in one column, a line each (stacked), so that they never become one meter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.header import Places
from wattmark.importers.log_stamps import require_one_rhythm

_FEWEST = 8
"""Lines in which a pattern can be seen."""
_MOST_SERIES = 64
_MOST_COLUMNS = 200
_KEPT = 0.95
"""Share of the lines that follow a pattern."""
_EVEN = 0.02
"""Steps that differ by no more of their median are those of one clock."""
_NAMES_SERIES = frozenset(
    {
        *(
            "entity",
            "field",
            "measurement",
            "tags",
            "tag",
            "host",
            "node",
            "device",
            "sensor",
            "gpu",
            "index",
            "package",
        ),
        *("pkg", "socket", "channel", "outlet", "port", "series", "metric", "domain", "uuid", "gpuuuid", "pcibus"),
        *("serial", "component", "rail", "name", "meter", "server", "label", "analyzer"),
    }
)
"""Headings by which programs distinguish series, in lower case without other characters; alone, or with a suffix."""
_SUFFIXES = ("", "id", "name", "index", "no", "nr", "number", "serial")
_INTEGER = re.compile(r"[0-9]{1,4}")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower())


def require_one_series(
    file: str,
    names: Sequence[str],
    places: Places,
    cells: Sequence[Sequence[str]],
    t_ns: NDArray[np.int64],
    values: NDArray[np.float64],
) -> None:
    """Refuse a log whose mapped columns hold several series in turn. Raises `InputError` that names how it shows.

    ``cells`` are the rows of ``t_ns`` and ``values``, in which NaN is no reading.
    """
    looked: set[bytes] = set()
    for number in range(values.shape[1]):
        there = ~np.isnan(values[:, number])
        if np.count_nonzero(there) < _FEWEST or (key := there.tobytes()) in looked:
            continue
        looked.add(key)
        rows = [cells[place] for place in np.flatnonzero(there).tolist()]
        chosen = {place for place, _ in places.where[number]}
        _require_one(file, names, {*places.time, *places.columns, *chosen}, rows, t_ns[there])


def _require_one(
    file: str, names: Sequence[str], mapped: set[int], rows: Sequence[Sequence[str]], t_ns: NDArray[np.int64]
) -> None:
    steps = np.diff(t_ns).astype(np.float64)
    width = min(min(len(row) for row in rows), _MOST_COLUMNS)
    for place in range(width):
        if place in mapped:
            continue
        texts = [row[place] for row in rows]
        if _distinguishes(names[place] if place < len(names) else "", texts, steps):
            shown = list(dict.fromkeys(texts))
            name = repr(names[place]) if place < len(names) and names[place] else f"number {place + 1}"
            raise InputError(
                f"{file} has several series in one column: its column {name} changes between "
                f"{', '.join(repr(text[:40]) for text in shown[:3])}{' ...' * (len(shown) > 3)}.",
                f"Choose one in the mapping, such as where: {{{names[place] if place < len(names) else place + 1}: "
                f"{shown[0][:40]}}}; give each a column of its own there to add them up.",
            )
    require_one_rhythm(file, t_ns)


def _distinguishes(name: str, texts: Sequence[str], steps: NDArray[np.float64]) -> bool:
    """Return whether the texts of a column name the series of each line."""
    distinct = len(set(texts))
    if not 2 <= distinct <= min(_MOST_SERIES, len(texts) // 2):
        return False
    changes = sum(before != after for before, after in pairwise(texts))
    is_name = _names_series(name)
    if is_name and (changes > 2 * (distinct - 1) + 2 or bool(np.any(steps <= 0))):
        return True
    if all(_INTEGER.fullmatch(text) for text in texts):
        uneven = float(np.percentile(steps, 90)) > (1 + _EVEN) * max(float(np.percentile(steps, 10)), 1.0)
        return (uneven or is_name) and _is_cycle(texts, distinct)
    if _are_numbers(texts):
        return False
    return _is_cycle(texts, distinct)


def _names_series(name: str) -> bool:
    """Return whether a heading is one by which programs distinguish series: "node_id", "Outlet name", "serial"."""
    plain = _plain(name)
    return any(plain.removesuffix(suffix) in _NAMES_SERIES for suffix in _SUFFIXES)


def _are_numbers(texts: Sequence[str]) -> bool:
    try:
        for text in texts:
            float(text or 0)
    except ValueError:
        return False
    return True


def _is_cycle(texts: Sequence[str], distinct: int) -> bool:
    """Return whether the same texts come again and again in the same order."""
    same = sum(before == after for before, after in zip(texts, texts[distinct:], strict=False))
    changes = sum(before != after for before, after in pairwise(texts))
    return same >= _KEPT * (len(texts) - distinct) and changes >= _KEPT * (len(texts) - 1) and len(texts) > 3 * distinct
