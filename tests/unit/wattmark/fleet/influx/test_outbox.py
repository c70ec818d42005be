"""Whatever is recorded, sealed and sent in whatever order: in the end every sample was sent, restarts or not.

The peer is a dictionary that keeps the last point of each tags and stamp, as InfluxDB does.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
from hypothesis import example, given, settings
from wattmark.fleet.influx.answers import ACCEPTED, InfluxAnswer, Verdict
from wattmark.fleet.influx.sink import InfluxSink
from wattmark.results.data_folder import open_storage
from wattmark.store.columns import make_samples
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.sample_store import SeriesKey

T0 = 1_770_000_000_000_000_000


class Peer:
    def __init__(self) -> None:
        self.points: dict[tuple[str, int], str] = {}
        self.fails = False

    def write(self, body: bytes, lines: int) -> InfluxAnswer:
        if self.fails:
            return InfluxAnswer(Verdict.LATER, "fails", "wait")
        for line in body.decode().splitlines():
            tags, fields, stamp = line.split(" ")
            self.points[tags, int(stamp)] = fields
        return ACCEPTED


class NoRecords:
    """No records beside the samples."""

    def gather(self, run_id):
        return None

    def lab(self, run_id):
        return "lab"


STEP = st.one_of(
    st.tuples(st.just("record"), st.integers(0, 2), st.integers(-50, 200), st.integers(1, 60)),
    st.tuples(st.sampled_from(["seal", "send", "fail", "restart"])),
)


LATE = [("record", 0, 100, 30), ("send",), ("seal",), ("record", 0, -50, 30)]


@example([*LATE, ("seal",)])
@example([*LATE, ("record", 0, 150, 20), ("send",), ("restart",), ("seal",), ("record", 0, -20, 9), ("seal",)])
@settings(max_examples=25)
@given(st.lists(STEP, max_size=25))
def test_every_sample_is_sent(steps):
    with tempfile.TemporaryDirectory() as folder:
        storage, peer, value = open_storage(Path(folder)), Peer(), 0.0

        def begin() -> InfluxSink:
            outbox = Outbox(storage.database, "peer")
            return InfluxSink(outbox, peer, NoRecords(), utc_ns=lambda: 0, random=lambda: 0.5, batch=37)

        sink = begin()
        for name, *given_ in steps:
            if name == "record":
                channel, start, n = given_
                key = SeriesKey("r", "s", "m", f"c{channel}", "power", "W", "averaged")
                stamps = T0 + (start + np.arange(n)) * 10**9 + int(value)
                samples = make_samples(stamps, value + np.arange(n))
                value += n
                storage.samples.append([(storage.samples.series(key).id, samples)])
            elif name == "seal":
                storage.samples.seal("r")
            elif name == "restart":
                storage.close()
                storage = open_storage(Path(folder))
                sink = begin()
            else:
                peer.fails = name == "fail"
                sink.step()
        peer.fails = False
        while sink.step().sent:
            pass
        state = Outbox(storage.database, "peer").state()
        recorded = {
            (series.key.channel, int(t)): v
            for series in storage.samples.list_series("r")
            for t, v in zip(*(lambda s: (s.t_ns, s.value))(storage.samples.read(series.id)), strict=True)
        }
        storage.close()
    assert (state.waiting, state.problem) == (0, None)
    assert {
        (tags.removesuffix(",lab=lab").split("channel=")[1], t): float(fields.split("=")[1])
        for (tags, t), fields in peer.points.items()
    } == recorded
