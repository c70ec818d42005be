import logging
import threading
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from wattmark.core.errors import StoreError, WattmarkError
from wattmark.recording.recorder import Recorder
from wattmark.results.data_folder import Storage
from wattmark.store.sample_store import Samples, Series, SeriesKey
from wattmark.store.samples import SqliteSampleStore
from wattmark_drivers.reading import Channel, Kind, Quality

from tests.hand_clock import NOON_NS, HandClock

from .conftest import FakeMeter, reading, until

S = 10**9
FULL = StoreError("No space left to write wattmark.db.", "Free disk space, then try again.")


class TestStore(SqliteSampleStore):
    """The real store, which can be told to stall or to refuse."""

    __test__ = False

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage.database)
        self.go = threading.Event()
        self.go.set()
        self.refusals = 0
        self.commits = 0
        self.arrived = threading.Event()

    def append(self, batch: Sequence[tuple[int, Samples]]) -> None:
        self.arrived.set()
        assert self.go.wait(20)
        if self.refusals:
            self.refusals -= 1
            raise FULL
        super().append(batch)
        self.commits += 1


@pytest.fixture
def store(storage: Storage) -> TestStore:
    return TestStore(storage)


@pytest.fixture
def recorder(store: TestStore, clock: HandClock) -> Iterator[Recorder]:
    recorder = Recorder(store, clock, commit_every_s=1.0)
    yield recorder
    store.go.set()


def ramp(begin: int, end: int) -> list:
    return [reading(float(i), NOON_NS + i) for i in range(begin, end)]


async def second(clock: HandClock) -> None:
    """Let a second pass, once the recorder waits for it."""
    await until(lambda: clock.somebody_sleeps)
    await clock.advance(1.0)


def stored(store: SqliteSampleStore, run_id: str) -> dict[tuple[str, str], list[float]]:
    return {
        (series.key.source, series.key.channel): store.read(series.id).value.tolist()
        for series in store.list_series(run_id)
    }


async def test_a_reading_is_stored_with_all_that_is_known_of_it(store: TestStore, recorder: Recorder) -> None:
    meter = FakeMeter("wall1", simulated=True)
    recorder.begin("run1", "r1", {"wall1"})
    bad = reading(np.nan, NOON_NS + 2, quality=Quality.INVALID | Quality.RETRIED, u_t_ns=3_000_000, range="10A")
    recorder.feed(meter, [reading(250.0, NOON_NS + 1, u_t_ns=1_000_000, range="1A"), bad])
    await recorder.end("run1")
    first, second = store.list_series("run1")
    key = SeriesKey("run1", "r1", "wall1", "power", "power", "W", "averaged", "1A", "Active power", simulated=True)
    assert first == Series(first.id, key, 1)
    assert second.key.range == "10A"
    samples = store.read(second.id)
    assert (samples.t_ns[0], samples.quality[0]) == (NOON_NS + 2, 5)
    assert np.isnan(samples.value[0])
    assert samples.u_t_s[0] == np.float32(0.003)
    assert recorder.problems("run1") == []


async def test_only_what_a_run_asked_for_and_only_while_it_lasts(store: TestStore, recorder: Recorder) -> None:
    wall, other, host = (FakeMeter(name) for name in ("wall1", "wall2", "host"))
    recorder.feed(wall, [reading(0.0)])
    recorder.begin("a", "r1", {"wall1", "host"})
    recorder.begin("b", "r2", {"wall2", "host"})
    for meter, value in ((wall, 1.0), (other, 2.0), (host, 3.0)):
        recorder.feed(meter, [reading(value)])
    await recorder.end("a")
    for meter in (wall, other, host):
        recorder.feed(meter, [reading(9.0)])
    await recorder.end("b")
    assert stored(store, "a") == {("wall1", "power"): [1.0], ("host", "power"): [3.0]}
    assert stored(store, "b") == {("wall2", "power"): [2.0, 9.0], ("host", "power"): [3.0, 9.0]}
    assert {series.key.server for series in store.list_series("b")} == {"r2"}


async def test_one_commit_a_second_for_everything(store: TestStore, recorder: Recorder, clock: HandClock) -> None:
    meters = [FakeMeter(f"wall{i}") for i in range(5)]
    for run in ("a", "b"):
        recorder.begin(run, "r1", {meter.name for meter in meters})
    for i in range(20):
        for meter in meters:
            recorder.feed(meter, ramp(i, i + 1))
    await until(lambda: clock.somebody_sleeps)
    await clock.advance(0.9)
    assert store.commits == 0
    await clock.advance(0.1)
    await until(lambda: store.commits == 1)
    assert stored(store, "a") == stored(store, "b") == {(meter.name, "power"): list(range(20)) for meter in meters}
    await recorder.end("a")
    await recorder.end("b")
    assert store.commits == 1


async def test_a_stalled_disk_holds_nobody_up(store: TestStore, recorder: Recorder, clock: HandClock) -> None:
    meter = FakeMeter("wall1")
    recorder.begin("run1", "r1", {"wall1"})
    recorder.feed(meter, ramp(0, 10))
    store.go.clear()
    await second(clock)
    await until(store.arrived.is_set)
    for i in range(10, 500):
        recorder.feed(meter, ramp(i, i + 1))
    store.go.set()
    await recorder.end("run1")
    assert stored(store, "run1") == {("wall1", "power"): list(range(500))}


async def test_a_disk_that_was_full_for_a_while_loses_nothing(
    store: TestStore, recorder: Recorder, clock: HandClock
) -> None:
    meter = FakeMeter("wall1")
    recorder.begin("run1", "r1", {"wall1"})
    store.refusals = 2
    for tick in range(4):
        recorder.feed(meter, ramp(10 * tick, 10 * tick + 10))
        await second(clock)
    await recorder.end("run1")
    assert stored(store, "run1") == {("wall1", "power"): list(range(40))}
    assert recorder.problems("run1") == [str(FULL)]


async def test_a_disk_that_stays_full_is_an_error_with_a_number(store: TestStore, recorder: Recorder) -> None:
    recorder.begin("run1", "r1", {"wall1"})
    recorder.begin("run2", "r1", {"wall1"})
    recorder.feed(FakeMeter("wall1"), ramp(0, 7))
    store.refusals = 2
    with pytest.raises(StoreError, match="No space left"):
        await recorder.end("run1")
    assert recorder.problems("run1") == [
        str(FULL),
        "7 samples were lost: they could not be saved for too long.",
    ]
    await recorder.end("run2")
    assert stored(store, "run2") == {("wall1", "power"): list(range(7))}


async def test_memory_is_bounded_and_the_loss_is_counted(
    store: TestStore, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(store, clock, limit_samples=10)
    recorder.begin("run1", "r1", {"wall1"})
    meter = FakeMeter("wall1")
    recorder.feed(meter, ramp(0, 6))
    store.go.clear()
    await second(clock)
    await until(store.arrived.is_set)
    recorder.feed(meter, ramp(6, 15))
    assert recorder.problems("run1") == ["5 samples were lost: they could not be saved for too long."]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    store.go.set()
    await recorder.end("run1")
    assert stored(store, "run1") == {("wall1", "power"): list(range(10))}


async def test_gaps_name_the_source_the_time_and_the_reason(recorder: Recorder, clock: HandClock) -> None:
    wall, bmc = FakeMeter("wall1"), FakeMeter("bmc1")
    recorder.lose("wall1", "No answer.")
    await clock.advance(10)
    recorder.begin("run1", "r1", {"wall1", "bmc1", "host"})
    await clock.advance(2.5)
    recorder.feed(wall, [reading(1.0)])
    assert recorder.problems("run1") == ["wall1 did not answer for 2.5 s from 12:00:10 UTC: No answer."]
    recorder.feed(bmc, [reading(1.0)])
    recorder.feed(wall, [reading(1.0)])
    recorder.lose("bmc1", "Wrong password.")
    recorder.lose("bmc1", "Still the wrong password.")
    recorder.lose("elsewhere", "Not ours.")
    await clock.advance(4)
    await recorder.end("run1")
    assert recorder.problems("run1")[1:] == [
        "bmc1 did not answer for 4.0 s from 12:00:12 UTC: Wrong password.",
        "host gave no reading.",
    ]


async def test_a_gap_of_another_run_is_not_ours(recorder: Recorder, clock: HandClock) -> None:
    recorder.lose("wall1", "No answer.")
    recorder.feed(FakeMeter("wall1"), [reading(1.0)])
    recorder.begin("run1", "r1", {"wall1"})
    recorder.feed(FakeMeter("wall1"), [reading(1.0)])
    await recorder.end("run1")
    assert recorder.problems("run1") == []
    assert recorder.problems("never") == []


async def test_a_channel_that_is_not_listed_is_still_recorded(store: TestStore, recorder: Recorder) -> None:
    meter = FakeMeter("bmc1", channels=(Channel("a", "temperature", "°C", Kind.INSTANTANEOUS),))
    recorder.begin("run1", "r1", {"bmc1"})
    recorder.feed(meter, [reading(1.0, channel="b")])
    await recorder.end("run1")
    assert stored(store, "run1") == {("bmc1", "b"): [1.0]}


async def test_a_source_that_was_opened_again_is_described_anew(store: TestStore, recorder: Recorder) -> None:
    meter = FakeMeter("bmc1", channels=())
    recorder.begin("run1", "r1", {"bmc1"})
    recorder.feed(meter, [reading(1.0), reading(2.0, channel="inlet")])
    meter.channels = (Channel("power", "power", "W", Kind.AVERAGED, "Input power"),)
    recorder.opened("bmc1")
    recorder.feed(meter, [reading(3.0), reading(4.0, channel="inlet")])
    await recorder.end("run1")
    values = {
        series.key.label or series.key.channel: store.read(series.id).value.tolist()
        for series in store.list_series("run1")
    }
    assert values == {"power": [1.0], "Input power": [3.0], "inlet": [2.0, 4.0]}


async def test_wrong_order_of_calls_is_named(recorder: Recorder) -> None:
    recorder.begin("run1", "r1", set())
    with pytest.raises(WattmarkError, match="run1 is already recording"):
        recorder.begin("run1", "r1", set())
    await recorder.end("run1")
    with pytest.raises(WattmarkError, match="run1 is not recording"):
        await recorder.end("run1")


async def test_a_run_deleted_meanwhile_does_not_block_the_others(
    store: TestStore, recorder: Recorder, clock: HandClock
) -> None:
    meter = FakeMeter("wall1")
    for run in ("a", "b"):
        recorder.begin(run, "r1", {"wall1"})
    recorder.feed(meter, ramp(0, 1))
    await second(clock)
    await until(lambda: store.commits == 1)
    store.delete_run("a")
    recorder.feed(meter, ramp(1, 2))
    await recorder.end("b")
    await recorder.end("a")
    assert stored(store, "b") == {("wall1", "power"): [0.0, 1.0]}


async def test_what_has_ended_is_sealed_and_recording_can_begin_again(
    storage: Storage, store: TestStore, recorder: Recorder
) -> None:
    for run in ("a", "b"):
        recorder.begin(run, "r1", {"wall1"})
        recorder.feed(FakeMeter("wall1"), ramp(0, 3))
        await recorder.end(run)
    with storage.database.snapshot() as connection:
        assert connection.execute("SELECT count(*) FROM live_row").get == 0
    assert stored(store, "a") == stored(store, "b") == {("wall1", "power"): [0.0, 1.0, 2.0]}


async def test_damage_found_at_the_end_is_reported(
    storage: Storage, store: TestStore, recorder: Recorder, clock: HandClock
) -> None:
    recorder.begin("run1", "r1", {"wall1"})
    recorder.feed(FakeMeter("wall1"), ramp(0, 3))
    await second(clock)
    await until(lambda: store.commits == 1)
    storage.database.write(lambda connection: connection.execute("UPDATE live_row SET crc = 0").get)
    with pytest.raises(StoreError, match="is damaged"):
        await recorder.end("run1")
    assert "is damaged" in recorder.problems("run1")[0]
