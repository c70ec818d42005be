"""A forecast in words: what is shown, where its inputs come from, what the runs cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wattmark.analysis.comparison.comparison import FEWEST_TO_TEST, Observation
from wattmark.analysis.verdict import Limits
from wattmark.bench.plan import Plan
from wattmark.campaigns.planning.forecast_views import Basis, ForecastRepeats
from wattmark.core.numbers import format_number
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import Result
from wattmark.runs.record import MeterRecord

ORDERS_IN_TURNS = ("random-blocks", "up-and-down")
"""Orders that measure the configurations of a plan in turns."""
_TITLES = {"random-blocks": "random blocks", "up-and-down": "up and down", "as-listed": "as listed", "random": "random"}


def percent(value: float | None) -> str:
    """Format a percentage with two digits."""
    return format_number(value, 2, "%")


def summary(repeats: Sequence[ForecastRepeats], meters: Sequence[str], power_w: float) -> str:
    """Describe the differences that the plan's repeats show, and those that more repeats would."""
    at_power = f"With {' and '.join(meters) or 'no meter'} at about {format_number(power_w, 3, 'W')}"
    shown = [(r.repeats, percent(r.difference_pct)) for r in repeats if r.difference_pct is not None]
    if not shown:
        return f"{at_power} no difference in performance per watt can be shown."
    (count, least), *more = shown
    others = "".join(f"; {n} repeats: {smaller}" for n, smaller in more if smaller != least)
    return f"{at_power}, {count} repeats show differences of {least} or more{others}."


def not_separable_summary(meters: Sequence[str], power_w: float) -> str:
    """Explain that the order of the runs keeps all differences between configurations from being called significant."""
    at_power = f"With {' and '.join(meters) or 'no meter'} at about {format_number(power_w, 3, 'W')}"
    return f"{at_power}, differences between these configurations are not separable from time, whatever their size."


def order_limit(plan: Plan, server: str, changes: Mapping[str, int]) -> str:
    """Describe the cost of a plan's order, and of the others; ``changes``: of the configuration, by order."""
    others = " or ".join(f"{_TITLES[order]} ({_times(changes[order])})" for order in ORDERS_IN_TURNS)
    return (
        f"Differences between configurations of {server} will not be called significant: in the order "
        f"{_TITLES[plan.order]} ({_times(changes[plan.order])}) each is measured at a time of its own, and whatever "
        f"else changes in between is in the difference. Measure them in turns: {others}."
    )


def servers_not_in_turns(pairs: Sequence[tuple[str, ...]]) -> str:
    """Say between which servers no difference will be called significant, for the order of the plan."""
    named = "; ".join(" and ".join(pair) for pair in pairs)
    return (
        f"Not separable from time, and not called significant, because the order measures one after the other: {named}."
        " Random blocks measure in turns."
    )


def _times(changes: int) -> str:
    return "1 change of configuration" if changes == 1 else f"{changes} changes of configuration"


def power_basis(basis: Basis, power_w: float, runs: int, *, same_workload: bool) -> str:
    """Describe the source of the expected power."""
    if basis == "stated":
        return f"Power: {format_number(power_w, 3, 'W')} as entered."
    if basis == "assumed":
        return f"Power: {power_w:g} W assumed, because this server has no runs yet. Enter what you expect."
    return f"Power: highest mean over {_earlier(runs, same_workload=same_workload)}."


def scatter_basis(basis: Basis, sd: float, runs: int, *, same_workload: bool) -> str:
    """Describe the source of the expected scatter."""
    if basis == "earlier runs":
        where = _earlier(runs, same_workload=same_workload)
        return f"Scatter from run to run: {percent(100 * sd)}, by {where}, for windows as planned."
    return (
        f"Scatter from run to run: {percent(100 * sd)} assumed, because this server has no repeats yet. Source: the "
        "two runs of six MLPerf Inference v1.0 power results scatter by 0.85 %."
    )


def _earlier(runs: int, *, same_workload: bool) -> str:
    count = "1 earlier run" if runs == 1 else f"{runs} earlier runs"
    return f"{count} of this server{'' if same_workload else ' under other workloads'}"


def limits_of_plan(
    plan: Plan,
    server: str,
    result: Result,
    run: Observation | None,
    planned: ForecastRepeats,
    at_most: ForecastRepeats | None,
    least_pct: float | None,
) -> Iterator[str]:
    """List what the runs of a server cannot show.

    ``at_most`` is what all repeats reach that a precision rule allows, ``least_pct`` what the meter leaves [%].
    """
    if run is None or not run.complete:
        yield from result.notes or ("No wall meter measures this server.",)
    why = why_not_ranked(result, "efficiency")
    if why is not None and run is not None:
        yield f"The runs would not be ranked by work per joule: {why}."
    if plan.repeats < FEWEST_TO_TEST:
        yield f"Differences are tested from {FEWEST_TO_TEST} repeats on; the plan has {plan.repeats}."
    if least_pct is not None and planned.difference_pct is not None and least_pct > planned.difference_pct / 2:
        yield (
            f"More repeats hardly help: the meter alone leaves {percent(least_pct)}. Use a smaller range, a better "
            "meter or a certificate."
        )
    limits, window_s = Limits(), result.window_s or plan.measure_s
    if limits.too_short(window_s, result.samples):
        yield (
            f"Steadiness cannot be judged over {format_number(window_s, 3, 's')} with {result.samples} readings: it "
            f"needs {limits.short_window_s:g} s and {limits.short_window_samples} readings."
        )
    if plan.between_repeats == "nothing" and len(_configurations(plan, server)) > 1:
        yield "The ± does not include what re-seating modules or a reboot changes, because neither is done in between."
    rule = plan.repeat_until
    if rule is None or at_most is None or at_most.u95_pct is None or at_most.u95_pct <= rule.efficiency_ci_pct:
        return
    yield (f"{rule.efficiency_ci_pct:g} % will not be reached: {rule.at_most} repeats give {percent(at_most.u95_pct)}.")


def settling_limits(plan: Plan, meters: Sequence[MeterRecord], settle_s: float) -> Iterator[str]:
    """Name the meters whose readings average over longer than a run settles [s], and say what to do."""
    setting = "settle.at_least_s" if plan.settle else "settle_s"
    for meter in meters:
        if meter.role == "wall" and meter.averaging_s is not None and meter.averaging_s > settle_s:
            yield (
                f"Each reading of {meter.name} averages over {meter.averaging_s:g} s, longer than the {settle_s:g} s "
                "of settling: the first readings of the window still average over the time before the load, and the "
                "power of that time is recovered from the differences of readings. "
                f"Set {setting} to {meter.averaging_s:g} or more, or let the meter average over less."
            )


def _configurations(plan: Plan, server: str) -> set[str]:
    return {place for place in plan.configurations if place.partition("/")[0] == server}
