"""Everything about calibration in one place: the shelf, stated results, reviews."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wattmark_drivers.clock import Clock

from wattmark.appliance.certificates import Certificates
from wattmark.appliance.queries import Queries
from wattmark.appliance.reviews import Reviews
from wattmark.appliance.statements import Statements
from wattmark.runs.record import MeterRecord
from wattmark.storage.open import Storage


class Calibration:
    """The shelf, stated results and reviews of one data folder. ``bench_meters`` tells the meters of the bench."""

    def __init__(
        self,
        storage: Storage,
        queries: Queries,
        clock: Clock,
        bench_meters: Callable[[], Sequence[MeterRecord]] = tuple,
    ) -> None:
        self.statements = Statements(storage, queries, clock)
        self.certificates = Certificates(storage, queries, self.statements, clock, bench_meters)
        self.reviews = Reviews(storage, queries, self.statements)
