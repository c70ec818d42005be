"""Runs of a stepped load that a good and a cheap meter recorded side by side, with planted errors of the cheap one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from wattmark.results.data_folder import Storage
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, Phase, RunRecord
from wattmark.store.sample_store import Samples, SeriesKey

from tests.stored_run import make_run

BEGIN_NS = 1_790_000_000 * 10**9
S = 10**9
SECONDS, IDLE_S = 120, 60
ANALYSER = MeterRecord(
    name="analyser",
    model="yokogawa.wt310e",
    title="Yokogawa WT310E",
    serial="WT-77",
    range_name="300V/2A",
    range_w=600.0,
    reading_pct=0.1,
    range_pct=0.05,
    accuracy_source="IM WT310E-02EN",
    u_latency_s=0.05,
)
PLUG = MeterRecord(
    name="plug",
    model="shelly.plugs",
    title="Shelly Plug S",
    role="secondary",
    serial="PLUG-5",
    reading_pct=2.0,
    fixed_w=1.0,
    resolution_w=0.1,
    accuracy_source="data sheet",
    u_latency_s=0.05,
)
IDLE_W, POWER_FACTOR = 60.0, 0.97


def store_run(
    storage: Storage,
    run_id: str,
    load_w: float,
    *,
    begin_ns: int = BEGIN_NS,
    gain: float = 1.0,
    offset_w: float = 0.0,
    meters: tuple[MeterRecord, ...] = (ANALYSER, PLUG),
    noise_w: float = 0.05,
    idle: bool = True,
    campaign_id: str | None = "stepped",
    seed: int = 0,
    beside: Sequence[tuple[MeterRecord, str, float]] = (),
) -> RunRecord:
    """Record a run with an idle phase and a load; the last meter shows offset + gain x power.

    ``beside`` are channels of power of more instruments, each with its gain.
    """
    begin_idle_ns = begin_ns - (IDLE_S + 40) * S
    run = make_run(
        run_id, begin_ns=begin_ns, window_s=SECONDS, amount=100, every_s=10, campaign_id=campaign_id, server="s1",
        configuration="c1", workload="steps", level=f"{load_w:g} W", unit="steps",
        phases=(Phase(name=PhaseName.IDLE, begin_ns=begin_idle_ns, end_ns=begin_idle_ns + IDLE_S * S),) if idle else (),
        meters=tuple({each.name: each for each in (*meters, *(meter for meter, _, _ in beside))}.values()),
    )  # fmt: skip
    storage.runs.put(run)
    rng = np.random.default_rng(seed)
    t_s = np.arange(-(IDLE_S + 60.0), SECONDS + 40)
    power_w = np.where(t_s <= -30, IDLE_W, load_w) + rng.normal(0, 0.3, len(t_s))
    lines = [(meter, "power", 0.0, 1.0) for meter in meters[:-1]]
    lines += [
        (meters[-1], "power", offset_w, gain),
        *((meter, channel, 0.0, share) for meter, channel, share in beside),
    ]
    t_ns = begin_ns + np.round(t_s * 1e9).astype(np.int64)
    good, u_t_s = np.zeros(len(t_ns), np.uint16), np.full(len(t_ns), 0.002, np.float32)

    def keep(meter: MeterRecord, channel: str, quantity: str, unit: str, values: NDArray[np.float64]) -> None:
        key = SeriesKey(
            run_id, "s1", meter.name, channel, quantity, unit, "averaged",
            range=meter.range_name or "", simulated=meter.simulated,
        )  # fmt: skip
        storage.samples.append([(storage.samples.series(key).id, Samples(t_ns, values, good, u_t_s))])

    for meter, channel, offset, factor in lines:
        shown = offset + factor * power_w + rng.normal(0, noise_w, len(t_s))
        step = meter.resolution_w
        keep(meter, channel, "power", "W", shown if step is None else np.round(shown / step) * step)
    for meter in meters:
        keep(meter, "power_factor", "power_factor", "1", np.full(len(t_s), POWER_FACTOR))
    return run
