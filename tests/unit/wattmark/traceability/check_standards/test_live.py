"""A reading of the live meter: who may take one, and what happens when it cannot be taken."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from wattmark.core.errors import Conflict, WattmarkError
from wattmark.instruments.check_standard import LiveCheckStandards
from wattmark.traceability.check_standards.record import NewCheckStandard
from wattmark.traceability.check_standards.service import CheckStandards
from wattmark.traceability.check_standards.views import NewReading
from wattmark_drivers.reading import Kind, Reading
from wattmark_drivers.sampler import SamplerState

from tests.set_clock import SetClock

LIVE = NewReading(operator="E. Bauer", seconds=5)


@dataclass
class Meter:
    """Stands for the monitor: one meter that answers or not, with the readings that come while it is tapped."""

    readings: list[Reading]
    problem: str | None = None
    tapped: list[str] = field(default_factory=list)

    def meter_state(self, name: str) -> SamplerState:
        return SamplerState(name, "lost" if self.problem else "ok", self.problem, 0)

    @contextmanager
    def tap(self, name: str) -> Iterator[list[Reading]]:
        self.tapped.append(name)
        yield self.readings


def live(room: CheckStandards, clock: SetClock, meter: Meter, **state: bool) -> LiveCheckStandards:
    now = {"busy": False, "closed": False, **state}
    return LiveCheckStandards(room, meter, clock, busy=lambda: now["busy"], closed=lambda: now["closed"])  # type: ignore[arg-type]


def steady(watts: float, n: int = 10) -> list[Reading]:
    return [Reading("power", watts + 0.01 * (k % 2), "W", k, 0, Kind.AVERAGED, "300V/1A") for k in range(n)]


async def test_the_meter_is_read_as_long_as_asked(room: CheckStandards, clock: SetClock):
    meter = Meter(steady(100))
    before_ns = clock.now_ns
    chart = await live(room, clock, meter).record("bulb", LIVE)
    (point,) = chart.segments[0].points
    assert (point.power_w, point.n, point.range) == (pytest.approx(100.005), 10, "300V/1A")
    assert not point.by_hand
    assert meter.tapped == ["wall"]
    assert clock.now_ns - before_ns == pytest.approx(5e9, rel=1e-6)


async def test_nothing_is_recorded_while_a_campaign_heats_a_server(room: CheckStandards, clock: SetClock):
    meter = Meter(steady(100))
    with pytest.raises(Conflict, match="campaign is running"):
        await live(room, clock, meter, busy=True).record("bulb", LIVE)
    assert meter.tapped == []


async def test_a_meter_that_the_bench_lacks_is_read_by_hand_only(room: CheckStandards, clock: SetClock):
    elsewhere = CheckStandards(room.store, clock)
    elsewhere.add(NewCheckStandard(name="lamp", meter="elsewhere", nominal_w=100))
    watch = live(elsewhere, clock, Meter([]))
    with pytest.raises(Conflict, match="no meter elsewhere"):
        await watch.record("lamp", LIVE)
    chart = await watch.record("lamp", NewReading(operator="E. Bauer", power_w=100))
    assert chart.segments[0].points[0].by_hand


@pytest.mark.parametrize(
    ("meter", "words"),
    [
        (Meter([], problem="The meter does not answer."), "does not answer"),
        (Meter(steady(100, 3)), "3 power samples"),
        (Meter(steady(200)), "100 W of this load"),
    ],
)
async def test_a_reading_that_fails_changes_nothing(room: CheckStandards, clock: SetClock, meter: Meter, words: str):
    with pytest.raises(WattmarkError, match=words):
        await live(room, clock, meter).record("bulb", LIVE)
    assert room.chart("bulb").standard.readings == 0


async def test_a_service_that_stops_does_not_wait_for_the_reading(room: CheckStandards, clock: SetClock):
    before_ns = clock.now_ns
    with pytest.raises(WattmarkError, match="0 power samples"):
        await live(room, clock, Meter([]), closed=True).record("bulb", LIVE)
    assert clock.now_ns == before_ns
