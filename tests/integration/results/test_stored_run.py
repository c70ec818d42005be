"""Results from the real store: live, sealed and reopened runs give the same figures."""

import numpy as np
import pytest
from wattmark.results.data_folder import open_storage
from wattmark.results.evaluate import evaluate
from wattmark.runs.record import MeterRecord
from wattmark.store.sample_store import Samples, SeriesKey

from tests.stored_run import BEGIN_NS, make_run

SECONDS = 900


@pytest.fixture
def run():
    meter = MeterRecord(name="outlet", model="wattsup.pro", title="Watts Up? PRO", reading_pct=1.5, fixed_w=0.3)
    return make_run(
        "r1", window_s=SECONDS, amount=lambda k: 80_000 + k % 7, every_s=10, server="s1", workload="rsa",
        meters=(meter,),
    )  # fmt: skip


def record(storage):
    """Append a quarter of an hour of watts and utilisation in commits of ten seconds; returns the watts."""
    rng = np.random.default_rng(6)
    t_ns = BEGIN_NS + np.arange(-30, SECONDS + 31) * 10**9
    load = (t_ns > BEGIN_NS) & (t_ns <= BEGIN_NS + SECONDS * 10**9)
    watts = np.where(load, 250 + rng.normal(0, 1, len(t_ns)), 150.0)
    columns = {
        SeriesKey("r1", "s1", "outlet", "power", "power", "W", "averaged"): watts,
        SeriesKey("r1", "s1", "host", "cpu_utilisation", "utilisation", "%", "averaged"): np.where(load, 99.0, 2.0),
    }
    ids = {key: storage.samples.series(key).id for key in columns}
    for part in np.array_split(np.arange(len(t_ns)), len(t_ns) // 10):
        none, u_t_s = np.zeros(len(part), np.uint16), np.full(len(part), 0.002, np.float32)
        storage.samples.append([(ids[k], Samples(t_ns[part], v[part], none, u_t_s)) for k, v in columns.items()])
    return watts[load]


def test_live_sealed_and_reopened_agree(tmp_path, run):
    storage = open_storage(tmp_path)
    watts = record(storage)
    live = evaluate(run, storage.samples)
    storage.samples.seal("r1")
    sealed = evaluate(run, storage.samples)
    storage.close()
    storage = open_storage(tmp_path, read_only=True)
    reopened = evaluate(run, storage.samples)
    storage.close()
    assert live == sealed == reopened
    assert live.power.value == pytest.approx(watts.mean(), rel=1e-12)
    assert (live.steady, live.full_load, live.samples_excluded) == (True, True, 0)
    assert live.throughput.value == pytest.approx(8000, rel=1e-3)


def test_correlated_scatter_comes_from_paired_spans(tmp_path, run):
    storage = open_storage(tmp_path)
    record(storage)
    result = evaluate(run, storage.samples)
    storage.close()
    assert result.efficiency.scatter.note.startswith("r = ")
    assert result.efficiency.scatter.note.endswith(", 90 spans")
