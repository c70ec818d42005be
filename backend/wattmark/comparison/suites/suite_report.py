"""What a suite says of one configuration: its score with ±, each level beside its target, idle, proportionality."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wattmark.analysis.comparison.comparison import System, around, product
from wattmark.analysis.comparison.sert import LoadInterval, geometric_mean, server_efficiency, worklet_efficiency
from wattmark.analysis.comparison.specpower import TARGET_TOLERANCE_PCT
from wattmark.analysis.rules.iec62301 import UNCONFIRMED
from wattmark.comparison.choices import Figure
from wattmark.comparison.compare.cells import Repeated, repeated
from wattmark.comparison.compare.groups import SIMULATED, group_key, group_kind, group_title
from wattmark.comparison.compare.levels import target_load
from wattmark.comparison.scaling.load_levels import load_curve
from wattmark.comparison.scaling.load_methods import load_methods
from wattmark.comparison.scaling.scaling_views import LoadLevelsOut, LoadMethod, PublishedCurvesOut
from wattmark.comparison.suites.suite import Suite, Worklet
from wattmark.comparison.suites.suite_plan import suite_plan
from wattmark.comparison.suites.suite_views import (
    IdleCheckOut,
    PublishedBesideOut,
    SuiteIdleOut,
    SuiteKindOut,
    SuiteLevelOut,
    SuiteOut,
    SuiteRanOut,
    SuiteReportOut,
    SuiteWorkletOut,
)
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval, PlusMinus
from wattmark.core.numbers import format_uncertain
from wattmark.core.texts import first_of
from wattmark.results.plus_minus import joined
from wattmark.results.ranking_bars import memory_contradicted, why_not_ranked
from wattmark.results.result import Result
from wattmark.results.rule_sets import IDLE_RULES, asked_rate
from wattmark.runs.record import RunRecord
from wattmark.workloads.catalogue import load_catalogue

PER_KW = 1000.0
SHOWN = 6
_BESIDE: tuple[Figure, ...] = ("throughput", "power")
"""Figures of the same runs as the work per joule."""
Pairs = Sequence[tuple[RunRecord, Result]]
IDLE_NOTE = (
    "Power in the idle state as Regulation (EU) 2019/424 means it: the system is up and can do its work, and none is "
    "asked for. The limit of the regulation depends on the processor performance that SERT measures, so none is given. "
    f"{UNCONFIRMED}"
)


@dataclass(frozen=True, slots=True)
class _Cell:
    """One worklet at one level."""

    worklet: Worklet
    percent: float
    efficiency: Repeated
    rate: Repeated
    power: Repeated
    asked: float | None

    @property
    def interval(self) -> LoadInterval:
        """Return its work by the nominal rate, with the power of the same windows."""
        power_w = self.rate.system.value / self.efficiency.system.value
        return LoadInterval(self.rate.system.value / self.worklet.nominal, power_w)


_Cells = Mapping[str, Mapping[float, _Cell]]
"""By workload and level."""


def suite_report(suite: Suite, pairs: Iterable[tuple[RunRecord, Result]], key: str) -> SuiteReportOut:
    """Compute the score of a configuration ("<server>/<configuration>") with everything that it rests on.

    A score is exp(sum of weight x ln of the geometric mean over worklets of the geometric mean over levels of
    (throughput / nominal rate) per kilowatt) [1/kW]; idle is not part of it. In its ± what one meter does to all levels
    counts once, and what scatters adds in quadrature. A missing level leaves its worklet, kind and the whole without a
    score, and is named. Raises `InputError` where the configuration ran no part of the suite.
    """
    own = _own(suite, pairs, key)
    if not own:
        raise InputError(
            f"{key[:160]} has no run of the suite {suite.id}.", f"Run it: `wattmark suite run {suite.id} BENCH.yaml`."
        )
    own, other_programs = _of_newest_programs(own)
    cells, remarks = _cells(suite, own)
    idle = [(run, result) for run, result in own if target_load(result.level) == 0]
    worklets = [_worklet(suite, worklet, cells, own, idle, key) for worklet in suite.worklets]
    kinds = [_kind(suite, kind, cells) for kind in suite.weights]
    memory_gib = _memory_gib(own)
    score = _score(suite, cells, memory_gib)
    levels = [
        _level(cells[workload][percent])
        for workload in suite.workloads
        for percent in suite.percent
        if percent in cells.get(workload, {})
    ]
    results = [result for _, result in own]
    report = SuiteReportOut(
        suite=suite_out(suite),
        key=key,
        title=group_title(results[-1]),
        server=results[-1].server,
        configuration=results[-1].configuration,
        kind=group_kind(results),
        memory_gib=memory_gib,
        score=score,
        kinds=kinds,
        worklets=worklets,
        levels=levels,
        idle=_idle(idle),
        published=None,
        statement="",
        remarks=[],
        methods=_methods(suite),
        simulated=any(result.simulated for result in results),
        traceable=all(result.traceable for result in results),
    )
    said = [*_missing(report), *_off_target(levels), *_untold(report), *other_programs, *remarks]
    return report.model_copy(update={"statement": _statement(report), "remarks": list(dict.fromkeys(said))})


def beside(report: SuiteReportOut, published: PublishedCurvesOut) -> SuiteReportOut:
    """Add how published results spread over their loads."""
    if published.workload is None or not published.results:
        return report
    ep, idle = (
        [value for row in published.results if (value := getattr(row, name)) is not None]
        for name in ("energy_proportionality", "idle_to_peak")
    )
    if not ep or not idle:
        return report
    spread = PublishedBesideOut(
        workload=published.workload,
        n=len(published.results),
        energy_proportionality=np.quantile(ep, (0.25, 0.5, 0.75)).tolist(),
        idle_to_peak=np.quantile(idle, (0.25, 0.5, 0.75)).tolist(),
        spread=published.spread,
    )
    return report.model_copy(update={"published": spread})


def suite_out(suite: Suite, ran: Sequence[SuiteRanOut] = ()) -> SuiteOut:
    """Describe a suite, and who ran it."""
    plan = suite_plan(suite, ["server/configuration"])
    calibrated = suite.calibrate + len(suite.percent)
    each_s = plan.settle_s + plan.measure_s + plan.hold_s
    return SuiteOut(
        id=suite.id,
        title=suite.title,
        purpose=suite.purpose,
        formula=suite.formula,
        source=suite.source,
        weights=suite.weights,
        percent=list(suite.percent),
        workloads=list(suite.workloads),
        measure_s=suite.measure_s,
        idle_s=suite.idle_s,
        expected_s=len(suite.worklets) * calibrated * each_s + suite.idle_s,
        ran=list(ran),
    )


def suite_ran(suite: Suite, pairs: Pairs) -> list[SuiteRanOut]:
    """List the configurations that ran a part of a suite, those with the most levels first."""
    members = [(run, result) for run, result in pairs if result.workload in suite.workloads]
    groups: dict[tuple[str, bool], list[tuple[RunRecord, Result]]] = defaultdict(list)
    for run, result in members:
        groups[group_key(result), result.simulated].append((run, result))
    rows = []
    for (key, simulated), every in groups.items():
        end = SIMULATED if simulated and (key, False) in groups else ""
        own, _ = _of_newest_programs(every)
        cells, _ = _cells(suite, own)
        count = sum(len(of) for of in cells.values())
        if count:
            rows.append(
                SuiteRanOut(
                    key=f"{key}{end}",
                    title=f"{group_title(own[-1][1])}{end}",
                    levels=count,
                    wanted=len(suite.worklets) * len(suite.percent),
                    score=_score(suite, cells, _memory_gib(own)),
                    simulated=simulated,
                )
            )
    return sorted(rows, key=lambda row: (-row.levels, row.key))


def _own(suite: Suite, pairs: Iterable[tuple[RunRecord, Result]], key: str) -> Pairs:
    """Choose the runs of a configuration that are of the suite, measured or simulated as its key says."""
    plain = key.removesuffix(SIMULATED)
    own = [(run, r) for run, r in pairs if group_key(r) == plain and r.workload in suite.workloads]
    simulated = key.endswith(SIMULATED) or all(result.simulated for _, result in own)
    return [(run, result) for run, result in own if result.simulated == simulated]


def _of_newest_programs(own: Pairs) -> tuple[Pairs, list[str]]:
    """Choose the runs of the newest version of each load program, and say how many are of others; idle is of none."""
    loaded = sorted((result for _, result in own if target_load(result.level) != 0), key=lambda result: result.created)
    newest = {result.workload: result.program_version for result in loaded}
    others = Counter(result.workload for result in loaded if result.program_version != newest[result.workload])
    chosen = [
        (run, result)
        for run, result in own
        if target_load(result.level) == 0 or result.program_version == newest[result.workload]
    ]
    return chosen, [
        f"{workload}: {'1 run' if count == 1 else f'{count} runs'} of other versions of the load program than "
        f"{newest[workload]!r} excluded."
        for workload, count in others.items()
    ]


def _cells(suite: Suite, own: Pairs) -> tuple[_Cells, list[str]]:
    """Collect the levels of the suite that have work per joule."""
    shares = [(run, result) for run, result in own if target_load(result.level) in suite.percent]
    figures, remarks = repeated(shares, "efficiency")
    rates, powers = (
        {(f.factors["workload"], f.factors["level"]): f for f in repeated(shares, figure, "efficiency")[0]}
        for figure in _BESIDE
    )
    asked: dict[tuple[str, str], list[float]] = defaultdict(list)
    for run, result in shares:
        asked_per_s = asked_rate(run)
        if asked_per_s is not None and why_not_ranked(result, "efficiency") is None:
            asked[result.workload, result.level].append(asked_per_s)
    worklets = {worklet.workload: worklet for worklet in suite.worklets}
    cells: dict[str, dict[float, _Cell]] = defaultdict(dict)
    for figure in figures:
        workload, level = figure.factors["workload"], figure.factors["level"]
        percent, wanted = target_load(level), asked[workload, level]
        rate, power = rates.get((workload, level)), powers.get((workload, level))
        if percent is not None and rate is not None and power is not None:
            mean = math.fsum(wanted) / len(wanted) if wanted else None
            cells[workload][percent] = _Cell(worklets[workload], percent, figure, rate, power, mean)
    return cells, remarks


def _complete(suite: Suite, worklet: Worklet, cells: _Cells) -> list[_Cell] | None:
    """List the levels of a worklet in the order of the suite; None where one is missing."""
    of = cells.get(worklet.workload, {})
    return [of[percent] for percent in suite.percent] if len(of) == len(suite.percent) else None


def _estimated(value: float, weighted: Iterable[tuple[float, Sequence[_Cell]]]) -> Interval:
    """Give a geometric mean its ±: (exponent, levels of a worklet), which share it evenly."""
    powers: list[tuple[float, System]] = [
        (exponent / len(levels), cell.efficiency.system) for exponent, levels in weighted for cell in levels
    ]
    complete = all(of.complete for _, of in powers)
    return around(value, product(math.log(value), powers) if complete else None)


def _worklet(suite: Suite, worklet: Worklet, cells: _Cells, own: Pairs, idle: Pairs, key: str) -> SuiteWorkletOut:
    declaration = load_catalogue()[worklet.workload]
    levels = _complete(suite, worklet, cells)
    score = None
    if levels is not None:
        value = PER_KW * worklet_efficiency([cell.interval for cell in levels])
        score = _estimated(value, [(1.0, levels)])
    there = cells.get(worklet.workload, {})
    return SuiteWorkletOut(
        workload=worklet.workload,
        title=declaration.title,
        kind=worklet.kind,
        unit=declaration.unit,
        nominal=worklet.nominal,
        score=score,
        curve=_curve(suite, worklet, own, idle, key) if there else None,
        missing=[f"{percent:g} %" for percent in suite.percent if percent not in there],
    )


def _curve(suite: Suite, worklet: Worklet, own: Pairs, idle: Pairs, key: str) -> LoadLevelsOut | None:
    """Compute the load curve of a worklet; active idle is that of the server, after whichever worklet it was."""
    loaded = [
        (run, result)
        for run, result in own
        if result.workload == worklet.workload and target_load(result.level) in suite.percent
    ]
    at_rest = [
        (
            run.model_copy(update={"workload": worklet.workload}),
            result.model_copy(update={"workload": worklet.workload}),
        )
        for run, result in idle
    ]
    curve, _ = load_curve([*loaded, *at_rest], key)
    return curve


def _kind(suite: Suite, kind: str, cells: _Cells) -> SuiteKindOut:
    members = [_complete(suite, worklet, cells) for worklet in suite.of_kind(kind)]
    whole = [levels for levels in members if levels is not None]
    score = None
    if len(whole) == len(members):
        value = PER_KW * geometric_mean([worklet_efficiency([cell.interval for cell in levels]) for levels in whole])
        score = _estimated(value, [(1 / len(whole), levels) for levels in whole])
    return SuiteKindOut(kind=kind, weight=suite.weights[kind], score=score)


def _score(suite: Suite, cells: _Cells, memory_gib: float | None) -> Interval | None:
    """Compute the weighted mean of all kinds [1/kW]; None where a level is missing or the memory size is not known."""
    whole = {worklet.workload: _complete(suite, worklet, cells) for worklet in suite.worklets}
    levels = {workload: of for workload, of in whole.items() if of is not None}
    if len(levels) < len(whole) or memory_gib is None:
        return None
    intervals = {
        kind: {
            worklet.workload: [cell.interval for cell in levels[worklet.workload]] for worklet in suite.of_kind(kind)
        }
        for kind in suite.weights
    }
    value = PER_KW * server_efficiency(intervals, memory_gib, suite.weights).overall
    weighted = [
        (suite.weights[worklet.kind] / len(suite.of_kind(worklet.kind)), levels[worklet.workload])
        for worklet in suite.worklets
    ]
    return _estimated(value, weighted)


def _memory_gib(own: Pairs) -> float | None:
    """Return the size of the memory, which every score is given with; None where it is not known or contradicted."""
    known = {result.memory_gib for _, result in own if memory_contradicted(result) is None}
    return known.pop() if len(known) == 1 else None


def _level(cell: _Cell) -> SuiteLevelOut:
    rate, efficiency = cell.rate, cell.efficiency
    off = None if cell.asked is None else 100 * (rate.system.value / cell.asked - 1)
    return SuiteLevelOut(
        worklet=cell.worklet.workload,
        kind=cell.worklet.kind,
        target_pct=cell.percent,
        asked=cell.asked,
        throughput=rate.interval,
        throughput_unit=rate.unit,
        off_pct=off,
        held=None if off is None else abs(off) <= TARGET_TOLERANCE_PCT,
        power_w=cell.power.interval,
        ops_per_joule=efficiency.interval,
        n=efficiency.n,
        simulated=efficiency.simulated,
        traceable=efficiency.traceable,
        sources_disagree=bool(efficiency.disagreements),
        included=bool(efficiency.included),
        remark=joined([efficiency.remark]),
    )


def _idle(idle: Pairs) -> SuiteIdleOut | None:
    """Average active idle, with the rules of idle power on each of its intervals."""
    figures, _ = repeated(
        [
            (run.model_copy(update={"workload": "idle"}), result.model_copy(update={"workload": "idle"}))
            for run, result in idle
        ],
        "power",
        "efficiency",
    )
    if not figures:
        return None
    checks = [
        IdleCheckOut(run_id=result.run_id, outcome=verdict.outcome, text=verdict.text)
        for _, result in idle
        for verdict in result.standards
        if verdict.rule == IDLE_RULES
    ]
    return SuiteIdleOut(power_w=figures[0].interval, n=figures[0].n, checks=checks, note=IDLE_NOTE)


def _missing(report: SuiteReportOut) -> list[str]:
    """Name what keeps the suite from a score."""
    lacking = [f"{worklet.workload} ({', '.join(worklet.missing)})" for worklet in report.worklets if worklet.missing]
    texts = [f"No score, as levels without work per joule are missing: {first_of(lacking, SHOWN)}."] if lacking else []
    if not lacking and report.memory_gib is None:
        texts.append(
            "No score, as the memory size is not known, which moves it: describe the memory in the bench file, as the "
            "server has it."
        )
    return texts


def _off_target(levels: Sequence[SuiteLevelOut]) -> list[str]:
    """Name the levels whose work was further from the target than allowed, or that nothing is known of."""
    off = [
        f"{level.worklet} at {level.target_pct:g} % ({level.off_pct:+.1f} %)"
        for level in levels
        if level.held is False and level.off_pct is not None
    ]
    unknown = sum(level.held is None for level in levels)
    limit = f"{TARGET_TOLERANCE_PCT:g} %"
    texts = [f"Off their target by more than {limit}: {first_of(off, SHOWN)}."] if off else []
    return [*texts, *([f"Of {unknown} levels the rate that was asked for is not known."] if unknown else [])]


def _untold(report: SuiteReportOut) -> list[str]:
    if report.idle is not None:
        return []
    if any(worklet.curve is not None and worklet.curve.energy_proportionality for worklet in report.worklets):
        return ["Active idle was not measured: energy proportionality comes from the idle phases of the runs."]
    return ["Active idle was not measured, so there is no energy proportionality."]


def _statement(report: SuiteReportOut) -> str:
    """Say the score, how well the levels were held, and how power follows load."""
    sentences = []
    if report.score is not None and report.memory_gib is not None:
        by_kind = [
            f"{kind.kind} {format_uncertain(kind.score.value, kind.score.U95)}"
            for kind in report.kinds
            if kind.score is not None
        ]
        sentences.append(
            f"{report.suite.title}: {format_uncertain(report.score.value, report.score.U95)} per kilowatt with "
            f"{report.memory_gib:g} GiB of memory ({', '.join(by_kind)})"
        )
    held = sum(level.held is True for level in report.levels)
    if report.levels:
        sentences.append(
            f"{held} of {len(report.levels)} levels were within {TARGET_TOLERANCE_PCT:g} % of their target"
        )
    sentences += _proportionality(report)
    if report.idle is not None:
        power = report.idle.power_w
        sentences.append(f"Active idle {format_uncertain(power.value, power.U95)} W")
    return ". ".join([*sentences, "Neither a SERT nor a SPECpower result."])


def _proportionality(report: SuiteReportOut) -> list[str]:
    """Name the worklets whose power follows load least and most."""
    known: list[tuple[PlusMinus, str]] = [
        (ep, worklet.workload)
        for worklet in report.worklets
        if worklet.curve is not None and (ep := worklet.curve.energy_proportionality) is not None
    ]
    if not known:
        return []
    known.sort(key=lambda of: of[0].value)
    ends = [known[0], known[-1]] if len(known) > 1 else known
    words = [f"{format_uncertain(ep.value, ep.U95)} ({workload})" for ep, workload in ends]
    return [f"Energy proportionality {' to '.join(words)}"]


def _methods(suite: Suite) -> list[LoadMethod]:
    """List how the figures of a report are computed, and who says so."""
    own = [
        LoadMethod(
            name="level",
            formula=f"A share of the maximum, which is the mean of the last two of {suite.calibrate} calibration "
            "intervals. Units of work are started at that rate in open loop, and counted as they are done.",
            source="SPECpower_ssj2008",
        ),
        LoadMethod(
            name="score of a worklet",
            formula="Geometric mean over the levels of throughput by the nominal rate, per kilowatt. The nominal rate "
            "is a constant of the suite: ratios of scores do not depend on it.",
            source="as interval and worklet efficiency in SERT 2",
        ),
        LoadMethod(name="score", formula=suite.formula, source=suite.source),
        LoadMethod(
            name="±",
            formula="Errors that one meter causes at all levels count once; scatter adds in quadrature.",
            source="JCGM 100:2008, 5.2.2",
        ),
        LoadMethod(
            name="idle",
            formula="Trend of the last two thirds of the period by least squares, at most 1 % of power per hour; "
            "expanded uncertainty at most 2 % of power, x (1 + 0.08 (MCR - 10)) for a maximum current ratio "
            "above 10.",
            source="IEC 62301:2011, 5.3.2 and 4.4.1, not confirmed from its text",
        ),
    ]
    return [*own, *(method for method in load_methods() if method.name in ("energy proportionality", "idle share"))]
