"""A load that repeats each second, and meters that look at it for less: where polls lie decides what is seen.

Truth: 250 W, alternating by 60 W each half second (review A7). Time is the test's own; the scheduler is the real one.
"""

from __future__ import annotations

import asyncio
import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from wattmark_drivers.errors import BadReply
from wattmark_drivers.pace import random_offsets
from wattmark_drivers.reading import Channel, Kind, Reading
from wattmark_drivers.sampler import Sampler

from tests.unit.wattmark_drivers.test_sampler import SECOND, Clock, FakeMeter

MEAN_W, SWING_W = 250.0, 60.0
POLLS = 240


class LoadMeter(FakeMeter):
    """Shows the mean of the load over the last ``averaging_s`` [s] (0: its value now) as the ``kind`` says."""

    def __init__(self, clock: Clock, *, kind=Kind.INSTANTANEOUS, load_phase_s=0.0, averaging_s=0.0, pushes=False):
        super().__init__(clock, pushes=pushes)
        self.channels = [Channel("power", "power", "W", kind)]
        self.identity = replace(self.identity, averaging_s=averaging_s or None)
        self.load_phase_s = load_phase_s
        self.averaging_s = averaging_s
        self.read_s = 0.0

    async def read(self) -> list[Reading]:
        self.events.append(("read", self._clock.now_ns))
        await self._clock.sleep(self.read_s)
        end_s = self._clock.now_ns / SECOND + self.load_phase_s
        value = self._mean(end_s) if self.averaging_s else MEAN_W + (SWING_W if end_s % 1 < 0.5 else -SWING_W)
        return [Reading("power", value, "W", self._clock.utc_ns(), 0, self.channels[0].kind)]

    def _mean(self, end_s: float) -> float:
        begin_s = end_s - self.averaging_s
        return MEAN_W + (_swing_j(end_s) - _swing_j(begin_s)) / self.averaging_s


def _swing_j(t_s: float) -> float:
    """Integrate the swing from 0 [J]: up in the first half of each second, down in the second."""
    part = t_s % 1
    return SWING_W * (part if part < 0.5 else 1 - part)


async def sample(meter: LoadMeter, clock: Clock, key: bytes = b"0", period_s: float = 1.0) -> list[float]:
    values: list[float] = []
    sampler = Sampler(
        meter,
        period_s=period_s,
        on_readings=lambda _, readings: values.extend(reading.value for reading in readings),
        on_state=lambda _: None,
        clock=clock,
        offsets=random_offsets(key),
    )
    task = asyncio.create_task(sampler.run())
    await clock.ended.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return values


async def biases(phases: int, **how) -> np.ndarray:
    """Measure the mean of a load at many phases; give its errors [W]."""
    errors = []
    for number in range(phases):
        clock = Clock(until_s=POLLS)
        meter = LoadMeter(clock, load_phase_s=number / phases + 0.003, **how)
        errors.append(np.mean(await sample(meter, clock, b"%d" % number)) - MEAN_W)
    return np.array(errors)


async def test_polls_on_the_second_see_one_phase_and_polls_at_random_places_see_the_mean():
    # A meter that says that it averages all the time since its last reading is polled on the second: what it would
    # mean to poll an instantaneous one so, since this one does not average.
    locked = await biases(40, kind=Kind.AVERAGED)
    assert locked.std() == pytest.approx(SWING_W)
    dithered = await biases(40)
    scatter_w = SWING_W / math.sqrt(POLLS)
    assert abs(dithered.mean()) < 4 * scatter_w / math.sqrt(40)
    assert 0.6 < dithered.std() / scatter_w < 1.4
    assert np.abs(dithered).max() < 5 * scatter_w


async def test_a_mean_over_a_quarter_of_the_period_is_polled_at_random_places():
    """Review A7: over 0.25 s, polled each 1 s, errors of sd 47 W on the second."""
    errors = await biases(40, kind=Kind.AVERAGED, averaging_s=0.25)
    # The mean over 0.25 s of the square has the variance 60² (1 - 0.5 · 2/3): flat parts, and ramps for half the time.
    scatter_w = SWING_W * math.sqrt(1 - 0.5 * 2 / 3) / math.sqrt(POLLS)
    assert abs(errors.mean()) < 4 * scatter_w / math.sqrt(40)
    assert 0.6 < errors.std() / scatter_w < 1.4


@pytest.mark.parametrize("how", [{"averaging_s": 1.0}, {"averaging_s": 1.0, "pushes": True}])
async def test_a_meter_that_covers_its_period_is_exact_wherever_it_is_polled(how):
    clock = Clock(until_s=20)
    meter = LoadMeter(clock, kind=Kind.AVERAGED, **how)
    meter.read_s = 1.0 if meter.pushes else 0.0
    values = await sample(meter, clock)
    assert values == pytest.approx([MEAN_W] * len(values), abs=1e-6)
    steps = np.diff(meter.times("read"))
    assert set(steps) == {SECOND}


async def test_each_period_has_its_poll_and_steps_stay_below_two_periods():
    clock = Clock(until_s=1000)
    meter = LoadMeter(clock)
    meter.read_s = 0.02
    await sample(meter, clock)
    times = np.array(meter.times("read"))
    periods = times // SECOND
    # 1 in 2500 polls falls into the answer before and begins right after it, sometimes in the next period.
    assert list(periods) == list(range(periods[0], periods[0] + len(periods)))
    assert len(times) >= 999
    steps = np.diff(times) / SECOND
    assert steps.min() >= 0.02 - 1e-6
    assert steps.max() < 2
    assert steps.std() == pytest.approx(math.sqrt(1 / 6), rel=0.1)  # of the difference of two uniform places


async def test_a_poll_that_falls_into_the_answer_before_begins_right_after_it():
    clock = Clock(until_s=500)
    meter = LoadMeter(clock)
    meter.read_s = 0.7
    await sample(meter, clock)
    times = meter.times("read")
    periods = [t // SECOND for t in times]
    assert len(set(periods)) == len(periods), "never two polls in one period"
    assert len(times) >= 490
    assert all(b - a >= 0.7 * SECOND for a, b in itertools.pairwise(times))


async def test_a_meter_that_is_slower_than_its_period_leaves_periods_out():
    clock = Clock(until_s=200)
    meter = LoadMeter(clock)
    meter.read_s = 2.3
    await sample(meter, clock)
    times = meter.times("read")
    assert all(b - a >= 2.3 * SECOND for a, b in itertools.pairwise(times))
    assert len(times) > 60


async def test_after_a_loss_polls_go_on_at_the_places_of_their_periods():
    clock = Clock(until_s=60)

    class Lossy(LoadMeter):
        async def read(self) -> list[Reading]:
            if len(self.times("read")) in range(10, 13):
                self.events.append(("read", self._clock.now_ns))
                raise BadReply("noise", "Look.")
            return await super().read()

    meter = Lossy(clock)
    await sample(meter, clock)
    offset = random_offsets(b"0")
    for t in meter.times("read"):
        assert t / SECOND % 1 == pytest.approx(offset(t // SECOND), abs=1e-6)
