"""The cross-check of a run: the sources of power recorded beside the wall meters, and their differences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.reading import UNUSABLE, Quality

from wattmark.analysis.cross_check.cross_check import Checked, PowerSource, Stretch, cross_check
from wattmark.analysis.cross_check.measured_at import PLACES, MeasuredAt
from wattmark.analysis.cross_check.rules import INDICATIVE_RULE, RULE
from wattmark.analysis.efficiency.run import RunAnalysis, RunInput
from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.power import PowerAnalysis
from wattmark.analysis.energy.trace import Trace
from wattmark.analysis.verdict import Verdict, not_checked
from wattmark.core.numbers import format_number
from wattmark.core.quantity import Quantity
from wattmark.results.cross_check_part import CrossCheck, CrossCheckedSource, CrossCheckLevel
from wattmark.results.meters import instrument
from wattmark.results.series import doubts, power_series, read_trace
from wattmark.runs.channels import TOTALS
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store.sample_store import SampleReader, Series

MARGIN_NS = 30 * 10**9
Span = tuple[int | None, int | None]
SUPPLY = re.compile(r"(psu?|pws|power_supply)_?.*_(?P<side>input|output|in|out)(_power)?")
"""Channels of a BMC that show one power supply: psu_1_input_power, ps1_power_in."""

ONE_MORE: Mapping[str, tuple[MeasuredAt, str]] = {
    "mean_power": ("server", "10 s means"),
    "reported_power": ("supply output", "metric report"),
}
"""Channels that show the whole power once more: HPE's log of means, NVIDIA's report of hot-swap controllers."""


@dataclass(frozen=True, slots=True)
class CrossCheckInput:
    """Sources recorded beside the wall meters of a run, for each idle phase as well."""

    window: tuple[PowerSource, ...]
    """The sources with their traces over the window."""
    idle: tuple[tuple[tuple[Trace, ...], ...], ...] = ()
    """For each idle phase the traces of each source."""


def read_cross_check(
    run: RunRecord,
    beside: Mapping[str, Trace],
    span: Span,
    idle: Sequence[Window],
    series: Sequence[Series],
    store: SampleReader,
) -> CrossCheckInput | None:
    """Read the sources of power beside the wall meters; None for a run without any, or without a wall meter.

    ``beside`` are the traces over the ``span`` of the window [UTC ns] that were read already, by name of the meter.
    """
    meters = [m for m in run.meters if m.name in beside]
    sources = [source for meter in meters for source in _channels(meter, series)]
    if not sources or not any(m.role == "wall" for m in run.meters):
        return None

    def read(source: FoundSource, begin_ns: int | None, end_ns: int | None) -> tuple[Trace, ...]:
        if source.parts:
            return tuple(_part_trace(run, source.meter, part, store, begin_ns, end_ns) for part in source.parts)
        return (read_trace(run, source.meter, series, store, begin_ns, end_ns),)

    window = tuple(
        PowerSource(
            source.name,
            source.title,
            source.measured_at,
            ((beside[source.meter.name],) if not source.parts else read(source, *span),),
            not source.parts and source.meter.u_latency_s is not None,
        )
        for source in sources
    )
    return CrossCheckInput(
        window,
        tuple(
            tuple(read(source, phase.begin_ns - MARGIN_NS, phase.end_ns + MARGIN_NS) for source in sources)
            for phase in idle
        ),
    )


def cross_check_of(
    run: RunRecord, recorded: CrossCheckInput | None, run_input: RunInput, analysis: RunAnalysis
) -> CrossCheck | None:
    """Compare the sources of a run with its wall meters; None without power or sources."""
    if recorded is None or analysis.power is None or analysis.window is None:
        return None
    stretches = [
        Stretch("window", analysis.window, run_input.power, analysis.power.mean),
        *(
            Stretch("idle", phase.window, phase.power, mean)
            for phase, mean in zip(run_input.idle, analysis.idle_power, strict=True)
        ),
    ]
    sources = [
        replace(source, traces=(*source.traces, *(phase[position] for phase in recorded.idle)))
        for position, source in enumerate(recorded.window)
    ]
    checked = cross_check(stretches, analysis.power.mean, sources)
    simulated = {meter.name for meter in run.meters if meter.simulated}
    order = list(PLACES)
    return CrossCheck(
        reference=" + ".join(trace.instrument.name for trace in run_input.power),
        power=Quantity.of(analysis.power.mean),
        sources=tuple(
            _part(each, simulated=each.source.traces[0][0].instrument.name in simulated)
            for each in sorted(checked, key=lambda c: order.index(c.source.measured_at))
        ),
    )


def cross_check_verdicts(check: CrossCheck | None, power: PowerAnalysis | None) -> tuple[Verdict, ...]:
    """Return one verdict on all sources that state their limits, and one on the others, or the reason."""
    reason = "Power is withheld, or was not recorded." if power is None else "No such source of power was recorded."
    verdicts = [] if check is None else [source.verdict for source in check.sources]
    return tuple(_together(rule, [v for v in verdicts if v.rule == rule], reason) for rule in (RULE, INDICATIVE_RULE))


def _together(rule: str, verdicts: Sequence[Verdict], reason: str) -> Verdict:
    """Return the worst of several verdicts; not checked where none of them compared anything."""
    failed = [v for v in verdicts if v.outcome == "fail"]
    passed = [v for v in verdicts if v.outcome == "pass"]
    if failed:
        worst = max(failed, key=lambda v: abs(v.value or 0.0) / (v.limit or 1.0))
        return replace(worst, text=" ".join(v.text for v in failed))
    if not passed:
        return not_checked(rule, None, "%", " ".join(v.text for v in verdicts) or reason)
    closest = max(passed, key=lambda v: abs(v.value or 0.0) / (v.limit or 1.0))
    count = "The other source agrees" if len(passed) == 1 else f"All {len(passed)} other sources agree"
    return replace(closest, text=f"{count} with the wall meter. Closest to its limit: {closest.text}")


def measured_at(meter: MeterRecord, channel: str) -> MeasuredAt:
    """Return where a meter measures, as its model declares it.

    A chip of the operating system shows the whole server only in its total; a meter of direct current is behind the
    supplies; another model that declares nothing measures the inlets, but for an indicative one: a part.
    """
    declaration = load_catalogue().get(meter.model)
    declared = None if declaration is None else declaration.measured_at
    if declared == "server" and meter.role != "bmc" and channel not in TOTALS["power"]:
        return "part"
    if declared is not None:
        return declared
    if declaration is not None and declaration.direct_current:
        return "supply output"
    if meter.role == "bmc":
        return "server"
    return "part" if meter.indicative else "inlet"


@dataclass(frozen=True, slots=True)
class FoundSource:
    """A meter's total power, or the sum of ``parts``, the channels of supplies that it shows one by one."""

    meter: MeterRecord
    name: str
    title: str
    measured_at: MeasuredAt
    parts: tuple[Series, ...] = ()


def _channels(meter: MeterRecord, series: Sequence[Series]) -> Iterator[FoundSource]:
    """Yield the total of a meter, the inputs and outputs of the supplies that a BMC shows, and its other totals."""
    total = power_series(meter, series)
    if total:
        yield FoundSource(meter, meter.name, meter.title, measured_at(meter, total[0].key.channel))
    sides: dict[MeasuredAt, list[Series]] = {"supply input": [], "supply output": []}
    for recorded in series:
        key = recorded.key
        match = SUPPLY.fullmatch(key.channel) if key.source == meter.name and key.quantity == "power" else None
        if match is not None and "last" not in key.channel:
            sides["supply input" if match["side"].startswith("in") else "supply output"].append(recorded)
    for side, supplies in sides.items():
        if supplies and supplies != total:
            count = f"{len(supplies)} supplies" if len(supplies) > 1 else "supply"
            yield FoundSource(meter, f"{meter.name}, {side}", f"{count} by {meter.title}", side, tuple(supplies))
    for channel, (place, what) in ONE_MORE.items() if meter.role == "bmc" else ():
        wanted = (meter.name, "power", channel)
        again = [s for s in series if (s.key.source, s.key.quantity, s.key.channel) == wanted]
        if again and again != total:
            yield FoundSource(meter, f"{meter.name}, {what}", f"{what} by {meter.title}", place, tuple(again))


def _part_trace(
    run: RunRecord, meter: MeterRecord, series: Series, store: SampleReader, begin_ns: int | None, end_ns: int | None
) -> Trace:
    """Read one channel of power; its rhythm is that of its own stamps, often slower than the meter's."""
    samples = store.read(series.id, begin_ns, end_ns)
    spacing_s = float(np.median(np.diff(samples.t_ns))) / 1e9 if len(samples) > 1 else meter.period_s
    described = replace(
        instrument(run, meter),
        kind="averaged" if series.key.kind == "averaged" else "instantaneous",
        period_s=max(spacing_s, meter.period_s),
        specification=None,
        resolution=None,
    )
    return Trace(
        instrument=described,
        t_ns=samples.t_ns,
        value=samples.value,
        usable=(samples.quality & UNUSABLE) == 0,
        u_t_s=samples.u_t_s.astype(np.float64),
        over_range=(samples.quality & Quality.OVER_RANGE) != 0,
        stale=(samples.quality & Quality.STALE) != 0,
        doubts=doubts(samples),
    )


def _part(checked: Checked, *, simulated: bool) -> CrossCheckedSource:
    source, at_load, difference = checked.source, checked.window, checked.difference_pct
    place = PLACES[source.measured_at]
    scale = None if at_load is None else 100 / at_load.reference_w
    return CrossCheckedSource(
        source=source.name,
        title=source.title,
        measured_at=source.measured_at,
        place=place.title,
        whole=place.whole,
        simulated=simulated,
        power_w=None if at_load is None else at_load.source_w,
        difference=None if difference is None else Quantity.of(difference),
        share_pct=None if at_load is None or scale is None else scale * at_load.source_w,
        limit_pct=None if checked.limit_w is None or scale is None else scale * checked.limit_w,
        limit_basis=checked.limit_basis,
        lag_s=checked.lag_s,
        line=checked.line,
        no_line=checked.no_line,
        levels=tuple(
            CrossCheckLevel(
                stretch=lv.stretch,
                reference_w=lv.reference_w,
                source_w=lv.source_w,
                difference=Quantity.of(lv.difference),
            )
            for lv in checked.levels
        ),
        statement=_statement(checked),
        verdict=checked.verdict,
    )


def _statement(checked: Checked) -> str:
    """Return the verdict in a few words."""
    name, verdict = checked.source.name, checked.verdict
    if verdict.value is None or verdict.limit is None:
        return f"{name}: not compared"
    if not PLACES[checked.source.measured_at].whole:
        below = "below the wall" if verdict.outcome == "pass" else "above the wall"
        return f"{name} shows {format_number(verdict.value, 3)} % of the power, {below}"
    side = "high" if verdict.value > 0 else "low"
    within = "within" if verdict.outcome == "pass" else "beyond"
    return f"{name} {format_number(abs(verdict.value), 2)} % {side}, {within} {format_number(verdict.limit, 2)} %"
