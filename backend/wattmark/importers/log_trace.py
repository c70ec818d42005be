"""The power of a log over all of its time, coarse enough to draw, by which a person chooses a part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wattmark.importers.importer import Block
from wattmark.results.meters import result_meters
from wattmark.results.series import power_series
from wattmark.runs.record import RunRecord
from wattmark.store.columns import usable
from wattmark.store.sample_store import Samples, Series, SeriesKey

_SPANS = 400
"""Equal spans of the log, about as many as a drawing has columns."""


@dataclass(frozen=True, slots=True)
class LogTrace:
    """What a log spans, and power in equal spans of it: mean, least and most [W]; NaN where nothing was read."""

    begin_ns: int
    end_ns: int
    mean_w: NDArray[np.float64]
    least_w: NDArray[np.float64]
    most_w: NDArray[np.float64]


@dataclass(slots=True)
class _Spans:
    count: NDArray[np.int64] = field(default_factory=lambda: np.zeros(_SPANS, np.int64))
    total: NDArray[np.float64] = field(default_factory=lambda: np.zeros(_SPANS))
    least: NDArray[np.float64] = field(default_factory=lambda: np.full(_SPANS, np.inf))
    most: NDArray[np.float64] = field(default_factory=lambda: np.full(_SPANS, -np.inf))

    def add(self, place: NDArray[np.int64], value: NDArray[np.float64]) -> None:
        self.count += np.bincount(place, minlength=_SPANS)
        self.total += np.bincount(place, value, minlength=_SPANS)
        np.minimum.at(self.least, place, value)
        np.maximum.at(self.most, place, value)


class LogTracer:
    """Gathers the trace of a log while its samples pass by."""

    def __init__(self, record: RunRecord) -> None:
        self._record = record
        self._begin_ns, self._end_ns = record.window_begin_ns or 0, record.window_end_ns or 0
        self._spans: dict[SeriesKey, _Spans] = {}

    def passing(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield blocks of samples as they are, and note their power."""
        for block in blocks:
            for key, samples in block:
                if key.quantity == "power" and key.unit == "W":
                    self._add(key, samples)
            yield block

    def _add(self, key: SeriesKey, samples: Samples) -> None:
        inside = usable(samples) & (samples.t_ns >= self._begin_ns) & (samples.t_ns <= self._end_ns)
        share = (samples.t_ns[inside] - self._begin_ns) / max(self._end_ns - self._begin_ns, 1)
        place = np.minimum((share * _SPANS).astype(np.int64), _SPANS - 1)
        self._spans.setdefault(key, _Spans()).add(place, samples.value[inside])

    @property
    def trace(self) -> LogTrace:
        """Return the power that makes the result, the meters of a server added up."""
        series = [Series(number, key) for number, key in enumerate(self._spans)]
        parts = [self._spans[s.key] for meter in result_meters(self._record) for s in power_series(meter, series)]
        there = np.all([part.count > 0 for part in parts], axis=0) if parts else np.zeros(_SPANS, np.bool_)
        mean, least, most = (np.full(_SPANS, np.nan) for _ in range(3))
        mean[there] = sum(part.total[there] / part.count[there] for part in parts)
        least[there] = sum(part.least[there] for part in parts)
        most[there] = sum(part.most[there] for part in parts)
        return LogTrace(self._begin_ns, self._end_ns, mean, least, most)
