"""How long a campaign waits for its instruments: as long as their drivers need, and no longer than is of use."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from wattmark.core.errors import WattmarkError
from wattmark.instruments.ready import PATIENCE_S, wait_for_window, wait_until_ready
from wattmark_drivers.meter import MeasuredPace
from wattmark_drivers.sampler import SamplerState

BEGAN_NS = 1_700_000_000_000_000_000


class Bench:
    """Clock and monitor: what each instrument is from which second on."""

    def __init__(self, **stories: list[tuple[float, str, str | None]]) -> None:
        self.now_s = 0.0
        self._stories = stories

    def monotonic_ns(self) -> int:
        return int(self.now_s * 1e9)

    def utc_ns(self) -> int:
        return BEGAN_NS + self.monotonic_ns()

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    def meter_state(self, name: str) -> SamplerState | None:
        past = [entry for entry in self._stories[name] if entry[0] <= self.now_s]
        if not past:
            return None
        since_s, state, problem = past[-1]
        return SamplerState(name, state, problem, BEGAN_NS + int(since_s * 1e9))  # type: ignore[arg-type]


async def wait(bench: Any, *names: str) -> float:
    await wait_until_ready(bench, names, bench)
    return float(bench.now_s)


async def test_a_bmc_whose_list_of_sensors_takes_its_time_is_waited_for() -> None:
    bench = Bench(wall=[(0.1, "ok", None)], bmc=[(0, "connecting", None), (38, "ok", None)])
    assert await wait(bench, "wall", "bmc") == pytest.approx(38, abs=0.5)


async def test_what_fails_once_and_comes_back_is_ready() -> None:
    bench = Bench(bmc=[(0, "connecting", None), (6, "lost", "It has no free session."), (9, "ok", None)])
    assert await wait(bench, "bmc") == pytest.approx(9, abs=0.5)


async def test_what_stays_lost_is_named_with_its_reason_soon() -> None:
    bench = Bench(wall=[(0, "ok", None)], bmc=[(0, "connecting", None), (1, "lost", "It rejects the password.")])
    with pytest.raises(WattmarkError, match=r"^Nothing was started: bmc: It rejects the password\.$"):
        await wait(bench, "wall", "bmc")
    assert bench.now_s < 10


async def test_what_was_lost_long_ago_is_told_at_once() -> None:
    bench = Bench(bmc=[(0, "lost", "It is gone.")])
    bench.now_s = 600
    with pytest.raises(WattmarkError, match="It is gone"):
        await wait(bench, "bmc")
    assert bench.now_s == 600


async def test_silence_without_a_reason_ends_and_the_one_with_a_reason_is_named() -> None:
    bench = Bench(a=[(0, "connecting", None)], b=[(0, "lost", "It is gone.")], c=[])
    with pytest.raises(WattmarkError, match=r"b: It is gone\. \(2 more"):
        await wait(bench, "a", "b", "c")
    assert PATIENCE_S <= bench.now_s < PATIENCE_S + 1
    with pytest.raises(WattmarkError, match="a: gave no reading within"):
        await wait(Bench(a=[(0, "connecting", None)]), "a")


class Publisher:
    """What is known of a meter that publishes when it likes, listened to since the bench began."""

    name = "plug"

    def __init__(self, bench: Bench, every_s: float | None) -> None:
        self._bench = bench
        self._every_s = every_s

    @property
    def meter(self) -> Any:
        return SimpleNamespace(identity=SimpleNamespace(pace=self.pace))

    @property
    def pace(self) -> MeasuredPace:
        readings = 0 if self._every_s is None else int(self._bench.now_s / self._every_s)
        interval_s = self._every_s if readings > 1 else None
        newest_ns = BEGAN_NS + int(readings * (self._every_s or 0) * 1e9) if readings else None
        return MeasuredPace(interval_s, readings, BEGAN_NS, newest_ns, "Set TelePeriod 10")


async def begin(window_s: float, every_s: float | None) -> float:
    """Wait for a bench with one such meter; returns how long it took [s]."""
    bench: Any = Bench(plug=[(0, "ok", None)])
    bench.meters = [Publisher(bench, every_s)]
    await wait_for_window(bench, ["plug"], window_s, bench)
    return float(bench.now_s)


async def test_a_meter_that_publishes_often_enough_for_the_window_is_ready_after_three_readings() -> None:
    assert await begin(240, every_s=10) == pytest.approx(30, abs=0.5)


async def test_one_that_publishes_too_rarely_is_refused_with_both_intervals_and_the_remedy() -> None:
    words = (
        r"^Nothing was started: plug publishes a reading every 60 s, and a window of 1100 s needs 20 readings, one "
        r"every 55 s\. Set TelePeriod 10, or set measure_s to at least 1200\.$"
    )
    with pytest.raises(WattmarkError, match=words):
        await begin(1100, every_s=60)


async def test_one_that_stays_silent_is_refused_once_that_is_certain() -> None:
    with pytest.raises(WattmarkError, match=r"plug publishes no reading for 18\.\d s, and a window of 240 s needs 20"):
        await begin(240, every_s=None)
    with pytest.raises(WattmarkError, match=r"no reading for 18\.\d s"):
        await begin(240, every_s=300)


async def test_a_meter_that_is_polled_is_not_watched() -> None:
    bench: Any = Bench(wall=[(0, "ok", None)])
    bench.meters = [SimpleNamespace(name="wall", meter=SimpleNamespace(identity=SimpleNamespace(pace=None)))]
    await wait_for_window(bench, ["wall"], 1.0, bench)
    assert bench.now_s == 0.0
