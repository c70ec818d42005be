"""A store in memory and runs with known watts and work; a store on disk."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wattmark.core.quantity import Quantity
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.evaluate import evaluate
from wattmark.results.result import BudgetedQuantity, Result
from wattmark.runs.record import MeterRecord, RunStatus
from wattmark.store.sample_store import Samples, Series, SeriesKey

from tests.stored_run import BEGIN_NS, make_run

TURN_NS = 600 * 10**9
WALL = {
    "name": "outlet",
    "model": "wattsup.pro",
    "title": "Watts Up? PRO",
    "resolution_w": 0.1,
    "reading_pct": 1.5,
    "range_pct": 0.0,
    "fixed_w": 0.3,
    "accuracy_source": "manual p. 3",
}


class MemoryStore:
    """The reading half of a SampleStore."""

    def __init__(self):
        self.rows = []

    def add(self, run_id, source, channel, t_s, value, *, quantity="power", unit="W", quality=None, **key):
        t_ns = BEGIN_NS + np.round(np.asarray(t_s, dtype=float) * 1e9).astype(np.int64)
        quality = np.zeros(len(t_ns), np.uint16) if quality is None else np.asarray(quality, np.uint16)
        series = Series(
            len(self.rows), SeriesKey(run_id, "s1", source, channel, quantity, unit, "averaged", **key), len(t_ns)
        )
        self.rows.append((series, Samples(t_ns, np.asarray(value, float), quality, np.full(len(t_ns), 0.002, "f4"))))

    def list_series(self, run_id):
        return [series for series, _ in self.rows if series.key.run_id == run_id]

    def read(self, series_id, begin_ns=None, end_ns=None):
        samples = self.rows[series_id][1]
        keep = np.ones(len(samples), dtype=bool)
        keep &= True if begin_ns is None else samples.t_ns >= begin_ns
        keep &= True if end_ns is None else samples.t_ns <= end_ns
        return Samples(*(column[keep] for column in (samples.t_ns, samples.value, samples.quality, samples.u_t_s)))


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def meter():
    return lambda **changes: MeterRecord(**WALL | changes)


@pytest.fixture
def record(meter):
    """Make records of runs: the first of every configuration at one time, then the second of each, as in turns.

    All runs of a configuration are of one installation, unless they state another.
    """
    made = Counter()

    def make(run_id="r1", work=8000.0, duration_s=100, dimms=4, **changes):
        fields = {
            "server": "s1",
            "configuration": f"fbdimm-{dimms}",
            "workload": "rsa",
            "meters": (meter(),),
            "configuration_snapshot": {"title": f"{dimms} FB-DIMMs", "dimm_count": dimms, "memory_gib": float(dimms)},
        }
        fields |= changes
        place = fields["server"], fields["configuration"]
        fields.setdefault("created_ns", BEGIN_NS + made[place] * TURN_NS)
        made[place] += 1
        if isinstance(disclosure := fields.get("disclosure", {}), dict):
            fields["disclosure"] = {"installation": " ".join(place), **disclosure}
        return make_run(run_id, window_s=duration_s, amount=round(10 * work), every_s=10, **fields)

    return make


@pytest.fixture
def rng():
    return np.random.default_rng(17)


@pytest.fixture
def measure(store, record, rng):
    """Record a run of given mean watts and evaluate it."""

    def make(
        run_id="r1", watts=250.0, work=8000.0, dimms=4, ramp=0.0, simulated=False, noise_w=0.5, digit_w=None, **changes
    ):
        run = record(run_id, work=work, dimms=dimms, **changes)
        end_s = 100 if run.window_end_ns is None else (run.window_end_ns - BEGIN_NS) / 1e9
        t = np.arange(-20.0, end_s + 21)
        load = (t > 0) & (t <= end_s)
        value = np.where(load, watts + ramp * t / end_s + rng.normal(0, noise_w, len(t)), 150.0)
        value = value if digit_w is None else np.round(value / digit_w) * digit_w
        for m in run.meters:
            store.add(run_id, m.name, "power", t, value, simulated=simulated)
        store.add(run_id, "host", "cpu_utilisation", t, np.where(load, 99.5, 3.0), quantity="utilisation", unit="%")
        return evaluate(run, store)

    return make


@pytest.fixture
def campaign(measure):
    """Three repeats each: 2 and 4 DIMMs differ by 5 %, 4 and 5 hardly."""
    watts = {2: 240.0, 4: 252.0, 5: 252.1}
    return [
        measure(f"{dimms}-{k}", watts=base + 0.2 * k, dimms=dimms, repeat=k + 1)
        for k in range(3)
        for dimms, base in watts.items()
    ]


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path / "data")
    yield opened
    opened.close()


@pytest.fixture
def make_result() -> Callable[..., Result]:
    """Build a result; fields default to those of the published R7525 run."""

    def make(**changes: Any) -> Result:
        fields: dict[str, Any] = {
            "run_id": "mlperf-1",
            "server": "R7525",
            "configuration": "as submitted",
            "workload": "mlperf.resnet50",
            "level": "Offline",
            "repeat": 1,
            "status": RunStatus.COMPLETE,
            "created": "2021-03-19T02:29:31.830000Z",
            "unit": "samples",
            "throughput": BudgetedQuantity(value=93371.4, unit="samples/s"),
            "power": BudgetedQuantity(value=1101.2828341013824, unit="W", u=1.5, k95=3.01 / 1.5),
            "efficiency": BudgetedQuantity(value=84.78421434, unit="samples/J", u=0.1155, k95=0.2317 / 0.1155),
            "energy_per_op": Quantity(value=0.011794648, unit="J/samples"),
            "window_begin": "2021-03-19T02:29:31.830000Z",
            "window_end": "2021-03-19T02:43:59.847000Z",
            "window_s": 868.017,
            "window_rule": "mlperf",
            "samples": 868,
            "steady": True,
            "meter": "YokogawaWT210",
            "simulated": False,
            "traceable": True,
            "source": "measured",
        }
        return Result(**(fields | changes))

    return make
