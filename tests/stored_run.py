"""A run for tests of something else: its record, its work, and what its meter read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from wattmark.results.data_folder import Storage
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus, ThroughputInterval
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey

S = 10**9
BEGIN_NS = 1_700_000_000 * S
PLUG_METER = MeterRecord(name="wall", model="wattsup.pro", title="W", reading_pct=1.5, fixed_w=0.3)


def make_run(
    run_id: str = "r",
    *,
    begin_ns: int = BEGIN_NS,
    window_s: int | None = None,
    amount: float | Callable[[int], float] | None = None,
    every_s: int = 1,
    **fields: Any,
) -> RunRecord:
    """Make a run of server "s", complete unless said otherwise; in its window, ``amount`` is done every ``every_s``.

    An amount may depend on the number of its interval. ``fields`` are those of `RunRecord`.
    """
    made: dict[str, Any] = {
        "server": "s", "configuration": "c", "workload": "w", "level": "all", "status": RunStatus.COMPLETE,
        "created_ns": begin_ns, "unit": "signs",
    }  # fmt: skip
    if window_s is not None:
        made |= {"window_begin_ns": begin_ns, "window_end_ns": begin_ns + window_s * S}
        if amount is not None:
            made["throughput"] = tuple(
                ThroughputInterval(
                    begin_ns=begin_ns + k * every_s * S,
                    end_ns=begin_ns + (k + 1) * every_s * S,
                    amount=amount(k) if callable(amount) else amount,
                )
                for k in range(window_s // every_s)
            )
    return RunRecord(run_id=run_id, **made | fields)


def store_readings(
    storage: Storage,
    run: RunRecord,
    t_s: ArrayLike,
    values: ArrayLike,
    channel: str = "power",
    unit: str = "W",
    *,
    meter: MeterRecord | None = None,
    quality: ArrayLike | None = None,
) -> None:
    """Store what a meter, the first of the run unless named, read so long after the begin of the window [s]."""
    meter = meter or run.meters[0]
    key = SeriesKey(
        run.run_id, run.server, meter.name, channel, channel, unit, meter.kind,
        range=meter.range_name or "", simulated=meter.simulated,
    )  # fmt: skip
    begin_ns = run.created_ns if run.window_begin_ns is None else run.window_begin_ns
    t_ns = begin_ns + np.round(np.asarray(t_s, float) * S).astype(np.int64)
    columns = make_samples(t_ns, values, quality, np.full(len(t_ns), 0.002))
    storage.samples.append([(storage.samples.series(key).id, columns)])
