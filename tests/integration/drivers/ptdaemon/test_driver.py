"""The driver reads a daemon: samples, ranges and uncertainty, a measurement of others, and how it is lost."""

from __future__ import annotations

import asyncio
import itertools
import math

import pytest
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.ptdaemon.replies import parse_groups, parse_sample
from wattmark_drivers.reading import Quality
from wattmark_drivers.speakers.faults import Delay, Disconnect, Drop, Garbage
from wattmark_drivers.speakers.indication import Indication

from tests.open_meter import open_meter


async def powers(meter, count: int) -> list:
    return [next(item for item in await meter.read() if item.channel == "power") for _ in range(count)]


async def test_every_sample_is_read_with_its_watts_and_its_stamp(fed, connect):
    async with fed() as daemon, daemon.feeding(), open_meter(daemon.meter()) as meter:
        read = await powers(meter, 8)
        async with connect(daemon.port) as line:
            header = await line.ask("RL")
            samples = [parse_sample(await line.line(), 0) for _ in range(int(header.split()[1]))]
    assert [item.value for item in read] == [sample.values["Watts"] for sample in samples[:8]]
    assert [item.t_ns for item in read] == [sample.t_ns for sample in samples[:8]]
    assert [item.device_time_ns for item in read] == [sample.t_ns for sample in samples[:8]]
    assert {item.quality for item in read} == {Quality.GOOD}
    assert meter.identity.simulated


async def test_all_columns(fed):
    async with fed() as daemon, daemon.feeding(), open_meter(daemon.meter()) as meter:
        values = {item.channel: item.value for item in await meter.read()}
    assert values | {"power": 0.0} == {"power": 0.0, "voltage": 230.0, "current": 2.5, "power_factor": 0.97}


async def test_what_did_not_come_is_no_value(fed):
    async with fed() as daemon, open_meter(daemon.meter()) as meter:
        readings = await meter.read()
    assert {item.quality for item in readings} == {Quality.INVALID}
    assert all(math.isnan(item.value) for item in readings)


async def test_what_the_meter_does_not_measure_is_no_value(fed):
    async with fed() as daemon, open_meter(daemon.meter()) as meter:

        async def show() -> None:
            while True:
                daemon.speaker.show(Indication((), {"power": 5.0}))
                await asyncio.sleep(0.05)

        showing = asyncio.create_task(show())
        async with asyncio.timeout(5):
            while math.isnan((readings := {item.channel: item for item in await meter.read()})["power"].value):
                pass
        showing.cancel()
    assert readings["power"].value == 5.0
    assert readings["voltage"].quality is Quality.INVALID


async def test_ranges_are_set_read_back_and_restored(fed, connect):
    async with fed() as daemon, daemon.feeding():
        async with open_meter(daemon.meter(range="300V-5A")) as meter:
            (reading,) = await powers(meter, 1)
            assert reading.range == "300V-5A"
            assert meter.identity.range_w == 1500.0
            # 0.1 % of reading + 0.05 % of 1500 W, as the declaration says of the simulated analyser
            limit_w = 0.1 / 100 * reading.value + 0.05 / 100 * 1500.0
            assert meter.identity.power_accuracy is not None
            assert meter.identity.power_accuracy.reading_pct == pytest.approx(100 * limit_w / reading.value, rel=0.02)
        async with connect(daemon.port) as line:
            assert await line.ask("RR") == "Ranges,1,5.000000,1,300.000000"


async def test_a_range_that_the_analyser_does_not_have_is_refused(fed):
    async with fed() as daemon:
        with pytest.raises(ConfigurationError, match="chose 300V-5A for 240V-5A"):
            await daemon.meter(range="240V-5A").open()
        with pytest.raises(ConfigurationError, match="refused the range 30 A"):
            await daemon.meter(range="300V-30A").open()


async def test_auto_range_leaves_the_limit_of_error_unknown(fed):
    async with fed() as daemon, daemon.feeding(), open_meter(daemon.meter()) as meter:
        await powers(meter, 1)
        assert meter.identity.power_accuracy is None


async def test_a_measurement_of_others_is_watched_and_never_cleared(fed, connect):
    async with fed() as daemon, daemon.feeding(), connect(daemon.port) as other:
        await other.ask("Go,200,0,other")
        async with asyncio.timeout(5):
            while await other.ask("R*") == "No data":
                await asyncio.sleep(0.05)
        async with open_meter(daemon.meter()) as meter:
            read = await powers(meter, 3)
        assert {item.device_time_ns for item in read} == {None}
        assert len({item.value for item in read}) == 3
        assert daemon.speaker.daemon.measurement.mark == "other"
        assert daemon.speaker.daemon.measuring
        count = int((await other.ask("RL")).split()[1])
        assert count >= 3


async def test_a_measurement_of_others_is_taken_where_that_is_asked_for(fed, connect):
    async with fed() as daemon, daemon.feeding(), connect(daemon.port) as other:
        await other.ask("Go,200,0,other")
        options = {"measurement": "take", "mark": "mine"}
        async with open_meter(daemon.meter(options=options)) as meter:
            await powers(meter, 2)
            assert daemon.speaker.daemon.measurement.mark == "mine"


async def test_who_only_watches_begins_nothing(fed):
    async with fed() as daemon, daemon.feeding():
        with pytest.raises(ConnectionFailed, match="No measurement runs"):
            await daemon.meter(options={"measurement": "watch"}).open()
        assert daemon.speaker.daemon.measurement is None


async def test_a_measurement_that_ended_is_noticed(fed, connect):
    async with fed() as daemon, daemon.feeding(), connect(daemon.port) as other:
        await other.ask("Go,200,0,other")
        await asyncio.sleep(0.6)
        meter = daemon.meter()
        await meter.open()
        await powers(meter, 1)
        await other.ask("Stop")
        with pytest.raises(ConnectionFailed, match="no sample"):
            await powers(meter, 20)
        await meter.close()


async def test_nothing_is_lost_while_the_connection_is_away(fed):
    """The daemon goes on measuring; what it sampled meanwhile is read after the connection is back."""
    async with fed() as daemon, daemon.feeding():
        meter = daemon.meter()
        await meter.open()
        before = await powers(meter, 2)
        await meter._dialogue.close()
        await asyncio.sleep(1.0)
        await meter.open()
        after = await powers(meter, 6)
        await meter.close()
    stamps = [item.t_ns for item in (*before, *after)]
    steps = [(late - early) / 1e9 for early, late in itertools.pairwise(stamps)]
    assert steps == pytest.approx([0.2] * len(steps), abs=0.15)


@pytest.mark.parametrize("fault", [Drop(kind="drop"), Disconnect(kind="disconnect"), Garbage(kind="garbage")])
async def test_a_fault_is_a_lost_connection_and_no_wrong_value(fed, fault):
    async with fed() as daemon, daemon.feeding():
        meter = daemon.meter()
        await meter.open()
        await powers(meter, 1)
        daemon.speaker.inject(fault)
        with pytest.raises(ConnectionFailed):
            await powers(meter, 20)
        await meter.open()
        assert [item.quality for item in await powers(meter, 2)] == [Quality.GOOD] * 2
        await meter.close()


async def test_a_late_answer_costs_nothing(fed):
    async with fed() as daemon, daemon.feeding(), open_meter(daemon.meter()) as meter:
        await powers(meter, 1)
        daemon.speaker.inject(Delay(kind="delay", seconds=0.5))
        assert [item.quality for item in await powers(meter, 5)] == [Quality.GOOD] * 5


@pytest.mark.parametrize(
    ("hello", "error"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", ConfigurationError),
        (b"\xff\xfe\x00\r\n", ConfigurationError),
        (b"x" * 100_000, Exception),
        (b"", ConnectionFailed),
    ],
)
async def test_who_is_no_power_daemon(fed, hello, error):
    async def converse(reader, writer):
        await reader.read(100)
        writer.write(hello)
        writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    async with fed() as daemon:
        daemon.url = f"ptd://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with pytest.raises(error):
            await daemon.meter().open()
    server.close()


async def test_a_channel_that_is_not_there(fed):
    async with fed() as daemon:
        with pytest.raises(ConfigurationError, match="no channel 2"):
            await daemon.meter("/2").open()


@pytest.mark.parametrize(
    ("absent", "sample"), [("over-range", -1.0), ("not-accepted", -1.0), ("lost", -2.0), ("stale", -2.0)]
)
async def test_a_meter_without_a_reading_is_no_watt_as_long_as_that_lasts(fed, connect, absent, sample):
    """A gateway says once why its meter has no reading; every sample from then on is an error, or missed."""
    async with fed() as daemon, connect(daemon.port) as line:
        async with daemon.feeding():
            await line.ask("Go,200,0")
            await asyncio.sleep(0.5)
        daemon.speaker.show(None, absent)
        await asyncio.sleep(1.2)
        await line.ask("Stop")
        header = await line.ask("RL")
        lines = [parse_groups((await line.line()).split(",")[2:], 0) for _ in range(int(header.split()[1]))]
    assert {values["Watts"] for values in lines[-3:]} == {sample}
    assert lines[0]["Watts"] > 0
