"""Reading a device for a while: at the right pace, through lost answers, never for ever."""

from __future__ import annotations

import pytest
from wattmark_drivers.errors import BadReply, ConnectionFailed, DriverError
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.plausibility import collect as room
from wattmark_drivers.plausibility.collect import collect
from wattmark_drivers.plausibility.judge import judge
from wattmark_drivers.reading import Channel, Kind, Reading
from wattmark_drivers.settings import MeterSettings

from tests.set_clock import SetClock

SETTINGS = MeterSettings("m", "eastron.sdm120", "modbus-tcp://h/1")
LOST = BadReply("torn")
GONE = ConnectionFailed("gone")


class Fake:
    """A meter of 0.01 s per answer; ``script`` holds what its first reads raise."""

    def __init__(self, clock: SetClock, script: list[DriverError | None], *, pushes: bool = False) -> None:
        self.identity = MeterIdentity("m", "eastron.sdm120", "", "", update_period_s=1.0)
        self.channels = (Channel("power", "power", "W", Kind.AVERAGED),)
        self.pushes = pushes
        self.opened = self.closed = 0
        self._clock, self._script = clock, script

    async def open(self) -> None:
        self.opened += 1

    async def close(self) -> None:
        self.closed += 1

    async def read(self) -> list[Reading]:
        await self._clock.sleep(1.0 if self.pushes else 0.01)
        error = self._script.pop(0) if self._script else None
        if error is not None:
            raise error
        return [Reading("power", 100.0, "W", self._clock.now_ns, 0, Kind.AVERAGED)]


def fake(monkeypatch: pytest.MonkeyPatch, script: list[DriverError | None], *, pushes: bool = False) -> Fake:
    meter = Fake(SetClock(), script, pushes=pushes)
    monkeypatch.setattr(room, "create_meter", lambda *_: meter)
    return meter


async def run(meter: Fake, seconds: float):
    return await collect(SETTINGS, seconds, clock=meter._clock)


async def test_a_polled_meter_is_read_five_times_per_update(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = fake(monkeypatch, [])
    recording = await run(meter, 2.0)
    stamps_ms = [round(reading.t_ns / 1e6) for reading in recording.readings]
    assert stamps_ms == [10, 210, 410, 610, 810, 1010, 1210, 1410, 1610, 1810]
    assert recording.period_s == pytest.approx(0.2)
    assert meter.closed == 2, "the second one also ends what a failed call left"


async def test_a_pushing_meter_is_only_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = await run(fake(monkeypatch, [], pushes=True), 3.0)
    assert [reading.t_ns for reading in recording.readings] == [10**9, 2 * 10**9, 3 * 10**9]
    assert recording.period_s is None


async def test_lost_answers_are_counted_and_a_lost_device_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = fake(monkeypatch, [None, LOST, None, GONE, GONE, None])
    recording = await run(meter, 2.0)
    assert recording.lost == 3
    assert meter.opened == 3
    answers = judge(recording)[0]
    assert (answers.rule, answers.outcome) == ("answers", "fail")


async def test_a_device_that_is_gone_ends_the_reading_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = fake(monkeypatch, [None, GONE, GONE, GONE])
    with pytest.raises(ConnectionFailed, match="gone"):
        await run(meter, 60.0)
    assert meter.closed == 2
