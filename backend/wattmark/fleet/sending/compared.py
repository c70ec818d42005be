"""Compare a server's samples of a run with the local recording: counts and sums, series by series."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from wattmark.store.sample_store import Samples, SampleStore

Place = tuple[str, str, str]
"""Server, source and channel as they are stored."""
_ROUNDING = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Total:
    """Samples of all series with the same place: finite ones and others, the sum, and the sum of magnitudes."""

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
class ComparedSeries:
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


def compare_totals(recorded: Mapping[Place, Total], received: Mapping[Place, Sequence[Total]]) -> list[ComparedSeries]:
    """Compare all series of a run, those that only one side has included.

    ``received`` has several totals of a place where the server has it under several names of the lab.
    """
    places = sorted(recorded.keys() | received.keys())
    return [_compared(place, recorded.get(place, Total()), received.get(place, ())) for place in places]


def recorded_totals(run_id: str, samples: SampleStore, stored: Callable[[str], str] = str) -> dict[Place, Total]:
    """Sum what is recorded here of a run; ``stored`` writes a name as the server keeps it."""
    totals: defaultdict[Place, Total] = defaultdict(Total)
    for series in samples.list_series(run_id):
        key = series.key
        place = stored(key.server), stored(key.source), stored(key.channel)
        totals[place] = totals[place].plus(_total(samples.read(series.id)))
    return {place: total for place, total in totals.items() if total.n or total.n_not_finite}


def _compared(place: Place, here: Total, there: Sequence[Total]) -> ComparedSeries:
    """Compare with all that is there; where it was sent twice under two names of the lab, with what is whole."""
    together = ComparedSeries(place, here, reduce(Total.plus, there, Total()))
    alone = (ComparedSeries(place, here, total) for total in there)
    return next((compared for compared in (together, *alone) if compared.same), together)


def _total(samples: Samples) -> Total:
    values = samples.value[np.isfinite(samples.value)]
    with np.errstate(over="ignore"):
        total, magnitude = float(values.sum()), float(np.abs(values).sum())
    return Total(len(values), len(samples) - len(values), total, magnitude)
