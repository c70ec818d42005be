"""The log of GPU power: what nvidia-smi or amd-smi printed once a second, or samples of several nodes.

nvidia-smi stamps with the wall clock of its host and names no time zone: that zone is asked for, never guessed.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wattmark.core.amounts import LATEST_NS
from wattmark.importers.local_time import LocalClock
from wattmark.importers.log_lines import require_understood
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.importers.zones import require_zone
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

_REMEDY = "Give the log as nvidia-smi, amd-smi or srt-slurm wrote it, with a line of headings."
_POWER, _NOT_POWER = re.compile("power", re.IGNORECASE), re.compile("limit|cap|max|min", re.IGNORECASE)
_IDENTITY = re.compile("^(index|gpu|gpu_id|gpu_index|card|device)$", re.IGNORECASE)
_WATTS = re.compile(r"(\d+(?:\.\d+)?)\s*W?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SMI = re.compile(r"(\d{4})/(\d{2})/(\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)")
_MILLISECONDS = 1e12
"""Unix stamps above it count milliseconds."""
MOST_GPUS = 10_000


@dataclass(slots=True)
class GpuSeries:
    """The readings of one GPU, in the order of the log."""

    name: str
    key: str
    """As the validator names it: "0", or "HOST/UUID"."""
    t_ns: list[int] = field(default_factory=list)
    watts: list[float] = field(default_factory=list)
    """Not a number where the log has none."""


@dataclass(frozen=True, slots=True)
class GpuLog:
    """The whole log; stamps are UTC [ns]."""

    series: tuple[GpuSeries, ...]
    note: SourceFileNote
    unread: Unread
    clock_notes: tuple[str, ...]
    """How local stamps were read."""

    def arrays(self, series: GpuSeries) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return stamps and watts of a GPU, in time order."""
        order = np.argsort(np.array(series.t_ns, dtype=np.int64), kind="stable")
        return np.array(series.t_ns, dtype=np.int64)[order], np.array(series.watts, dtype=np.float64)[order]


def read_gpu_log(path: Path, name: str, zone: tzinfo | None) -> GpuLog:
    """Read a log. Raises `InputError` where it has no such columns, or stamps without a zone and none is said."""
    lines, unread = TextLines(path, name), Unread()
    rows = csv.reader((text for _, text in lines), skipinitialspace=True)
    by_key: dict[str, GpuSeries] = {}
    local: list[tuple[GpuSeries, int, int]] = []
    try:
        columns = _Columns.of([cell.strip() for cell in next(rows, [])], name)
        for row in rows:
            unread.lines += 1
            try:
                series = _series_of(columns, row, by_key, name)
                t_ns, is_local = _stamp(columns.text(row, columns.time))
            except ValueError as error:
                unread.add(name, rows.line_num, ", ".join(row), str(error))
                continue
            if is_local:
                local.append((series, len(series.t_ns), t_ns))
            series.t_ns.append(t_ns)
            # A line that is torn behind its stamp is a reading without a value.
            series.watts.append(_watts(row[columns.power].strip()) if columns.power < len(row) else math.nan)
    except csv.Error as error:
        raise broken(name, rows.line_num, str(error), _REMEDY) from None
    require_understood(unread, unread.lines, _REMEDY)
    notes = _to_utc(local, zone, name)
    kept = tuple(series for series in by_key.values() if series.t_ns)
    if not kept:
        raise broken(name, None, "no line of it is a reading of a GPU", _REMEDY)
    return GpuLog(kept, lines.note, unread, notes)


def _to_utc(local: Sequence[tuple[GpuSeries, int, int]], zone: tzinfo | None, name: str) -> tuple[str, ...]:
    """Replace local stamps by UTC. Raises `InputError` where nobody said their zone."""
    if not local:
        return ()
    clock = LocalClock(require_zone(zone, name))
    utc = clock.to_utc(np.array([t_ns for _, _, t_ns in local], dtype=np.int64))
    for (series, place, _), t_ns in zip(local, utc.tolist(), strict=True):
        series.t_ns[place] = t_ns
    return clock.notes


@dataclass(frozen=True, slots=True)
class _Columns:
    time: int
    power: int
    identity: tuple[int, ...]
    """Index of the GPU; before it the host, and behind it the UUID, where the log is of several nodes."""

    @classmethod
    def of(cls, header: Sequence[str], name: str) -> _Columns:
        times = [place for place, cell in enumerate(header) if "time" in cell.lower()]
        powers = [p for p, cell in enumerate(header) if _POWER.search(cell) and not _NOT_POWER.search(cell)]
        indices = [place for place, cell in enumerate(header) if _IDENTITY.match(cell)]
        if not times or not powers or not indices:
            raise broken(name, 1, f"its headings name no time, power or GPU: {', '.join(header)}", _REMEDY)
        named: Mapping[str, int] = {cell.lower(): place for place, cell in enumerate(header)}
        several = "hostname" in named and "gpu_uuid" in named
        identity = (named["hostname"], indices[0], named["gpu_uuid"]) if several else (indices[0],)
        return cls(times[0], powers[0], identity)

    @staticmethod
    def text(row: Sequence[str], place: int) -> str:
        if place >= len(row):
            raise ValueError("the line is too short")
        return row[place].strip()


def _series_of(columns: _Columns, row: Sequence[str], by_key: dict[str, GpuSeries], name: str) -> GpuSeries:
    parts = [columns.text(row, place) for place in columns.identity]
    if not all(parts):
        raise ValueError("the line names no GPU")
    host = parts[0] if len(parts) > 1 else None
    key = parts[0] if host is None else f"{host}/{parts[2]}"
    if key not in by_key:
        if len(by_key) >= MOST_GPUS:
            raise broken(name, None, f"it names more than {MOST_GPUS:,} GPUs", _REMEDY)
        numbered = f"GPU {parts[0]}" if parts[0].isdecimal() else parts[0]
        title = numbered if host is None else f"{host} GPU {parts[1]}"
        by_key[key] = GpuSeries("".join(_kept(title))[:64], key)
    return by_key[key]


def _kept(text: str) -> Iterator[str]:
    return (character if character.isalnum() or character in " ._-" else "_" for character in text)


def _stamp(text: str) -> tuple[int, bool]:
    """Read a stamp [ns]; the second is True where it is a wall clock that names no zone. Raises ValueError."""
    if _NUMBER.fullmatch(text):
        number = float(text)
        t_ns = round(number * 1e6) if number > _MILLISECONDS else round(number * 1e9)
        if not 0 < t_ns < LATEST_NS:
            raise ValueError("its stamp is no time of our age")
        return t_ns, False
    if match := _SMI.fullmatch(text):
        text = f"{match[1]}-{match[2]}-{match[3]}T{match[4]}"
    stamp = datetime.fromisoformat(text)
    whole = stamp if stamp.tzinfo is not None else stamp.replace(tzinfo=UTC)
    t_ns = int(whole.replace(microsecond=0).timestamp()) * 10**9 + whole.microsecond * 1000
    if not 0 < t_ns < LATEST_NS:
        raise ValueError("its stamp is no time of our age")
    return t_ns, stamp.tzinfo is None


def _watts(text: str) -> float:
    match = _WATTS.fullmatch(text)
    return float(match[1]) if match else math.nan
