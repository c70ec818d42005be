"""Every configuration over its loads under one workload: how power follows load, and where work per joule is best."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from wattmark.comparison.compare.compare import SIMULATED
from wattmark.comparison.compare.groups import group_key
from wattmark.comparison.scaling.best_load import load_words
from wattmark.comparison.scaling.load_levels import load_curve, target_load
from wattmark.comparison.scaling.load_methods import load_methods
from wattmark.comparison.scaling.scaling_views import LoadCurvesOut, LoadLevelsOut
from wattmark.core.interval import Interval, PlusMinus
from wattmark.core.numbers import format_uncertain
from wattmark.results.names import group_names, listed
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

FEWEST = 2
"""Loads with work that make a curve; active idle is none of them."""
Figure = Callable[[LoadLevelsOut], Interval | PlusMinus | None]


def load_curves(pairs: Iterable[tuple[RunRecord, Result]], workload: str) -> LoadCurvesOut:
    """Compute the curve of every configuration that ran a workload at two loads or more.

    Simulated runs of a configuration that was also measured are a curve of their own.
    """
    groups: dict[tuple[str, bool], list[tuple[RunRecord, Result]]] = defaultdict(list)
    for run, result in pairs:
        if result.workload == workload:
            groups[group_key(result), result.simulated].append((run, result))
    curves: list[LoadLevelsOut] = []
    excluded: list[str] = []
    for (key, simulated), own in sorted(groups.items(), key=lambda group: group[0]):
        if len({result.level for _, result in own if target_load(result.level) != 0}) < FEWEST:
            continue
        end = SIMULATED if simulated and (key, False) in groups else ""
        curve, reasons = load_curve(own, f"{key}{end}")
        if curve is not None and sum(row.ops_per_joule is not None for row in curve.rows) >= FEWEST:
            curves.append(curve.model_copy(update={"title": f"{curve.title}{end}"}))
        else:
            excluded += reasons
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
    known = _best_first(curves, lambda curve: curve.energy_proportionality)
    if not known:
        return None
    (top, figure), others = known[0], known[1:]
    share = top.idle_to_peak
    idle = "" if share is None else f", idle {_per_cent(share)} of full load"
    proportionality = format_uncertain(figure.value, figure.U95)
    best = "Power follows load best" if others else "Power over load"
    return f"{best}: {top.name}, energy proportionality {proportionality}{idle}{_overlapping(figure, others)}"


def _most_work(curves: Sequence[LoadLevelsOut]) -> str | None:
    known = _best_first(curves, lambda curve: None if curve.best is None else curve.best.ops_per_joule)
    if not known:
        return None
    (top, figure), others = known[0], known[1:]
    work = format_uncertain(figure.value, figure.U95, top.efficiency_unit)
    load = load_words([top.best.load_pct] if top.best else [], top.rows)
    return f"Most work per joule: {top.name} at {load}, {work}{_overlapping(figure, others)}"


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
