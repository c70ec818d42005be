"""Hold what a server has of a run against what is recorded here: counts and sums, series by series."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np

from wattmark.exchange.influx.groups import Group
from wattmark.exchange.influx.lines import stored_tag
from wattmark.exchange.influx.questions import totals
from wattmark.store.sample_store import Samples, SampleStore, SeriesKey


class AskedForGroups(Protocol):
    """What answers questions whose rows are grouped: a connection."""

    def groups(self, influxql: str) -> list[Group]:
        """Return the first row of each group. Raises `StoreError`."""
        ...


Place = tuple[str, str, str]
"""Server, source and channel as they are stored."""
_ROUNDING = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Total:
    """Samples of all series with the same tags: finite ones and others, the sum, and the sum of magnitudes."""

    n: int = 0
    n_not_finite: int = 0
    total: float = 0.0
    magnitude: float = 0.0

    def plus(self, other: Total) -> Total:
        return Total(
            self.n + other.n,
            self.n_not_finite + other.n_not_finite,
            self.total + other.total,
            self.magnitude + other.magnitude,
        )


@dataclass(frozen=True, slots=True)
class Compared:
    """One series here and there. Sums may differ by the rounding of n additions in another order."""

    place: Place
    here: Total
    there: Total

    @property
    def same(self) -> bool:
        """Return whether counts are equal and sums as well, to rounding."""
        counts = (self.here.n, self.here.n_not_finite) == (self.there.n, self.there.n_not_finite)
        allowed = 2 * self.here.n * _ROUNDING * self.here.magnitude
        return counts and abs(self.here.total - self.there.total) <= allowed


def verify_run(run_id: str, samples: SampleStore, server: AskedForGroups) -> list[Compared]:
    """Compare all series of a run, those that only one side has included. Raises `StoreError`."""
    recorded = _recorded(run_id, samples)
    received = _received(run_id, server)
    places = sorted(recorded.keys() | received.keys())
    return [_compared(place, recorded.get(place, Total()), received.get(place, [])) for place in places]


def _compared(place: Place, here: Total, there: list[Total]) -> Compared:
    """Compare with all that is there; where it was sent twice under two names of the lab, with what is whole."""
    together = Compared(place, here, reduce(Total.plus, there, Total()))
    alone = (Compared(place, here, total) for total in there)
    return next((compared for compared in (together, *alone) if compared.same), together)


def _recorded(run_id: str, samples: SampleStore) -> dict[Place, Total]:
    totals_by_place: defaultdict[Place, Total] = defaultdict(Total)
    for series in samples.list_series(run_id):
        totals_by_place[_place(series.key)] = totals_by_place[_place(series.key)].plus(_total(samples.read(series.id)))
    return {place: total for place, total in totals_by_place.items() if total.n or total.n_not_finite}


def _total(samples: Samples) -> Total:
    values = samples.value[np.isfinite(samples.value)]
    with np.errstate(over="ignore"):
        total, magnitude = float(values.sum()), float(np.abs(values).sum())
    return Total(len(values), len(samples) - len(values), total, magnitude)


def _place(key: SeriesKey) -> Place:
    return stored_tag(key.server), stored_tag(key.source), stored_tag(key.channel)


def _received(run_id: str, server: AskedForGroups) -> dict[Place, list[Total]]:
    totals_by_place: defaultdict[Place, list[Total]] = defaultdict(list)
    for tags, row in server.groups(totals(run_id)):
        n, total, n_other = (row[name] or 0 for name in ("n", "total", "n_other"))
        place = tags["server"], tags["source"], tags["channel"]
        totals_by_place[place].append(Total(int(n), int(n_other), float(total)))
    return totals_by_place
