"""Every configuration over its loads under one workload: how power follows load, and where work per joule is best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from wattmark.comparison.compare.curves import curves_of
from wattmark.comparison.compare.groups import group_key
from wattmark.comparison.compare.levels import target_load
from wattmark.comparison.compare.pairs import programs_differ
from wattmark.comparison.scaling.best_load import load_words
from wattmark.comparison.scaling.load_levels import load_curve
from wattmark.comparison.scaling.load_methods import load_methods
from wattmark.comparison.scaling.scaling_views import LoadCurvesOut, LoadLevelsOut
from wattmark.core.interval import Interval, PlusMinus
from wattmark.core.numbers import format_uncertain
from wattmark.core.texts import all_of
from wattmark.results.names import group_names, listed
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

FEWEST = 2
"""Loads with work that make a curve; active idle is none of them."""
Figure = Callable[[LoadLevelsOut], Interval | PlusMinus | None]


def load_curves(pairs: Iterable[tuple[RunRecord, Result]], workload: str) -> LoadCurvesOut:
    """Compute the curve of every configuration that ran a workload at two loads or more, as `curves_of` splits them."""
    listed_pairs = list(pairs)
    records = {run.run_id: run for run, _ in listed_pairs}
    curves: list[LoadLevelsOut] = []
    excluded: list[str] = []
    for key, own in curves_of((result for _, result in listed_pairs), workload).items():
        if len({result.level for result in own if target_load(result.level) != 0}) < FEWEST:
            continue
        curve, reasons = load_curve([(records[result.run_id], result) for result in own], key)
        if curve is not None and sum(row.ops_per_joule is not None for row in curve.rows) >= FEWEST:
            end = key.removeprefix(group_key(own[0]))
            curves.append(curve.model_copy(update={"title": f"{curve.title}{end}"}))
        else:
            excluded += reasons
    curves = _with_programs(curves)
    names = group_names(curves)
    named = [curve.model_copy(update={"name": names[curve.key]}) for curve in curves]
    return LoadCurvesOut(
        workload=workload,
        curves=named,
        counted=any(target_load(row.level) is None for curve in named for row in curve.rows if row.load_pct),
        statement=_statement(named),
        excluded=excluded,
        methods=load_methods(),
    )


def _with_programs(curves: list[LoadLevelsOut]) -> list[LoadLevelsOut]:
    """Add the version of its load program to the title of each curve, unless it is that of more than half of them."""
    programs = {curve.key: f"program {all_of(curve.program_versions) or 'not known'}" for curve in curves}
    if len({version for curve in curves for version in curve.program_versions}) < 2:
        return curves
    usual, count = Counter(programs.values()).most_common(1)[0]
    known = {usual} if 2 * count > len(curves) else set()
    return [
        curve
        if programs[curve.key] in known or programs[curve.key] in curve.title
        else curve.model_copy(update={"title": f"{curve.title} ({programs[curve.key]})"})
        for curve in curves
    ]


def _statement(curves: Sequence[LoadLevelsOut]) -> str:
    """Name the configuration whose power follows load best, and that with the most work per joule at its best load."""
    sentences = []
    for kind, compared in (
        ("", [curve for curve in curves if not curve.simulated]),
        ("Simulated: ", [curve for curve in curves if curve.simulated]),
    ):
        sentences += [f"{kind}{said}." for said in (_most_proportional(compared), _most_work(compared)) if said]
    return " ".join(sentences)


def _most_proportional(curves: Sequence[LoadLevelsOut]) -> str | None:
    """Compare energy proportionality among the curves at those loads that most of them have.

    It is a trapezoid area, which depends on where the curve was measured.
    """
    known = _best_first(curves, lambda curve: curve.energy_proportionality)
    if not known:
        return None
    at = Counter(_loads(curve) for curve, _ in known)
    loads, most = at.most_common(1)[0]
    if most == 1 and len(known) > 1:
        return "Energy proportionality is not compared: each configuration was measured at loads of its own"
    (top, figure), *others = [pair for pair in known if _loads(pair[0]) == loads]
    share = top.idle_to_peak
    idle = "" if share is None else f", idle {_per_cent(share)} of full load"
    proportionality = format_uncertain(figure.value, figure.U95)
    best = "Power follows load best" if others else "Power over load"
    elsewhere = [curve.name for curve, _ in known if _loads(curve) != loads]
    apart = f"; not compared, as measured at other loads: {listed(elsewhere)}" if elsewhere else ""
    return f"{best}: {top.name}, energy proportionality {proportionality}{idle}{_overlapping(figure, others)}{apart}"


def _loads(curve: LoadLevelsOut) -> tuple[int, ...]:
    """Return the loads of a curve to 1 %: shares of the highest throughput are never equal to the last digit."""
    return tuple(round(row.load_pct) for row in curve.rows)


def _most_work(curves: Sequence[LoadLevelsOut]) -> str | None:
    """Compare work per joule among the curves that count the same work, as the same version of a program does it.

    Of several units or versions it is that of most curves.
    """
    known = _best_first(curves, lambda curve: None if curve.best is None else curve.best.ops_per_joule)
    if not known:
        return None
    unit = Counter(curve.efficiency_unit for curve, _ in known).most_common(1)[0][0]
    programs = Counter(
        tuple(curve.program_versions) for curve, _ in known if curve.program_versions and curve.efficiency_unit == unit
    )
    program = list(programs.most_common(1)[0][0]) if programs else []

    def alike(curve: LoadLevelsOut) -> bool:
        return curve.efficiency_unit == unit and not programs_differ(curve.program_versions, program)

    (top, figure), *others = [pair for pair in known if alike(pair[0])]
    work = format_uncertain(figure.value, figure.U95, top.efficiency_unit)
    load = load_words([top.best.load_pct] if top.best else [], top.rows)
    elsewhere = [curve.name for curve, _ in known if not alike(curve)]
    apart = f"; not compared, as of another unit of work or load program: {listed(elsewhere)}" if elsewhere else ""
    return f"Most work per joule: {top.name} at {load}, {work}{_overlapping(figure, others)}{apart}"


def _best_first(curves: Sequence[LoadLevelsOut], take: Figure) -> list[tuple[LoadLevelsOut, Interval | PlusMinus]]:
    known = [(curve, figure) for curve in curves if (figure := take(curve)) is not None]
    return sorted(known, key=lambda pair: -pair[1].value)


def _overlapping(figure: Interval | PlusMinus, others: Sequence[tuple[LoadLevelsOut, Interval | PlusMinus]]) -> str:
    """Name the others whose intervals meet that of the best, and those without one; empty where there is none."""
    near = [
        curve.name
        for curve, other in others
        if figure.U95 is not None and other.U95 is not None and figure.value - other.value <= figure.U95 + other.U95
    ]
    unknown = [curve.name for curve, other in others if figure.U95 is None or other.U95 is None]
    parts = []
    if near:
        parts.append(
            f"; the 95 % interval{'s' if len(near) > 1 else ''} of {listed(near)} overlap"
            f"{'' if len(near) > 1 else 's'} with it"
        )
    if unknown:
        parts.append(f"; without ± against {listed(unknown)}")
    return "".join(parts)


def _per_cent(share: PlusMinus) -> str:
    return format_uncertain(100 * share.value, None if share.U95 is None else 100 * share.U95, "%")
