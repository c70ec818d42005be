"""Apparent power and power factor of a run over a span, from the channels of its wall meters."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark.analysis.efficiency.window import COMPLETE, Window
from wattmark.analysis.energy.apparent import K95, Estimate, apparent_power, power_factor
from wattmark.core.quantity import Quantity
from wattmark.core.schema import Schema
from wattmark.results.meters import result_meters
from wattmark.results.series import TOTAL, read, window_means
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store.sample_store import SampleReader, Series

NEEDED = ("apparent_power", "power_factor", "power", "voltage", "current")


class ApparentPower(Schema):
    """Mean apparent power [VA] and power factor [1] of a span; None: not recorded, and ``reason`` says why."""

    apparent: Quantity | None = None
    factor: Quantity | None = None
    reason: str = ""
    """Why there is no value, or no ±; empty where both are known."""


def apparent_of(
    run: RunRecord, samples: SampleReader, begin_ns: int, end_ns: int, power: Quantity | None
) -> ApparentPower:
    """Average apparent power and power factor of the wall meters of a run over a span [ns since 1970 UTC].

    ``power`` is the mean active power of the same span. Apparent power of several meters adds up, which is exact for
    equal phase angles and an upper bound otherwise, as the reason states.
    """
    meters = result_meters(run)
    series = samples.list_series(run.run_id)
    estimates = [
        _of_meter(meter, series, samples, Window(begin_ns, end_ns, COMPLETE), power, meters) for meter in meters
    ]
    lacking = [meter.name for meter, (apparent, factor) in zip(meters, estimates, strict=True) if apparent is None]
    if len(meters) == 1:
        apparent, factor = estimates[0]
        return ApparentPower(
            apparent=_quantity(apparent, "VA"), factor=_quantity(factor, "1"), reason=_reason(meters, apparent, factor)
        )
    if not meters or lacking:
        names = ", ".join(lacking) or "no meter"
        return ApparentPower(reason=f"The channel of apparent power was not recorded by {names}.")
    parts = [apparent for apparent, _ in estimates if apparent is not None]
    known = [part.u for part in parts if part.u is not None]
    total = Estimate(sum(part.value for part in parts), math.fsum(known) if len(known) == len(parts) else None)
    factor = power_factor({"power": power.value}, {}, power.u, total) if power is not None else None
    added = f"Apparent power of {len(meters)} meters is added up, an upper bound where their phase angles differ."
    return ApparentPower(
        apparent=_quantity(total, "VA"),
        factor=_quantity(factor, "1"),
        reason=" ".join(text for text in (_reason(meters, total, factor), added) if text),
    )


def _of_meter(
    meter: MeterRecord,
    series: Sequence[Series],
    samples: SampleReader,
    window: Window,
    power: Quantity | None,
    meters: Sequence[MeterRecord],
) -> tuple[Estimate | None, Estimate | None]:
    wanted = [
        s
        for s in series
        if s.key.source == meter.name and s.key.quantity in NEEDED and s.key.channel in TOTAL[s.key.quantity]
    ]
    means = dict(window_means(meter, read(wanted, samples, window.begin_ns, window.end_ns), window))
    alone = len(meters) == 1
    if alone and power is not None:
        means["power"] = power.value
    limits = meter.other_limits
    u_power = power.u if alone and power is not None else None
    apparent = apparent_power(means, limits, u_power)
    return apparent, power_factor(means, limits, u_power, apparent)


def _quantity(estimate: Estimate | None, unit: str) -> Quantity | None:
    if estimate is None:
        return None
    known = estimate.u is not None
    return Quantity(value=estimate.value, unit=unit, u=estimate.u, k95=K95 if known else None)


def _reason(meters: Sequence[MeterRecord], apparent: Estimate | None, factor: Estimate | None) -> str:
    names = ", ".join(meter.title for meter in meters)
    if apparent is None and factor is None:
        return f"Neither apparent power nor power factor was recorded by {names}."
    if apparent is None:
        return f"Apparent power was not recorded by {names}."
    if apparent.u is None:
        return f"No limits of error of voltage and current, apparent power or power factor are declared for {names}."
    return ""
