"""Add check standards, record their readings, and chart them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from wattmark_drivers.clock import Clock

from wattmark.core.errors import InputError, NotFound, StoreError
from wattmark.core.instants import iso
from wattmark.traceability.check_standards.chart import drift, segments
from wattmark.traceability.check_standards.record import CheckReading, CheckStandard, NewCheckStandard, ReadingFacts
from wattmark.traceability.check_standards.status import check_standard_out
from wattmark.traceability.check_standards.store import CheckStandardStore
from wattmark.traceability.check_standards.take import AveragedPower, require_plausible
from wattmark.traceability.check_standards.views import CheckChartOut, CheckStandardOut, NewReading

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
"""Before the first meters that this program reads."""


@dataclass(frozen=True, slots=True)
class CheckStandards:
    """The check standards of one data folder. ``bench_meters`` names those of the bench; none: any name is taken."""

    store: CheckStandardStore
    clock: Clock
    bench_meters: Callable[[], Collection[str]] = tuple

    @property
    def meters(self) -> Collection[str]:
        """Return the meters of the present bench."""
        return self.bench_meters()

    def add(self, order: NewCheckStandard) -> CheckStandardOut:
        """Add a check standard. Raises `InputError` for an unknown meter, `Conflict` for a name that is taken."""
        if self.meters and order.meter not in self.meters:
            names = ", ".join(self.meters)
            raise InputError(f"The bench has no meter {order.meter!r}.", f"Meters of this bench: {names}.")
        self.store.add(CheckStandard(**order.model_dump(), added_ns=self.clock.utc_ns()))
        return self.chart(order.name).standard

    def load(self, name: str) -> CheckStandard:
        """Read a check standard. Raises `NotFound`."""
        load = self.store.get(name)
        if load is None:
            raise NotFound(
                f"There is no check standard {name[:80]!r}.", "List them with `wattmark check-standard list`."
            )
        return load

    def list(self) -> list[CheckStandardOut]:
        """List all check standards with their status now."""
        return [self._status(load) for load in self.store.all()]

    def _status(self, load: CheckStandard) -> CheckStandardOut:
        """Return the status of a check standard; where its readings cannot be read, the statement gives the reason."""
        try:
            return self.chart(load.name).standard
        except StoreError as error:
            return check_standard_out(load, [], None, self.clock.utc_ns()).model_copy(update={"statement": str(error)})

    def chart(self, name: str) -> CheckChartOut:
        """Return the control chart of a check standard. Raises `NotFound`."""
        load = self.load(name)
        readings = self.store.readings(name)
        charted = segments(readings)
        drifted = drift(charted[-1]) if charted else None
        moved, over = drifted or (None, 0)
        last_ns = readings[-1].at_ns if readings else None
        status = check_standard_out(load, charted, last_ns, self.clock.utc_ns())
        return CheckChartOut(standard=status, segments=charted, drift=moved, drift_over=over)

    def record_by_hand(self, name: str, order: NewReading, instant: datetime | None = None) -> CheckChartOut:
        """Record a reading [W] that a person took from the display. Raises `InputError`, `NotFound`, `Conflict`."""
        if order.power_w is None:
            raise InputError("The reading has no power.", "Give the watts that the meter showed.")
        measured = order.model_dump(include={"power_w", "sd_w", "n", "range"})
        return self._record(name, order, self._instant_ns(instant), by_hand=True, **measured)

    def record_taken(self, name: str, taken: AveragedPower, facts: ReadingFacts) -> CheckChartOut:
        """Record a reading [W] that `take` averaged from live readings. Raises `InputError`, `NotFound`."""
        measured = {"power_w": taken.power_w, "sd_w": taken.sd_w, "n": taken.n, "range": taken.range}
        return self._record(name, facts, self.clock.utc_ns(), simulated=taken.simulated, **measured)

    def _record(self, name: str, facts: ReadingFacts, at_ns: int, **measured: Any) -> CheckChartOut:
        load = self.load(name)
        require_plausible(load.nominal_w, float(measured["power_w"]))
        remarks = facts.model_dump(include={"operator", "note", "begins_baseline"})
        reading = CheckReading.model_validate({"check_standard": name, "at_ns": at_ns, **remarks, **measured})
        self._require_same_range(reading)
        self.store.add_reading(reading)
        return self.chart(name)

    def _require_same_range(self, reading: CheckReading) -> None:
        """Refuse a reading in another range than the previous one: each range has its own error."""
        before = [earlier for earlier in self.store.readings(reading.check_standard) if earlier.at_ns < reading.at_ns]
        if reading.begins_baseline or not before or None in (before[-1].range, reading.range):
            return
        if before[-1].range != reading.range:
            raise InputError(
                f"This reading is in range {reading.range}; the earlier ones are in range {before[-1].range}.",
                "Set the meter to that range, or start a new baseline with this reading.",
            )

    def _instant_ns(self, instant: datetime | None) -> int:
        now_ns = self.clock.utc_ns()
        if instant is None:
            return now_ns
        if instant.tzinfo is None:
            raise InputError(f"{instant.isoformat()} has no time zone.", "Give the time with its zone: ...T08:00:00Z.")
        if instant < EARLIEST:
            raise InputError(f"{instant.isoformat()} is too long ago.", "Give the time at which the meter was read.")
        at_ns = round(instant.timestamp()) * 10**9
        if at_ns > now_ns:
            raise InputError(f"{iso(at_ns)} is in the future.", "Give the time at which the meter was read.")
        return at_ns
