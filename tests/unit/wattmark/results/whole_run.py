"""A run that has everything: pulses, idle phases, a secondary meter, a register, and counters of the server."""

from __future__ import annotations

import numpy as np
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, Phase, Pulse, ResponseTime, RunRecord

from tests.stored_run import make_run

from ..conftest import BEGIN_NS, WALL, MemoryStore

SECONDS = 120
NS = 10**9
PULSES_S = [(-100.0 + 10 * k, -96.0 + 10 * k + k % 3) for k in range(6)]


def whole_run() -> tuple[RunRecord, MemoryStore]:
    """Return the record of the run and its samples."""
    run = make_run(
        "r1", window_s=SECONDS, amount=lambda k: 8000 + k % 7, server="s1", configuration="fbdimm-4", workload="rsa",
        meters=(MeterRecord(**WALL), MeterRecord(**WALL | {"name": "beside", "role": "secondary"})),
        phases=(_phase(PhaseName.IDLE, -180, -120), _sync_phase(), _phase(PhaseName.IDLE, 150, 210)),
        response_times=(ResponseTime(t_ns=BEGIN_NS + NS, statistic="mean", value_s=0.01),),
        configuration_snapshot={"title": "4 FB-DIMMs", "dimm_count": 4, "memory_gib": 4.0},
        disclosure={
            "workload": {"limited_by": "cpu"}, "window": {"load_cpu_share_pct": 98.0}, "asked_s": float(SECONDS),
        },
    )  # fmt: skip
    return run, _samples()


def _phase(name: PhaseName, begin_s: int, end_s: int) -> Phase:
    return Phase(name=name, begin_ns=BEGIN_NS + begin_s * NS, end_ns=BEGIN_NS + end_s * NS)


def _sync_phase() -> Phase:
    edges = [(round(begin_s * NS), round(end_s * NS)) for begin_s, end_s in PULSES_S]
    pulses = tuple(
        Pulse(begin_ns=BEGIN_NS + begin, end_ns=BEGIN_NS + end, begin_monotonic_ns=0, end_monotonic_ns=end - begin)
        for begin, end in edges
    )
    return _phase(PhaseName.SYNC, -110, -30).model_copy(update={"pulses": pulses})


def _samples() -> MemoryStore:
    store, rng = MemoryStore(), np.random.default_rng(17)
    t_s = np.arange(-220.0, SECONDS + 130)
    busy = (t_s > 0) & (t_s <= SECONDS)
    for begin_s, end_s in PULSES_S:
        busy |= (t_s > begin_s) & (t_s <= end_s)
    watts = np.where(busy, 250.0, 150.0) + rng.normal(0, 0.5, len(t_s))
    for name in ("outlet", "beside"):
        store.add("r1", name, "power", t_s, watts)
    store.add("r1", "outlet", "energy", t_s, np.round(np.cumsum(watts) / 3600, 4), quantity="energy", unit="Wh")
    host = {
        "cpu_utilisation": ("utilisation", np.where(busy, 99.5, 3.0)),
        "cpu_busiest_core": ("utilisation", np.where(busy, 100.0, 5.0)),
        "sda_utilisation": ("disk_utilisation", np.full(len(t_s), 10.0)),
        "cpu_throttle_events": ("throttle_events", np.full(len(t_s), 7.0)),
    }
    for channel, (quantity, value) in host.items():
        store.add("r1", "host", channel, t_s, value, quantity=quantity, unit="%")
    return store
