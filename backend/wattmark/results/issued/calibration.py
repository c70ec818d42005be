"""Everything about calibration in one place: the register, issued results, reviews."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wattmark_drivers.clock import Clock

from wattmark.results.data_folder import Storage
from wattmark.results.issued.certificates import Certificates
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.issued.reviews import Reviews
from wattmark.runs.record import MeterRecord


class Calibration:
    """The register, issued results and reviews of one data folder. ``bench_meters`` returns the meters of the bench."""

    def __init__(
        self,
        storage: Storage,
        queries: Evaluations,
        clock: Clock,
        bench_meters: Callable[[], Sequence[MeterRecord]] = tuple,
    ) -> None:
        self.issuer = Issuer(storage, queries, clock)
        self.certificates = Certificates(storage, queries, self.issuer, clock, bench_meters)
        self.reviews = Reviews(storage, queries, self.issuer)
