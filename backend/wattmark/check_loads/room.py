"""Add check loads, record their readings, chart them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from wattmark_drivers.clock import Clock

from wattmark.check_loads.chart import drift, iso, segments
from wattmark.check_loads.record import CheckLoad, CheckReading
from wattmark.check_loads.standing import load_out
from wattmark.check_loads.take import Taken, require_plausible
from wattmark.check_loads.views import CheckChartOut, CheckLoadOut, NewCheckLoad, NewReading, ReadingFacts
from wattmark.errors import InputError, NotFound, StoreError
from wattmark.storage.check_load_store import CheckLoadStore

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
"""Before the first meters that this program reads."""


@dataclass(frozen=True, slots=True)
class CheckLoads:
    """The check loads of one data folder. ``bench_meters`` names those of the bench; none: any name is taken."""

    store: CheckLoadStore
    clock: Clock
    bench_meters: Callable[[], Collection[str]] = tuple

    @property
    def meters(self) -> Collection[str]:
        """Name the meters of the bench as it is now."""
        return self.bench_meters()

    def add(self, order: NewCheckLoad) -> CheckLoadOut:
        """Add a check load. Raises `InputError` for an unknown meter, `Conflict` for a name that is taken."""
        if self.meters and order.meter not in self.meters:
            known = ", ".join(self.meters)
            raise InputError(f"The bench has no meter {order.meter!r}.", f"Meters of this bench: {known}.")
        self.store.add(CheckLoad(**order.model_dump(), added_ns=self.clock.utc_ns()))
        return self.chart(order.name).load

    def load(self, name: str) -> CheckLoad:
        """Read a check load. Raises `NotFound`."""
        load = self.store.get(name)
        if load is None:
            raise NotFound(f"There is no check load {name[:80]!r}.", "List them with `wattmark check-load list`.")
        return load

    def list(self) -> list[CheckLoadOut]:
        """List all check loads with their standing now."""
        return [self._standing(load) for load in self.store.all()]

    def _standing(self, load: CheckLoad) -> CheckLoadOut:
        """Tell how a check load stands; one whose readings cannot be read says so, and the others stand as they do."""
        try:
            return self.chart(load.name).load
        except StoreError as error:
            return load_out(load, [], None, self.clock.utc_ns()).model_copy(update={"statement": str(error)})

    def chart(self, name: str) -> CheckChartOut:
        """Chart all readings of a check load. Raises `NotFound`."""
        load = self.load(name)
        readings = self.store.readings(name)
        charted = segments(readings)
        found = drift(charted[-1]) if charted else None
        moved, u, expanded, over = found or (None, None, None, 0)
        last_ns = readings[-1].at_ns if readings else None
        standing = load_out(load, charted, last_ns, self.clock.utc_ns())
        return CheckChartOut(
            load=standing, segments=charted, drift_w=moved, drift_u_w=u, drift_U95_w=expanded, drift_over=over
        )

    def record_by_hand(self, name: str, order: NewReading, at: datetime | None = None) -> CheckChartOut:
        """Record what a person read off the meter. Raises `InputError`, `NotFound`, `Conflict`."""
        if order.power_w is None:
            raise InputError("The reading has no power.", "Give the watts that the meter showed.")
        given = order.model_dump(include={"power_w", "sd_w", "n", "range"})
        return self._record(name, order, self._instant_ns(at), by_hand=True, **given)

    def record_taken(self, name: str, taken: Taken, facts: ReadingFacts) -> CheckChartOut:
        """Record what `take` made of live readings. Raises `InputError`, `NotFound`."""
        given = {"power_w": taken.power_w, "sd_w": taken.sd_w, "n": taken.n, "range": taken.range}
        return self._record(name, facts, self.clock.utc_ns(), simulated=taken.simulated, **given)

    def _record(self, name: str, facts: ReadingFacts, at_ns: int, **measured: Any) -> CheckChartOut:
        load = self.load(name)
        require_plausible(load.nominal_w, float(measured["power_w"]))
        said = facts.model_dump(include={"operator", "note", "begins_baseline"})
        reading = CheckReading.model_validate({"check_load": name, "at_ns": at_ns, **said, **measured})
        self._require_same_range(reading)
        self.store.add_reading(reading)
        return self.chart(name)

    def _require_same_range(self, reading: CheckReading) -> None:
        """Refuse a reading in another range than the one before: each range has its own error."""
        before = [one for one in self.store.readings(reading.check_load) if one.at_ns < reading.at_ns]
        if reading.begins_baseline or not before or None in (before[-1].range, reading.range):
            return
        if before[-1].range != reading.range:
            raise InputError(
                f"This reading is in range {reading.range}, those before are in {before[-1].range}.",
                "Set the meter to that range, or begin a new baseline with this reading.",
            )

    def _instant_ns(self, at: datetime | None) -> int:
        now_ns = self.clock.utc_ns()
        if at is None:
            return now_ns
        if at.tzinfo is None:
            raise InputError(f"{at.isoformat()} has no time zone.", "Give the instant with its zone: ...T08:00:00Z.")
        if at < EARLIEST:
            raise InputError(f"{at.isoformat()} is too long ago.", "Give the instant at which the meter was read.")
        at_ns = round(at.timestamp()) * 10**9
        if at_ns > now_ns:
            raise InputError(f"{iso(at_ns)} lies in the future.", "Give the instant at which the meter was read.")
        return at_ns
