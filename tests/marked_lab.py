"""A small laboratory in which everything that needs a mark occurs: simulated, not traceable, withheld, imported runs.

Each kind is a server of its own with the same runs: 2, 4 and 8 modules of memory at full load, with two fans and with
four in turns, and the most modules at half load and at two numbers of clients. Published figures stand beside those of
`WORKLOAD` at full load.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.disclosure import Disclosure, RecordedBy
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, Phase
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey
from wattmark_drivers.clock import SystemClock

from tests.stored_run import make_run

S = 10**9
BEGIN_NS = 1_790_000_000 * S
WORKLOAD = "openssl.rsa2048-sign"
"""Of which the library has published figures at full load."""
FULL = "100 %"
HALF = "50 %"
EIGHTH = "12.5 %"
COUNTED = "web.ab"
"""Counts whole requests; the other workload states its work with decimals."""
LEVELS: Mapping[str, tuple[float, float]] = {
    FULL: (1.0, 1.0),
    HALF: (0.5, 0.7),
    EIGHTH: (0.125, 0.4),
    "1 clients": (0.3, 0.6),
    "4 clients": (1.0, 1.0),
}
"""Throughput and power by that at full load."""
RUNS = (
    *((count, WORKLOAD, FULL, repeat) for repeat in (1, 2) for count in (2, 4, 8)),
    (8, WORKLOAD, HALF, 1),
    (8, COUNTED, "1 clients", 1),
    (8, COUNTED, "4 clients", 1),
)
"""Modules, workload, level and repeat."""
OF_A_SUITE = tuple((8, "paced.sort", level, 1) for level in (FULL, EIGHTH))
"""A part of the suite graduated-trial."""
IDLE_S, WINDOW_S = 10, 30
ACCURACY = {"reading_pct": 0.1, "fixed_w": 0.2, "accuracy_source": "a manual"}
SIMULATED, LOOSE, LOST, IMPORTED, PLAIN = "sim-1", "loose-1", "lost-1", "imported-1", "plain-1"
FROM_A_LOG: dict[str, Any] = {"meter": ACCURACY, "source": "imported from a log"}
KINDS: Mapping[str, dict[str, Any]] = {
    SIMULATED: {"meter": {**ACCURACY, "simulated": True}},
    LOOSE: {"meter": {}},
    LOST: {"meter": ACCURACY, "lost": True},
    PLAIN: {"meter": ACCURACY},
}


def store_marked_lab(folder: Path) -> None:
    """Store the runs of all kinds, issued."""
    storage = open_storage(folder)

    def write(stores: Storage) -> None:
        issuer = Issuer(stores, Evaluations(stores), SystemClock())
        for number, (server, (count, workload, level, repeat)) in enumerate(
            chain(product(KINDS, RUNS), [(IMPORTED, RUNS[0])], product(KINDS, OF_A_SUITE))
        ):
            _store(stores, issuer, number, server, count, workload, level, repeat, **KINDS.get(server, FROM_A_LOG))

    storage.all_or_nothing(write)
    storage.close()


def run_ids(storage: Storage, server: str) -> list[str]:
    """List the runs of one kind."""
    return [run.run_id for run in storage.runs.all() if run.server == server]


def _store(
    storage: Storage,
    issuer: Issuer,
    number: int,
    server: str,
    count: int,
    workload: str,
    level: str,
    repeat: int,
    *,
    meter: dict[str, Any],
    lost: bool = False,
    source: str = "measured",
) -> None:
    random = np.random.default_rng(number)
    rate, share = LEVELS[level]
    begin_ns = BEGIN_NS + number * 120 * S
    window_ns = begin_ns + IDLE_S * S
    idle_w = 90.0 + 3.0 * count
    load_w = idle_w + (150.0 + 2.0 * count) * share
    slots = {f"{'ABCDEFGH'[k]}1": {"type": "RDIMM", "capacity_gib": 16.0} for k in range(count)}
    wall = MeterRecord(
        name="wall", model="lab.analyser", title="Analyser", serial=server, resolution_w=0.01, **meter
    )  # fmt: skip
    simulated = bool(meter.get("simulated"))
    bmc = MeterRecord(name="bmc", model="ipmi.bmc", title="BMC", role="bmc", simulated=simulated)
    beside = (count, workload, level, repeat) == RUNS[0]
    run = make_run(
        f"{server}-{number:04}", begin_ns=window_ns, window_s=WINDOW_S,
        amount=lambda _: float(np.round(
            9000.0 * rate * (1 + 0.01 * count) * random.normal(1, 0.003), 6 if workload == WORKLOAD else 0
        )),
        campaign_id="marked", server=server, configuration=f"dimms-{count}", workload=workload, level=level,
        repeat=repeat, created_ns=begin_ns, unit="signs" if workload == WORKLOAD else "requests",
        full_load_limit_pct=None, source=source,
        phases=(
            Phase(name=PhaseName.IDLE, begin_ns=begin_ns, end_ns=window_ns),
            Phase(name=PhaseName.MEASURE, begin_ns=window_ns, end_ns=window_ns + WINDOW_S * S),
        ),
        meters=(wall, bmc) if beside else (wall,),
        configuration_snapshot={
            "id": f"dimms-{count}", "title": f"{count} modules", "cpu": "Xeon", "cpu_count": 1, "cores": 8,
            "clock_mhz": 2000.0 + 100 * count, "memory_type": "RDIMM", "memory_gib": 16.0 * count,
            "dimm_count": count,
            "modules": [{"slot": slot, "channel": slot[0], **module} for slot, module in slots.items()],
            "declared": {
                "memory": {"slots": slots}, "cpu": {"model": "Xeon", "sockets": 1},
                "parts": [{"kind": "fan", "model": "80 mm", "count": 2 * repeat}],
            },
        },
        disclosure=Disclosure(recorded_by=RecordedBy(lab="Marked lab"), installation=f"{server}-{count}-{repeat}"),
    )  # fmt: skip
    seconds = np.arange(1, IDLE_S + WINDOW_S + 6)
    watts = np.where(seconds > IDLE_S, load_w, idle_w) * random.normal(1, 0.001) + random.normal(0, 0.2, len(seconds))
    kept = (seconds < IDLE_S + 5) | (seconds > IDLE_S + 20) if lost else np.ones(len(seconds), bool)
    whole = np.ones(len(seconds), bool)
    for name, values, chosen in (("wall", watts, kept), ("bmc", watts * 0.97, whole))[: 1 + beside]:
        key = SeriesKey(run.run_id, server, name, "power", "power", "W", "averaged", simulated=simulated)
        rows = make_samples(begin_ns + seconds[chosen] * S, values[chosen])
        storage.samples.append([(storage.samples.series(key).id, rows)])
    storage.samples.seal(run.run_id)
    storage.runs.put(run)
    issuer.first(run)
