"""Gather the traces of a BMC and a wall meter, from a run or live, and store their cross-calibration."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.errors import DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import UNUSABLE, Reading
from wattmark_drivers.sampler import Sampler, SamplerState
from wattmark_drivers.settings import MeterSettings

from wattmark.analysis.clocks.common_blocks import Array, PowerTrace
from wattmark.analysis.clocks.cross_calibration import CrossCalibration, cross_calibrate
from wattmark.analysis.energy.trace import Trace
from wattmark.analysis.refusal import Refused
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.instants import iso
from wattmark.instruments.instruments import meter_record
from wattmark.results.metered_supplies import metered_supplies
from wattmark.results.series import read_trace
from wattmark.runs.channels import total_channel
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store.sample_store import SampleStore
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord


def cross_calibrate_run(run: RunRecord, samples: SampleStore, bmc: str, wall: str) -> CrossCalibrationRecord:
    """Compute the cross-calibration of a BMC by a wall meter from a stored run. Raises `WattmarkError`."""
    by_name = {meter.name: meter for meter in run.meters}
    for name in (bmc, wall):
        if name not in by_name:
            raise InputError(f"Run {run.run_id} has no meter {name!r};", f"it has {', '.join(by_name) or 'none'}.")
    if by_name[wall].partial or by_name[wall].kind == "counter":
        raise InputError(f"{wall} does not measure the whole server.", "Choose a meter that measures the whole server.")
    if (metered := metered_supplies(run).verdict).outcome == "fail":
        raise InputError(f"Run {run.run_id} cannot serve:", metered.text)
    series = samples.list_series(run.run_id)
    traces = [read_trace(run, by_name[name], series, samples, None, None) for name in (wall, bmc)]
    origin_ns = min((int(trace.t_ns[0]) for trace in traces if len(trace.t_ns)), default=0)
    wall_trace, bmc_trace = (_power(trace, origin_ns) for trace in traces)
    calibration = _cross_calibrated(wall_trace, bmc_trace)
    return _record(calibration, run.server, by_name[bmc], by_name[wall], run.created_ns, f"run {run.run_id}")


async def cross_calibrate_live(
    bmc: MeterSettings,
    wall: MeterSettings,
    server: str,
    seconds: float,
    *,
    wall_latency_s: float = 0.0,
    clock: Clock | None = None,
    on_tick: Callable[[float], None] = lambda _: None,
) -> CrossCalibrationRecord:
    """Measure the cross-calibration of a BMC by a wall meter while the operator changes the load [``seconds``].

    ``wall_latency_s`` is how much later than the power the wall meter's value is stamped [s]. Raises a `DriverError`,
    or `WattmarkError` where the recording does not determine it.
    """
    clock = clock or SystemClock()
    meters: list[Meter] = [create_meter(settings, clock) for settings in (wall, bmc)]
    begin_ns = clock.utc_ns()
    taken: list[list[Reading]] = [[], []]
    samplers = [
        Sampler(meter, period_s=settings.period_s, on_readings=_collector(into), on_state=_ignore, clock=clock)
        for meter, settings, into in zip(meters, (wall, bmc), taken, strict=True)
    ]
    await _must_answer(meters)
    tasks = [asyncio.create_task(sampler.run()) for sampler in samplers]
    try:
        end_ns = clock.monotonic_ns() + int(seconds * 1e9)
        while (left_s := (end_ns - clock.monotonic_ns()) / 1e9) > 0:
            on_tick(seconds - left_s)
            await clock.sleep(min(left_s, 0.5))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    records = [
        meter_record(meter, role, settings)
        for meter, role, settings in zip(meters, ("wall", "bmc"), (wall, bmc), strict=True)
    ]
    records[0] = records[0].model_copy(update={"latency_s": wall_latency_s})
    traces = [_live_power(readings, begin_ns, record) for readings, record in zip(taken, records, strict=True)]
    return _record(_cross_calibrated(*traces), server, records[1], records[0], begin_ns, f"live, {seconds:.0f} s")


async def _must_answer(meters: list[Meter]) -> None:
    """Open each meter once, so that a missing device is reported now and not after the recording."""
    for meter in meters:
        try:
            await meter.open()
        except DriverError:
            for other in meters:
                await other.close()
            raise


def _collector(into: list[Reading]) -> Callable[[Meter, list[Reading]], None]:
    return lambda _, readings: into.extend(reading for reading in readings if reading.unit == "W")


def _ignore(_: SamplerState) -> None:
    """The sampler logs its states itself."""


def _power(trace: Trace, origin_ns: int) -> PowerTrace:
    good = trace.usable & np.isfinite(trace.value)
    t_s = (trace.t_ns[good] - origin_ns) / 1e9 - trace.instrument.latency_s
    return _rising(t_s, trace.value[good], trace.instrument.resolution)


def _live_power(readings: list[Reading], origin_ns: int, record: MeterRecord) -> PowerTrace:
    total = total_channel(reading.channel for reading in readings)
    power = [reading for reading in readings if reading.channel == total]
    good = [reading for reading in power if not reading.quality & UNUSABLE and np.isfinite(reading.value)]
    t_s = np.array([(reading.t_ns - origin_ns) / 1e9 - record.latency_s for reading in good], dtype=np.float64)
    return _rising(t_s, np.array([reading.value for reading in good], dtype=np.float64), record.resolution_w)


def _rising(t_s: Array, power_w: Array, step: float | None) -> PowerTrace:
    # a device that answers twice with one stamp would break the interpolation between both traces
    rising = np.concatenate([[True], np.diff(t_s) > 0]) if len(t_s) else np.zeros(0, dtype=bool)
    return PowerTrace(t_s[rising], power_w[rising], step or 0.0)


def _cross_calibrated(wall: PowerTrace, bmc: PowerTrace) -> CrossCalibration:
    try:
        return cross_calibrate(wall, bmc)
    except Refused as refused:
        cause, _, remedy = refused.text.partition("; ")
        raise WattmarkError(cause.rstrip(".") + ".", remedy[:1].upper() + remedy[1:]) from None


def _record(
    calibration: CrossCalibration, server: str, bmc: MeterRecord, wall: MeterRecord, recorded_ns: int, source: str
) -> CrossCalibrationRecord:
    line, lag = calibration.line, calibration.lag
    instant = iso(recorded_ns)
    return CrossCalibrationRecord(
        name=f"{server}/{bmc.name}/{wall.name}/{instant}",
        server=server,
        bmc=bmc,
        wall=wall,
        recorded_ns=recorded_ns,
        source=source,
        gain=line.slope,
        u_gain=line.u_slope,
        gain_U95=calibration.gain_U95,
        offset_w=line.intercept,
        u_offset_w=line.u_intercept,
        offset_U95_w=calibration.offset_U95_w,
        covariance_w=line.covariance,
        chi_squared=line.chi_squared,
        dof=line.dof,
        residual_w=calibration.residual_w,
        lag_s=lag.value_s,
        u_lag_s=lag.u_s,
        lag_U95_s=calibration.lag_U95_s,
        correlation=lag.correlation,
        low_w=calibration.low_w,
        high_w=calibration.high_w,
        good=calibration.good,
        verdicts=calibration.verdicts,
        points=calibration.blocks,
    )
