"""All verdicts of a run: at least one per rule of the table, passed, failed, or not checked with its reason.

The verdicts on alarms, supply ratings and the starts of a group are evaluated here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wattmark.analysis.efficiency.run import RunAnalysis
from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.power import PowerAnalysis
from wattmark.analysis.verdict import Limits, Outcome, Verdict, at_most, not_checked
from wattmark.core.numbers import format_number
from wattmark.core.texts import first_of
from wattmark.results.cross_check import cross_check_verdicts
from wattmark.results.cross_check_part import CrossCheck
from wattmark.results.inventory_part import MemoryInventory
from wattmark.results.loaded import LoadedRun
from wattmark.results.metered_supplies import metered_supplies
from wattmark.results.recorded import (
    clock_step,
    cool_down,
    memory_slots,
    power_settings,
    recording,
    server_clock,
    settled,
)
from wattmark.results.undisturbed import own_share, undisturbed
from wattmark.runs.alarms import Alarm, RunAlarms
from wattmark.runs.configuration import DeclaredConfiguration
from wattmark.runs.record import RunRecord

ALARMS = "alarms"
SHOWN = 5
TARGET_S = 0.010
"""Largest allowed difference between the starts of two servers [s]."""
SUPPLY_RATING = "supply-rating"
STARTED_TOGETHER = "started together"


def run_verdicts(
    loaded: LoadedRun, analysis: RunAnalysis, beside: CrossCheck | None, inventory: MemoryInventory | None
) -> tuple[Verdict, ...]:
    """List the verdicts of the analysis, then those on the record, for every rule of `ranking_bars.TABLE`.

    ``beside`` compares the other sources of power with the wall meters, ``inventory`` the memory slots with those of
    the server.
    """
    run, window, power, work = loaded.run, analysis.window, analysis.power, analysis.work
    window_s = None if window is None else window.duration_s
    mean = None if power is None else power.mean
    return (
        *analysis.verdicts,
        undisturbed(run, analysis.utilisation_pct, window_s),
        own_share(run, window_s),
        limit_alarms(run, window),
        supply_rating(run.configuration_snapshot.declared, power),
        metered_supplies(run).verdict,
        clock_step(run, window_s, work.efficiency or work.throughput or mean),
        server_clock(run, loaded.clock),
        recording(run, {meter.name for meter in loaded.meters}),
        settled(run, analysis.verdicts),
        cool_down(run),
        power_settings(run),
        memory_slots(inventory),
        start_verdict(run),
        *cross_check_verdicts(beside, power),
    )


def supply_rating(declared: DeclaredConfiguration, power: PowerAnalysis | None) -> Verdict:
    """Evaluate the highest power of the window against the most that the supplies can draw [W].

    A supply delivers at most its rating and loses at most 1 - `Limits.supply_efficiency` of its input.
    """
    rated = [supply.rated_w for supply in declared.powered]
    if power is None:
        return not_checked(SUPPLY_RATING, None, "W", "Power is withheld, or was not recorded.")
    ratings = [rating for rating in rated if rating]
    if not rated or len(ratings) < len(rated):
        return not_checked(SUPPLY_RATING, None, "W", "The bench file does not state the rating of every power supply.")
    rated_w = sum(ratings)
    # a counter has energy, not power, in its trace: only its mean counts
    highest_w = max(
        [
            power.mean.value,
            *(float(m.trace.value[m.trace.inside].max()) for m in power.meters if m.trace.instrument.kind != "counter"),
        ]
    )
    limit_w = rated_w / Limits().supply_efficiency
    text = f"The highest power was {format_number(highest_w, 4)} W; the supplies are rated for {rated_w:g} W."
    if highest_w > limit_w:
        text += (
            f" They cannot take more than {format_number(limit_w, 4)} W: check the meter, its model and the "
            "ratings in the bench."
        )
    return at_most(SUPPLY_RATING, highest_w, limit_w, "W", text)


def limit_alarms(run: RunRecord, window: Window | None) -> Verdict:
    """Evaluate the limits that a run must keep and report the others.

    The value is the time beyond such a limit, else beyond any limit [s of the window].
    """
    recorded = run.disclosure.alarms
    if window is None:
        return _verdict(None, None, "not-checked", "The run has no window in which a limit could be crossed.")
    if recorded is None:
        return _verdict(None, None, "not-checked", "The bench sets no limit for the instruments of this run.")
    inside = [alarm for alarm in recorded.crossed if _span(alarm, window) is not None]
    binding = [alarm for alarm in inside if alarm.run_must_keep]
    seconds = beyond_s(binding or inside, window)
    if binding:
        others = [alarm for alarm in inside if not alarm.run_must_keep]
        also = f" Besides, {_named(others, window)}." if others else ""
        text = f"{_named(binding, window)}. The bench file requires runs to keep this limit: repeat the run.{also}"
        return _verdict(seconds, 0.0, "fail", text + _rest(recorded))
    if recorded.unwatched:
        text = f"No usable reading in the window for {first_of(recorded.unwatched, SHOWN)}"
        exceeded = f" {_named(inside, window)}." if inside else ""
        return _verdict(seconds if inside else None, None, "not-checked", f"{text}.{exceeded}{_rest(recorded)}")
    if inside:
        text = f"{_named(inside, window)}. The bench file does not require runs to keep this limit."
        return _verdict(seconds, None, "not-checked", text + _rest(recorded))
    return _verdict(0.0, 0.0, "pass", _kept(recorded))


def beyond_s(alarms: Sequence[Alarm], window: Window) -> float:
    """Compute the time for which at least one alarm lasted [s of the window]."""
    # alarms of several channels overlap: their union is counted, so the time never exceeds the window
    spans = sorted(span for alarm in alarms if (span := _span(alarm, window)) is not None)
    total_ns, until_ns = 0, window.begin_ns
    for begin_ns, end_ns in spans:
        total_ns += max(0, end_ns - max(begin_ns, until_ns))
        until_ns = max(until_ns, end_ns)
    return total_ns / 1e9


def _span(alarm: Alarm, window: Window) -> tuple[int, int] | None:
    """Return begin and end of an alarm inside the window [ns since 1970 UTC]; None where it lies outside."""
    begin_ns = max(alarm.begin_ns, window.begin_ns)
    end_ns = min(alarm.seen_ns if alarm.end_ns is None else alarm.end_ns, window.end_ns)
    return (begin_ns, end_ns) if begin_ns <= end_ns else None


def _named(alarms: Sequence[Alarm], window: Window) -> str:
    """Describe each exceeded limit once, with duration and worst value."""
    groups: dict[tuple[str, str, str, float], list[Alarm]] = {}
    for alarm in alarms:
        groups.setdefault((alarm.source, alarm.channel, alarm.side, alarm.limit), []).append(alarm)
    return first_of([_one_limit(group, window) for group in groups.values()], SHOWN)


def _one_limit(alarms: Sequence[Alarm], window: Window) -> str:
    first = alarms[0]
    high = first.side == "high"
    worst = (max if high else min)(alarm.worst for alarm in alarms)
    times = "" if len(alarms) == 1 else f" in {len(alarms)} alarms"
    return (
        f"{first.source} {first.channel} was {'above' if high else 'below'} {first.limit:g} {first.unit} "
        f"for {format_number(beyond_s(alarms, window), 3)} s of the window{times} ({'up' if high else 'down'} to "
        f"{format_number(worst, 4)}{', simulated' if first.simulated else ''})"
    )


def _rest(recorded: RunAlarms) -> str:
    return f" {recorded.excluded} further alarms were not recorded with the run." if recorded.excluded else ""


def _kept(recorded: RunAlarms) -> str:
    if recorded.limits == 1:
        return "The limit that the bench sets for its instruments was not crossed in the window."
    return f"None of the {recorded.limits} limits that the bench sets for its instruments was crossed in the window."


def _verdict(value: float | None, limit: float | None, outcome: Outcome, text: str) -> Verdict:
    return Verdict(ALARMS, value, limit, "s", outcome, text)


def started_together(run: RunRecord) -> dict[str, Any]:
    """Return the fields of a result about its group: the other runs, the spread of the starts [s] and its u [s].

    Empty for a run without a group; the spread is None where no program was started (active idle).
    """
    group = run.disclosure.together
    if group is None:
        return {}
    others = (peer for peer in group.runs if peer.run_id != run.run_id)
    return {
        "started_with": tuple(f"{peer.server}/{peer.configuration}" for peer in others),
        "start_spread_s": group.spread_s,
        "start_spread_u_s": group.u_s,
    }


def start_verdict(run: RunRecord) -> Verdict:
    """Evaluate the spread of the starts of a group against the target [ms]."""
    group = run.disclosure.together
    if group is None:
        return not_checked(STARTED_TOGETHER, None, "ms", "The run was made alone.")
    target_s = group.target_s
    if group.spread_s is None or group.u_s is None:
        text = "No program was started." if group.start_ns is None else "The starts of the servers were not compared."
        return not_checked(STARTED_TOGETHER, target_s * 1e3, "ms", text)
    spread_s = group.spread_s
    passed = spread_s <= target_s
    shown = f"{spread_s * 1e3:.1f} ms apart (u {group.u_s * 1e3:.1f} ms)"
    text = (
        f"The servers of the group started {shown}."
        if passed
        else f"The servers of the group started {shown}, more than {target_s * 1e3:g} ms. "
        "Check for other work on the servers and on this machine at the start."
    )
    return Verdict(STARTED_TOGETHER, spread_s * 1e3, target_s * 1e3, "ms", "pass" if passed else "fail", text)
