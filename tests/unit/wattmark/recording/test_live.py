import asyncio
import math
import threading

import pytest
from wattmark.campaigns.status import CampaignOut
from wattmark.recording import live_channel
from wattmark.recording.live import CampaignEvent, LiveHub, SamplesEvent, Subscription
from wattmark.recording.live_registry import DAYS, SHARED_POINTS
from wattmark.recording.views import LiveChannel
from wattmark.runs.phase_name import PhaseName
from wattmark_drivers.reading import Channel, Kind, Quality

from tests.hand_clock import NOON_NS, HandClock

from .conftest import FakeMeter, reading

NOON_S = NOON_NS / 1e9


@pytest.fixture
def meter() -> FakeMeter:
    return FakeMeter("wall1", simulated=True)


@pytest.fixture
def hub(clock: HandClock, meter: FakeMeter) -> LiveHub:
    hub = LiveHub(clock)
    hub.register(meter, "wall", "r1", period_s=1.0)
    return hub


def only(hub: LiveHub) -> LiveChannel:
    (channel,) = hub.snapshot()
    return channel


async def event(subscription: Subscription) -> SamplesEvent:
    async with asyncio.timeout(5):
        item = await anext(subscription)
    assert isinstance(item, SamplesEvent)
    return item


def test_a_channel_waits_until_its_first_reading(hub: LiveHub, meter: FakeMeter) -> None:
    channel = only(hub)
    assert (channel.state, channel.t_s, channel.value) == ("waiting", [], [])
    assert (channel.source, channel.channel, channel.label) == ("wall1", "power", "Active power")
    assert (channel.quantity, channel.unit, channel.kind) == ("power", "W", "averaged")
    assert (channel.role, channel.server, channel.simulated, channel.period_s) == ("wall", "r1", True, 1.0)
    hub.push(meter, [reading(250.5, range="10A")])
    channel = only(hub)
    assert (channel.state, channel.t_s, channel.value, channel.range) == ("ok", [NOON_S], [250.5], "10A")


def test_readings_that_must_not_be_used_are_none(hub: LiveHub, meter: FakeMeter) -> None:
    bad = [
        reading(1.0, quality=Quality.INVALID),
        reading(255.0, quality=Quality.SATURATED | Quality.STALE),
        reading(math.nan),
        reading(math.inf),
        reading(3.0, quality=Quality.OVER_RANGE),
        reading(4.0, quality=Quality.RETRIED),
    ]
    hub.push(meter, bad)
    assert only(hub).value == [None, None, None, None, None, 4.0]


async def test_a_value_older_than_three_periods_is_stale(hub: LiveHub, meter: FakeMeter, clock: HandClock) -> None:
    async with hub.subscribe() as events:
        hub.push(meter, [reading(1.0)])
        hub.beat()
        assert (await event(events)).samples[0].state == "ok"
        await clock.advance(3.0)
        hub.beat()
        assert only(hub).state == "ok"
        await clock.advance(0.1)
        hub.beat()
        (news,) = (await event(events)).samples
        assert (news.state, news.t_s, news.value) == ("stale", [pytest.approx(NOON_S + 3.1)], [None])
        hub.push(meter, [reading(2.0, NOON_NS + 3_200_000_000)])
        hub.beat()
        (news,) = (await event(events)).samples
        assert (news.state, news.value) == ("ok", [2.0])
    assert only(hub).value == [1.0, None, 2.0]


async def test_a_lost_source_says_why_until_it_answers(hub: LiveHub, meter: FakeMeter) -> None:
    async with hub.subscribe() as events:
        hub.push(meter, [reading(1.0)])
        hub.beat()
        await event(events)
        hub.lose("wall1", "No answer from 10.0.0.7. Check the cable.")
        hub.beat()
        (news,) = (await event(events)).samples
        assert (news.state, news.problem, news.value) == ("lost", "No answer from 10.0.0.7. Check the cable.", [None])
        assert (only(hub).state, only(hub).problem) == ("lost", "No answer from 10.0.0.7. Check the cable.")
        hub.push(meter, [reading(2.0)])
        hub.beat()
        (news,) = (await event(events)).samples
        assert (news.state, news.problem, news.value) == ("ok", None, [2.0])


def test_channels_that_are_known_only_after_opening(hub: LiveHub, clock: HandClock) -> None:
    bmc = FakeMeter("bmc1", channels=())
    hub.register(bmc, "bmc", "r1", period_s=2.0)
    (_, awaited) = hub.snapshot()
    assert (awaited.source, awaited.state, awaited.value) == ("bmc1", "waiting", [])
    hub.lose("bmc1", "No session.")
    assert (hub.snapshot()[1].state, hub.snapshot()[1].problem) == ("lost", "No session.")
    bmc.channels = (Channel("inlet", "temperature", "°C", Kind.INSTANTANEOUS),)
    hub.mark_answering(bmc)
    assert [(channel.source, channel.label) for channel in hub.snapshot()] == [
        ("wall1", "Active power"),
        ("bmc1", "inlet"),
    ]
    hub.push(bmc, [reading(9.0, channel="unlisted", unit="V")])
    assert (hub.snapshot()[-1].channel, hub.snapshot()[-1].unit, hub.snapshot()[-1].value) == ("unlisted", "V", [9.0])


def test_history_is_bounded_in_time_and_in_number(
    meter: FakeMeter, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_channel, "HISTORY_POINTS", 50)
    hub = LiveHub(clock, history_s=10.0)
    hub.register(meter, "wall", None, 1.0)
    hub.push(meter, [reading(float(i), NOON_NS + i * 10**9) for i in range(30)])
    assert only(hub).value == [float(i) for i in range(19, 30)]
    hub.push(meter, [reading(float(i), NOON_NS + 30 * 10**9 + i) for i in range(200)])
    assert only(hub).value == [float(i) for i in range(150, 200)]


async def test_one_beat_is_one_batch(hub: LiveHub, meter: FakeMeter) -> None:
    other = FakeMeter("wall2")
    hub.register(other, "secondary", "r1", 1.0)
    async with hub.subscribe() as events:
        for value in (1.0, 2.0):
            hub.push(meter, [reading(value)])
            hub.push(other, [reading(-value)])
        hub.beat()
        batch = await event(events)
        assert [(news.source, news.value) for news in batch.samples] == [("wall1", [1.0, 2.0]), ("wall2", [-1.0, -2.0])]
        hub.beat()
        hub.push(meter, [reading(3.0)])
        hub.beat()
        assert [(news.source, news.value) for news in (await event(events)).samples] == [("wall1", [3.0])]


async def test_a_slow_listener_loses_batches_and_is_told(clock: HandClock, meter: FakeMeter) -> None:
    hub = LiveHub(clock, backlog=3)
    hub.register(meter, "wall", None, 1.0)
    async with hub.subscribe() as slow, hub.subscribe() as fast:
        for value in range(10):
            hub.push(meter, [reading(float(value))])
            hub.beat()
            batch = await event(fast)
            assert (batch.samples[0].value, batch.dropped) == ([float(value)], 0)
        late = [await event(slow) for _ in range(3)]
        assert [batch.samples[0].value for batch in late] == [[7.0], [8.0], [9.0]]
        assert [batch.dropped for batch in late] == [7, 0, 0]


async def test_campaign_changes_are_sent_at_once_and_only_the_newest(hub: LiveHub, meter: FakeMeter) -> None:
    async with hub.subscribe() as events:
        hub.push(meter, [reading(1.0)])
        hub.beat()
        hub.publish_campaign(CampaignOut(state="running", phase=PhaseName.IDLE))
        hub.publish_campaign(CampaignOut(state="running", phase=PhaseName.MEASURE))
        assert await anext(events) == CampaignEvent(CampaignOut(state="running", phase=PhaseName.MEASURE))
        assert (await event(events)).samples[0].value == [1.0]


async def test_close_ends_listeners_that_wait_and_listeners_that_are_behind(hub: LiveHub, meter: FakeMeter) -> None:
    async def listen(subscription: Subscription) -> int:
        return len([item async for item in subscription])

    waiting, behind = hub.subscribe(), hub.subscribe()
    task = asyncio.create_task(listen(waiting))
    await asyncio.sleep(0)
    hub.push(meter, [reading(1.0)])
    hub.beat()
    thread = threading.Thread(target=hub.close)
    thread.start()
    async with asyncio.timeout(5):
        assert await task <= 1
        thread.join()
        assert await listen(behind) == 0
        assert await listen(hub.subscribe()) == 0


async def test_a_listener_asks_for_a_new_snapshot_when_channels_appear(hub: LiveHub, meter: FakeMeter) -> None:
    bmc = FakeMeter("bmc1", channels=())
    hub.register(bmc, "bmc", "r1", period_s=2.0)
    async with hub.subscribe() as events:
        hub.mark_answering(bmc)
        hub.push(meter, [reading(1.0)])
        hub.beat()
        assert (await event(events)).samples[0].value == [1.0]
        bmc.channels = (Channel("inlet", "temperature", "°C", Kind.INSTANTANEOUS),)
        hub.mark_answering(bmc)
        with pytest.raises(StopAsyncIteration):
            await anext(events)
    assert not hub.closed
    async with hub.subscribe() as events:
        assert len(hub.snapshot()) == 2
        hub.push(bmc, [reading(21.0, channel="inlet", unit="°C")])
        hub.beat()
        assert (await event(events)).samples[0].value == [21.0]
    hub.close()
    assert hub.closed


async def test_a_listener_that_left_costs_nothing(hub: LiveHub, meter: FakeMeter) -> None:
    async with hub.subscribe() as events:
        pass
    hub.push(meter, [reading(1.0)])
    hub.beat()
    assert hub._subscriptions == []
    with pytest.raises(StopAsyncIteration):
        await anext(events)


async def test_the_stream_goes_on_where_the_snapshot_ends(hub: LiveHub, meter: FakeMeter) -> None:
    async with hub.subscribe() as earlier:
        hub.push(meter, [reading(1.0)])
        async with hub.subscribe() as events:
            assert only(hub).value == [1.0]
            hub.push(meter, [reading(2.0)])
            hub.beat()
            assert (await event(events)).samples[0].value == [2.0]
        assert [(await event(earlier)).samples[0].value for _ in range(2)] == [[1.0], [2.0]]


def test_the_day_is_kept_of_as_many_channels_as_there_is_room_for(clock: HandClock) -> None:
    hub, meters = LiveHub(clock), [FakeMeter(f"m{number}") for number in range(DAYS + 1)]
    for meter in meters:
        hub.register(meter, "secondary", "r1", period_s=1.0)
        hub.push(meter, [reading(250.5)])
    has_history = [bool(hub.history(meter.identity.name, NOON_S - 60, NOON_S + 1, 100)) for meter in meters]
    assert has_history == [True] * DAYS + [False]
    assert len(hub.snapshot()[-1].value) == 1
    hub.forget("m0")
    hub.register(meters[0], "secondary", "r1", period_s=1.0)
    hub.push(meters[0], [reading(250.5)])
    assert hub.history("m0", NOON_S - 60, NOON_S + 1, 100)


def test_bit_masks_have_no_day_of_means(clock: HandClock) -> None:
    hub, mask = LiveHub(clock), Channel("clock_limits", "status", "1", Kind.INSTANTANEOUS)
    gpu = FakeMeter("gpu0", (Channel("power", "power", "W", Kind.AVERAGED), mask))
    hub.register(gpu, "secondary", "r1", period_s=1.0)
    hub.push(gpu, [reading(250.0), reading(4.0, channel=mask.id)])
    kept = hub.history("gpu0", NOON_S - 60, NOON_S + 1, 100)
    assert [columns.channel for columns in kept] == ["power"]
    assert {sample.channel: sample.value for sample in hub.snapshot()} == {"power": [250.0], "clock_limits": [4.0]}


def test_a_large_bench_shows_less_of_its_past_and_campaigns_still_see_all(clock: HandClock) -> None:
    hub, seconds = LiveHub(clock), 600
    channels = [Channel("power", "power", "W", Kind.AVERAGED)]
    channels += [Channel(f"v{n}", "voltage", "V", Kind.AVERAGED) for n in range(9)]
    meters = [FakeMeter(f"m{n}", tuple(channels)) for n in range(SHARED_POINTS // 2 // 500)]
    for meter in meters:
        hub.register(meter, "secondary", "r1", period_s=1.0)
    for second in range(seconds):
        stamp = NOON_NS + second * 10**9
        hub.push(meters[0], [reading(float(second), stamp, channel=channel.id) for channel in channels])
    shown = {sample.channel: sample.value for sample in hub.snapshot() if sample.source == "m0"}
    assert shown["power"] == [float(second) for second in range(100, seconds)]
    assert shown["v0"] == [float(second) for second in range(seconds - 500 // 9, seconds)]
    assert [len(trace.points()) for trace in hub.recent("m0")][:2] == [seconds, 500 // 9]


async def test_a_device_that_repeats_itself_is_frozen_and_shows_no_watts(
    hub: LiveHub, meter: FakeMeter, clock: HandClock
) -> None:
    """Row 4 of the review: the state was "ok" and the watts stood there."""
    async with hub.subscribe() as events:
        hub.push(meter, [reading(612.5)])
        hub.push(meter, [reading(612.5, NOON_NS + 4 * 10**9, quality=Quality.STALE)])
        hub.beat()
        (news,) = (await event(events)).samples
        assert (news.state, news.value) == ("frozen", [612.5, None])
        assert (only(hub).state, only(hub).value) == ("frozen", [612.5, None])
        words = "Readings arrive, but none has changed since 12:00:00 UTC, so they are not used. "
        assert (news.problem or "").startswith(words)
        assert hub.frozen() == hub.frozen(wholly=True) == {"wall1": news.problem}
        hub.push(meter, [reading(613.0, NOON_NS + 5 * 10**9)])
        hub.beat()
        (news,) = (await event(events)).samples
        assert (news.state, news.problem, news.value) == ("ok", None, [613.0])
        assert hub.frozen() == {}


def push_equal(hub: LiveHub, meter: FakeMeter, value: float, count: int) -> LiveChannel:
    """Let power stand still while the voltage beside it moves."""
    for second in range(count):
        t_ns = NOON_NS + second * 10**9
        hub.push(meter, [reading(value, t_ns), reading(230 + 0.1 * (second % 7), t_ns, channel="voltage", unit="V")])
    return next(channel for channel in hub.snapshot() if channel.channel == "power")


def test_a_stuck_channel_beside_moving_ones_is_seen(hub: LiveHub, meter: FakeMeter) -> None:
    """Row 4 of the review: power stood still, the volts moved, and nothing told of it."""
    assert push_equal(hub, meter, 612.5, 60).state == "ok"
    power = push_equal(hub, meter, 612.5, 1)
    assert (power.state, power.value[-1]) == ("frozen", 612.5)
    assert (power.problem or "").startswith("61 readings in a row are 612.5 W, since 12:00:00 UTC. The meter may have")
    assert [channel.state for channel in hub.snapshot()] == ["frozen", "ok"]
    assert set(hub.frozen()) == {"wall1"}
    assert hub.frozen(wholly=True) == {}


@pytest.mark.parametrize(
    ("channel", "value", "indicative"),
    [
        (Channel("power", "power", "W", Kind.AVERAGED), 0.0, False),
        (Channel("power", "power", "W", Kind.INSTANTANEOUS), 104.0, True),
        (Channel("rated_power", "rated", "W", Kind.INSTANTANEOUS), 3000.0, False),
        (Channel("relay", "state", "1", Kind.INSTANTANEOUS), 1.0, False),
        (Channel("temperature", "temperature", "°C", Kind.INSTANTANEOUS), 21.0, False),
    ],
    ids=["an unused feed", "a coarse sensor of a BMC", "a rated value", "a relay", "a temperature"],
)
def test_what_stands_still_rightly_is_not_frozen(
    clock: HandClock, channel: Channel, value: float, indicative: bool
) -> None:
    hub, meter = LiveHub(clock), FakeMeter("wall1", channels=(channel,), indicative=indicative)
    hub.register(meter, "wall", "r1", period_s=1.0)
    for second in range(600):
        hub.push(meter, [reading(value, NOON_NS + second * 10**9, channel=channel.id, unit=channel.unit)])
    assert (only(hub).state, only(hub).problem) == ("ok", None)
    assert hub.frozen() == {}
