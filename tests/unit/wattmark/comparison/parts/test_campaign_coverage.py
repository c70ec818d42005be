"""Whole simulated campaigns over drives: watts, W per TB and operations per watt lie where wattmark says they do."""

import numpy as np
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.parts.parts import server_parts
from wattmark.results.evaluate import evaluate
from wattmark.runs.disclosure import Disclosure, WorkloadAsRun

from tests.stored_run import BEGIN_NS, S

CAMPAIGNS = 200
SLOPE_W = 5.0
BASE_W = 180.0
OPERATIONS = 400.0
"""Per second that a drive adds."""


def test_planted_values_lie_inside(store, record, meter):
    """{2, 4, 8} drives x 3 in turns, fitted anew for each run: settled load, one meter of unknown gain and offset."""
    truth = {"W per TB of a drive, loaded": SLOPE_W / 4, "IOPS per W of a drive alone": OPERATIONS / SLOPE_W}
    hits = dict.fromkeys(["watts", *truth], 0)
    for seed in range(CAMPAIGNS):
        rng = np.random.default_rng(seed)
        gain, offset_w = 1 + rng.uniform(-0.015, 0.015), rng.uniform(-0.3, 0.3)
        records, results = [], []
        for place, count in enumerate((4, 2, 8, 8, 4, 2, 2, 8, 4)):
            run_id = f"{seed}-{place}"
            t = np.arange(-10.0, 31.0)
            loaded = (t > 0) & (t <= 20)
            true_w = BASE_W + SLOPE_W * count + rng.normal(0, 0.5)
            watts = np.where(loaded, true_w, true_w - 60) + rng.normal(0, 0.8, len(t))
            store.add(run_id, "outlet", "power", t, np.round(gain * watts + offset_w, 1))
            part = {"kind": "drive", "model": "S3500", "count": count, "capacity_tb": 4.0}
            run = record(
                run_id,
                work=OPERATIONS * count * (1 + rng.normal(0, 0.01)),
                duration_s=20,
                meters=(meter(),),
                configuration=f"drives-{count}",
                configuration_snapshot={"declared": {"parts": [part]}},
                created_ns=BEGIN_NS + place * 600 * S,
                unit="operations",
                full_load_limit_pct=None,
                disclosure=Disclosure(installation=run_id, workload=WorkloadAsRun(limited_by="disk")),
            )
            records.append(run)
            results.append(evaluate(run, store))
        work = results[0].server, results[0].workload, results[0].level
        view = server_parts(results, records, "drive: S3500, 4 TB", work, installations(results))
        rates = {rate.quantity: rate.value for rate in view.rates}
        intervals = {"watts": view.watts_per_part, **{name: rates[name] for name in truth}}
        for name, value in {"watts": SLOPE_W, **truth}.items():
            hits[name] += intervals[name].low <= value <= intervals[name].high
    assert {name: hit for name, hit in hits.items() if hit < 0.93 * CAMPAIGNS} == {}
