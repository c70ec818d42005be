"""What a plan is expected to show: the ± and the smallest difference, by the formulas that judge its runs later."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

from wattmark_drivers.clock import Clock

from wattmark.analysis.comparison.comparison import (
    FEWEST_TO_TEST,
    Observation,
    System,
    absolute,
    shared_half_width,
)
from wattmark.analysis.comparison.forecast import detectable, expected_system
from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.campaigns.planning.earlier import Earlier, earlier_runs
from wattmark.campaigns.planning.forecast_views import Basis, Forecast, ForecastRepeats, ForecastRow
from wattmark.campaigns.planning.forecast_words import (
    ORDERS_IN_TURNS,
    limits_of_plan,
    not_separable_summary,
    order_limit,
    percent,
    power_basis,
    scatter_basis,
    servers_not_in_turns,
    settling_limits,
    summary,
)
from wattmark.campaigns.planning.plan import expand
from wattmark.campaigns.planning.planned import PlannedRun
from wattmark.campaigns.planning.turns import Pair, pairs_in_turns, visits
from wattmark.campaigns.planning.view import plan_view
from wattmark.comparison.compare.observation import efficiency_observation, within
from wattmark.core.errors import InputError
from wattmark.instruments.models import SHOWN_LOADS_W
from wattmark.results.expected import ExpectedRun, expected_result
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.result import Result
from wattmark.runs.record import MeterRecord
from wattmark.traceability.certificates.register import CertificateRegister

ASSUMED_SD = 0.01
"""Scatter of performance per watt from run to run, for a server without repeats: the ranging and the testing run of six
results of MLPerf Inference v1.0 (resnet50; Dell, NVIDIA, Qualcomm) scatter by 0.85 %, here rounded up."""
ASSUMED_POWER_W = SHOWN_LOADS_W[-1]
MORE_REPEATS = (3, 5, 10)
MOST_ROWS = 24
"""Rows of a forecast; each takes two evaluations."""


@dataclass(frozen=True, slots=True)
class ForecastLab:
    """Inputs of a forecast besides plan and bench."""

    meters: Callable[[str], Sequence[MeterRecord]]
    """Describes the meters of a server."""
    earlier: Callable[[str, str, Collection[str]], Earlier]
    """Returns the estimates from runs of a server under a workload at some levels."""
    register: CertificateRegister
    now_ns: int


@dataclass(frozen=True, slots=True)
class _Expected:
    """Single runs of two configurations of a server, as they will count in a comparison."""

    view: ForecastRow
    pair: tuple[Observation, Observation] | None
    sd: float


def forecast(plan: Plan, bench: Bench, lab: ForecastLab, power_w: float | None = None) -> Forecast:
    """Compute what a plan is expected to show; ``power_w`` replaces the power from earlier runs [W]."""
    view = plan_view(plan, bench, lab.now_ns / 1e9)
    try:
        runs = [run for run in expand(plan, bench) if run.task != "idle"]
    except InputError:
        runs = []
    in_turns = pairs_in_turns(runs)
    levels: dict[tuple[str, str], set[str]] = defaultdict(set)
    for run in sorted(runs, key=lambda run: (plan.configurations.index(run.place), plan.workloads.index(run.workload))):
        levels[run.server, run.workload].add(run.level)
    places = list(levels.items())[:MOST_ROWS]
    rows = [_row(plan, bench, lab, server, workload, names, power_w) for (server, workload), names in places]
    rows = [_in_order(row, runs, in_turns, plan, bench) for row in rows]
    return Forecast(
        plan=plan.name,
        expected_s=view.expected_s,
        at_most_s=view.at_most_s,
        rows=[row.view for row in rows],
        between_servers=list(_between(rows, plan, in_turns)),
    )


def _in_order(
    row: _Expected, runs: Sequence[PlannedRun], in_turns: Mapping[Pair, bool], plan: Plan, bench: Bench
) -> _Expected:
    """Remove the differences between configurations of a server that its order does not separate from time."""
    server = row.view.server
    own = {pair: apart for pair, apart in in_turns.items() if all(p.partition("/")[0] == server for p in pair)}
    mixed = [pair for pair, apart in own.items() if not apart]
    if not mixed or plan.repeats < FEWEST_TO_TEST:
        return row
    limits = [order_limit(plan, server, _changes(plan, bench, server, runs)), *row.view.limits]
    changes: dict[str, object] = {"limits": limits}
    if len(mixed) == len(own):
        repeats = [r.model_copy(update={"difference_pct": None}) for r in row.view.repeats]
        changes |= {"repeats": repeats, "summary": not_separable_summary(row.view.meters, row.view.power_w)}
    return replace(row, view=row.view.model_copy(update=changes))


def _changes(plan: Plan, bench: Bench, server: str, runs: Sequence[PlannedRun]) -> dict[str, int]:
    """Count how often each order that measures in turns changes the configuration of a server, and the plan's own."""
    others = {order: expand(plan.model_copy(update={"order": order}), bench) for order in ORDERS_IN_TURNS}
    return {order: len(visits(made, server)) - 1 for order, made in {plan.order: runs, **others}.items()}


def _row(
    plan: Plan,
    bench: Bench,
    lab: ForecastLab,
    server: str,
    workload: str,
    levels: Collection[str],
    stated_w: float | None,
) -> _Expected:
    earlier = lab.earlier(server, workload, levels)
    watts = stated_w or earlier.power_w or ASSUMED_POWER_W
    from_where: Basis = "stated" if stated_w else "earlier runs" if earlier.power_w else "assumed"
    run = _expected_run(plan, bench, lab, server, workload)
    first, second = (expected_result(replace(run, configuration=name), watts, lab.register) for name in ("1", "2"))
    pair = _pair(first, second)
    sd, scatter_from = _scatter(earlier, first, run.window_s)
    repeats = [_repeats(pair, n, sd, plan) for n in (plan.repeats, *(n for n in MORE_REPEATS if n > plan.repeats))]
    at_most = None if plan.repeat_until is None else _repeats(pair, plan.repeat_until.at_most, sd, plan)
    meters = [meter.name for meter in run.meters if meter.role == "wall"]
    least_pct = _least_pct(pair, sd)
    view = ForecastRow(
        server=server,
        workload=workload,
        meters=meters,
        power_w=watts,
        power_basis=from_where,
        scatter_pct=100 * sd,
        scatter_basis=scatter_from,
        repeats=repeats,
        least_pct=least_pct,
        summary=summary(repeats, meters, watts),
        basis=[
            power_basis(from_where, watts, earlier.runs, same_workload=earlier.same_workload),
            scatter_basis(scatter_from, sd, earlier.runs, same_workload=earlier.same_workload),
        ],
        limits=[
            *settling_limits(plan, run.meters, run.before_s - plan.ramp_s),
            *limits_of_plan(plan, server, first, pair[0] if pair else None, repeats[0], at_most, least_pct),
        ],
    )
    return _Expected(view, pair, sd)


def _expected_run(plan: Plan, bench: Bench, lab: ForecastLab, server: str, workload: str) -> ExpectedRun:
    declaration = bench.workload(workload)
    settle_s = plan.settle.at_least_s if plan.settle else plan.settle_s
    return ExpectedRun(
        server=server,
        configuration="",
        workload=workload,
        level="planned",
        unit=declaration.unit,
        meters=tuple(lab.meters(server)),
        before_s=plan.ramp_s + max(settle_s, declaration.lead_in_s(plan.measure_s)),
        window_s=float(sum(declaration.slices(plan.measure_s))),
        after_s=plan.hold_s,
        begin_ns=lab.now_ns,
    )


def _pair(first: Result, second: Result) -> tuple[Observation, Observation] | None:
    a, b = efficiency_observation(first), efficiency_observation(second)
    return None if a is None or b is None else (a, b)


def _scatter(earlier: Earlier, result: Result, window_s: float) -> tuple[float, Basis]:
    """Return how runs with windows as planned scatter [1]; an assumed scatter gets the meter's own scatter added."""
    if earlier.scatter is not None:
        return earlier.scatter.over(window_s), "earlier runs"
    figure = result.efficiency
    own, _ = (None, 0.0) if figure is None else within(figure.model_copy(update={"scatter": None}))
    return math.hypot(ASSUMED_SD, 0.0 if figure is None or own is None else own / figure.value), "assumed"


def _repeats(pair: tuple[Observation, Observation] | None, count: int, sd: float, plan: Plan) -> ForecastRepeats:
    if pair is None:
        return ForecastRepeats(repeats=count, u95_pct=None, difference_pct=None)
    a, b = (_fitted(expected_system(run, count, sd), plan) for run in pair)
    estimate = absolute(a) if a.complete else None
    difference = detectable(a, b, _comparisons(plan))
    return ForecastRepeats(
        repeats=count,
        u95_pct=None if estimate is None else 100 * estimate.half_width(),
        difference_pct=None if difference is None else 100 * difference,
    )


def _fitted(of: System, plan: Plan) -> System:
    """Count the installations: up and down, two repeats where it turns are of one, if nothing is done in between."""
    if plan.order != "up-and-down" or plan.between_repeats != "nothing" or of.log.n < FEWEST_TO_TEST:
        return of
    units = math.ceil(of.log.n / 2)
    return replace(of, log=replace(of.log, dof=units - 1.0, units=units))


def _comparisons(plan: Plan) -> int:
    """Count the pairs of configurations, each under its power settings, that are tested at once under a workload."""
    return max(1, math.comb(len(set(plan.configurations)) * len(plan.variants), 2))


def _least_pct(pair: tuple[Observation, Observation] | None, sd: float) -> float | None:
    """Compute the smallest difference that the meter resolves with any number of repeats [%]; None: unknown."""
    if pair is None or not all(run.complete for run in pair):
        return None
    a, b = (expected_system(run, FEWEST_TO_TEST, sd) for run in pair)
    return 100 * math.expm1(shared_half_width(a, b))


def _between(rows: Sequence[_Expected], plan: Plan, in_turns: Mapping[Pair, bool]) -> Iterator[str]:
    """Describe, for each workload, the comparison of the two servers that are hardest to distinguish."""
    by_workload: dict[str, list[_Expected]] = defaultdict(list)
    for row in rows:
        by_workload[row.view.workload].append(row)
    for workload, members in by_workload.items():
        if len(members) > 1:
            yield _hardest(workload, members, plan)
    apart = {
        tuple(sorted(servers))
        for pair, separated in in_turns.items()
        if not separated and len(servers := {place.partition("/")[0] for place in pair}) == 2
    }
    if apart and plan.repeats >= FEWEST_TO_TEST:
        yield servers_not_in_turns(sorted(apart))


def _hardest(workload: str, members: Sequence[_Expected], plan: Plan) -> str:
    pairs = [(_difference_pct(a, b, plan), a.view.server, b.view.server) for a, b in combinations(members, 2)]
    for difference_pct, a, b in pairs:
        if difference_pct is None:
            return f"{workload}: no difference between {a} and {b} can be tested."
    largest_pct, a, b = max((difference_pct or 0.0, a, b) for difference_pct, a, b in pairs)
    return f"{workload}: between {a} and {b}, differences of {percent(largest_pct)} or more."


def _difference_pct(a: _Expected, b: _Expected, plan: Plan) -> float | None:
    if a.pair is None or b.pair is None:
        return None
    first, second = (_fitted(expected_system(of.pair[0], plan.repeats, of.sd), plan) for of in (a, b) if of.pair)
    difference = detectable(first, second, _comparisons(plan))
    return None if difference is None else 100 * difference


class Forecasts:
    """Forecasts of plans by the meters, certificates and runs that there are; safe to call from several threads."""

    def __init__(self, meters: Callable[[str], Sequence[MeterRecord]], results: Evaluations, clock: Clock) -> None:
        self._meters = meters
        self._results = results
        self._clock = clock

    def of(self, plan: Plan, bench: Bench, power_w: float | None = None) -> Forecast:
        """Compute what a plan would show if it began now; ``power_w``: the power to expect [W]."""
        register = self._results.register()
        earlier = partial(earlier_runs, self._results)
        return forecast(plan, bench, ForecastLab(self._meters, earlier, register, self._clock.utc_ns()), power_w)
