"""A log plays at its own pace; what is wrong with it is said, and its end too."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Kind, Quality
from wattmark_drivers.sampler import Sampler
from wattmark_drivers.settings import MeterSettings

from tests.examples import examples
from tests.open_meter import open_meter
from tests.set_clock import SetClock

NS = 1_000_000_000
UTC_NS = 1_795_000_000 * NS
T0 = 1_615_885_514_265_000_000
HEAD = """# wattmark log 1
# source,a WT310
# channel,power,power,W,averaged,0.1,True power
# channel,energy,energy,Wh,counter,,Energy
t_ns,channel,quantity,unit,value,quality
"""


def row(second: float, value: float | str, channel: str = "power", quality: int = 0) -> str:
    quantity, unit = {"power": ("power", "W"), "energy": ("energy", "Wh")}[channel]
    return f"{T0 + int(second * NS)},{channel},{quantity},{unit},{value},{quality}\n"


@pytest.fixture
def clock() -> SetClock:
    return SetClock(5 * NS, UTC_NS)


@pytest.fixture
def play(tmp_path, clock):
    """Make a replay of these lines."""

    def play(lines: str, options: str = "", head: str = HEAD):
        (tmp_path / "a log.csv").write_text(head + lines)
        return create_meter(MeterSettings("old", "replay.log", f"replay://{tmp_path}/a%20log.csv{options}"), clock)

    return play


async def test_values_come_at_their_distance_with_kind_and_resolution(play, clock):
    async with open_meter(
        play(row(0, 431.0) + row(0, 12.5, "energy") + row(1.016, 460.4, quality=Quality.OVER_RANGE))
    ) as meter:
        begin_ns = clock.utc_ns()
        first = await meter.read()
        assert [(reading.channel, reading.value, reading.unit, reading.kind) for reading in first] == [
            ("power", 431.0, "W", Kind.AVERAGED), ("energy", 12.5, "Wh", Kind.COUNTER),
        ]  # fmt: skip
        assert {(reading.t_ns, reading.device_time_ns) for reading in first} == {(begin_ns, T0)}
        (second,) = await meter.read()
        assert second.t_ns == clock.utc_ns() == begin_ns + 1_016_000_000
        assert second.quality == Quality.OVER_RANGE | Quality.SIMULATED
        assert first[0].quality is Quality.SIMULATED
        assert [channel.resolution for channel in meter.channels] == [0.1, None]
        assert meter.identity.simulated
        assert meter.identity.power_accuracy is None


async def test_twice_the_speed(play, clock):
    async with open_meter(play(row(0, 1) + row(10, 2), "?speed=2")) as meter:
        begin_ns = clock.now_ns
        await meter.read()
        assert (await meter.read())[0].t_ns - UTC_NS == clock.now_ns == begin_ns + 5 * NS


async def test_the_end_is_a_loss_that_stays(play):
    meter = play(row(0, 1))
    await meter.open()
    await meter.read()
    for again in (meter.read, meter.open):
        with pytest.raises(ConnectionFailed, match="replayed to its end"):
            await again()


async def test_a_loop_begins_anew_and_time_goes_on(play):
    async with open_meter(play(row(0, 1) + row(1, 2), "?loop=1")) as meter:
        seen = [(await meter.read())[0] for _ in range(5)]
        assert [reading.value for reading in seen] == [1, 2, 1, 2, 1]
        assert [b.t_ns - a.t_ns for a, b in itertools.pairwise(seen)] == [NS] * 4


async def test_a_log_without_values_does_not_loop_for_ever(play):
    meter = play("garbage\n", "?loop=1")
    await meter.open()
    with pytest.raises(BadReply):
        await meter.read()
    with pytest.raises(ConnectionFailed, match="end"):
        await meter.read()


async def test_lines_that_cannot_be_used_are_named_once_and_excluded(play):
    meter = play(row(0, 1) + row(1, "4x") + "torn\n" + row(2, 3) + row(1, 9) + row(3, 4) + row(3, 5) + row(4, 6)[:30])
    await meter.open()
    seen: list[float | str] = []
    while not seen or "end" not in str(seen[-1]):
        try:
            seen += [reading.value for reading in await meter.read()]
        except DriverError as error:
            seen.append(error.cause)
    path = meter._address.path
    assert seen == [
        1, f"Line 7 and 1 more of {path} has a value that is not a number.",
        3, f"Line 10 of {path} goes back in time.",
        4, f"Line 12 and 1 more of {path} repeats a channel at the same time.",
        f"The log {path} has been replayed to its end.",
    ]  # fmt: skip


async def test_a_last_line_without_its_end_may_be_cut_off(play):
    async with open_meter(play(row(0, 1) + row(1, 431.5, quality=64)[:-2])) as meter:
        await meter.read()
        with pytest.raises(BadReply, match="is cut off"):
            await meter.read()


async def test_the_end_of_an_endless_line_is_not_taken_for_a_value(play):
    async with open_meter(play(row(0, 1) + "x" * 4096 + row(1, 666) + row(2, 3))) as meter:
        assert [reading.value for reading in await meter.read()] == [1]
        with pytest.raises(BadReply, match="is cut off"):
            await meter.read()
        assert [reading.value for reading in await meter.read()] == [3]


async def test_a_missing_value_is_invalid(play):
    async with open_meter(play(row(0, "nan"))) as meter:
        (reading,) = await meter.read()
        assert reading.quality == Quality.INVALID | Quality.SIMULATED


@pytest.mark.parametrize("head", ["", "t_ns,value\n", HEAD.replace("averaged", "mean"), HEAD.partition("t_ns")[0]])
async def test_wrong_heads(play, head):
    with pytest.raises(ConfigurationError, match="wattmark convert"):
        await play("", head=head).open()


async def test_files_that_are_none(tmp_path, play):
    for path in (tmp_path, tmp_path / "none.csv"):
        with pytest.raises(ConfigurationError):
            await create_meter(MeterSettings("old", "replay.log", f"replay://{path}")).open()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigurationError, match="not a file"):
        await create_meter(MeterSettings("old", "replay.log", f"replay://{tmp_path}/pipe")).open()
    with pytest.raises(ConnectionFailed, match="not open"):
        await play("").read()


@pytest.mark.parametrize(
    "url", ["replay://host/x", "replay:///x?speed=0", "replay:///x?speed=nan", "replay:///x?loop=2"]
)
def test_wrong_addresses(url):
    with pytest.raises(ConfigurationError, match="replay:///path"):
        create_meter(MeterSettings("old", "replay.log", url))


async def test_a_standing_value_is_not_stale_because_its_stamps_go_on(play, clock):
    meter = play("".join(row(second, 100) for second in range(8)))
    seen = []
    states: asyncio.Queue = asyncio.Queue()
    sampler = Sampler(
        meter,
        period_s=1,
        on_readings=lambda _, readings: seen.extend(readings),
        on_state=states.put_nowait,
        clock=clock,
    )
    task = asyncio.create_task(sampler.run())
    while (state := await asyncio.wait_for(states.get(), 20)).state != "lost":
        pass
    assert "replayed to its end" in str(state.problem)
    assert [reading.quality for reading in seen] == [Quality.SIMULATED] * 8
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


LINES = st.lists(
    st.builds(row, st.floats(0, 100), st.floats() | st.text("0123456789.eE+-nan", max_size=6),
              st.sampled_from(["power", "energy"]), st.integers(0, 70000))
    | st.text(max_size=40),
    max_size=20,
)  # fmt: skip


@settings(max_examples=examples(60), deadline=None)
@given(LINES, st.sampled_from([HEAD, HEAD[:-1], ""]))
def test_any_file_is_played_or_refused(lines, head):
    async def run(path: Path) -> None:
        meter = create_meter(MeterSettings("old", "replay.log", f"replay://{path}"), SetClock(5 * NS, UTC_NS))
        await meter.open()
        latest_ns = 0
        while True:
            with contextlib.suppress(BadReply):
                for reading in await meter.read():
                    assert reading.quality & Quality.SIMULATED
                    assert reading.value == reading.value or reading.quality & Quality.INVALID
                    assert reading.t_ns >= latest_ns
                    latest_ns = reading.t_ns

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        path.write_bytes((head + "".join(lines)).encode("utf-8", "surrogatepass"))
        with pytest.raises((ConfigurationError, ConnectionFailed)):
            asyncio.run(run(path))
