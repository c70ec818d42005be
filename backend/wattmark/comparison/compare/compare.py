"""Configurations side by side under one workload and level."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Any, Protocol, TypeVar, overload

from wattmark.analysis.comparison.comparison import System
from wattmark.analysis.comparison.ranking import Comparisons, compare_all, rank_interval
from wattmark.comparison.compare.defaults import opening
from wattmark.comparison.compare.groups import SIMULATED, Configured, Group, build_group, group_key
from wattmark.comparison.compare.installations import InstalledRun, installations, single_installation
from wattmark.comparison.compare.load import OVERALL, elsewhere_text, other_unit_text, same_load, stands_at
from wattmark.comparison.compare.order import standing
from wattmark.comparison.compare.pairs import compare_pair, programs_differ, published_pair
from wattmark.comparison.compare.statement import compare_statement, first_place
from wattmark.comparison.compare.views import CompareChoice, CompareGroup, CompareOut, ComparePair, FigureElsewhere
from wattmark.comparison.compare.yardstick import EFFICIENCY, Yardstick
from wattmark.core.errors import InputError
from wattmark.core.texts import first_of
from wattmark.results.names import group_names
from wattmark.results.result import Result


class ConfiguredRun(Configured, Protocol):
    """Key of the workload and level under which a configuration ran."""

    @property
    def workload(self) -> str: ...
    @property
    def level(self) -> str: ...


class Standing(Protocol):
    """Key of the workload and level of a published figure."""

    @property
    def workload(self) -> str: ...
    @property
    def level(self) -> str: ...


class Compared(InstalledRun, Protocol):
    """Key of a run's place in a comparison."""

    @property
    def workload(self) -> str: ...
    @property
    def level(self) -> str: ...
    @property
    def simulated(self) -> bool: ...


Run = TypeVar("Run", bound=Compared)
Build = Callable[[Sequence[Run], Mapping[str, str]], Group]
_COUNT = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", re.ASCII)
FEW = 8
"""Most configurations of which every pair is described in words."""
MOST_OFFERED = 8
"""Most groups listed in the answer to an unknown key."""


@overload
def compare(
    results: Sequence[Result],
    workload: str,
    level: str,
    baseline: str | None = None,
    published: Sequence[CompareGroup] = (),
    by: Yardstick = EFFICIENCY,
    *,
    fitted: Mapping[str, str] | None = None,
    budgets: bool = True,
    any_version: bool = False,
    described: Collection[str] | None = None,
) -> CompareOut: ...


@overload
def compare(
    results: Sequence[Run],
    workload: str,
    level: str,
    baseline: str | None = None,
    published: Sequence[CompareGroup] = (),
    by: Yardstick = EFFICIENCY,
    *,
    build: Build[Run],
    fitted: Mapping[str, str] | None = None,
    budgets: bool = True,
    any_version: bool = False,
    described: Collection[str] | None = None,
) -> CompareOut: ...


def compare(
    results: Sequence[Any],
    workload: str,
    level: str,
    baseline: str | None = None,
    published: Sequence[CompareGroup] = (),
    by: Yardstick = EFFICIENCY,
    *,
    build: Build[Any] | None = None,
    fitted: Mapping[str, str] | None = None,
    budgets: bool = True,
    any_version: bool = False,
    described: Collection[str] | None = None,
) -> CompareOut:
    """Compare all configurations that ran one workload and level; published figures are shown but never tested.

    Only published figures of the same load are compared; the others are listed apart and counted in the statement.
    ``by`` is the figure for ranks and ratios, with the smallest relevant difference. ``baseline``
    is a group's key; None takes the best configuration that is ranked.
    ``described`` names the groups of which every pair is put into words; None: all of them, while they are few.
    ``build`` combines the repeats of a configuration; ``results`` may be briefer than results where it reads them.
    ``fitted`` names the installation of each run, by its id, where other runs than these help to determine it.
    Without ``budgets`` the contributions to each ± and each ratio are omitted.
    Configurations that ran different versions of the load program are not ranked against each other but for
    ``any_version``.
    Simulated and measured configurations are ranked each among themselves. Raises `InputError` where nothing was
    measured or published under this workload and level, and for a baseline that is not among it.
    """
    fitted = installations(results) if fitted is None else fitted
    here = [r for r in results if (r.workload, r.level) == (workload, level)]
    groups = _groups(here, build or partial(build_group, budgets=budgets), fitted)
    beside, elsewhere, apart = _placed([g for g in published if g.workload == workload], level, groups)
    if not groups and not beside:
        raise InputError(
            f"No run has the workload {workload[:80]!r} at level {level[:80]!r}.",
            "Choose a workload and level from the list.",
        )
    systems = _systems(groups, by)
    simulated = frozenset(key for key in systems if groups[key].view.kind == "simulated")
    versions = {key: groups[key].view.program_versions for key in systems}
    compared = compare_all(
        systems,
        lambda a, b: (a in simulated) == (b in simulated),
        lambda a, b: not any_version and programs_differ(versions[a], versions[b]),
    )
    unnamed = [_ranked(g, systems, compared, by) for g in groups.values()] + beside
    called = group_names(unnamed)
    views = [view.model_copy(update={"name": called[view.key]}) for view in unnamed]
    best = _best(views, by)
    base = best if baseline is None else _wanted(baseline, views)
    names = {key: f"“{name}”" for key, name in called.items()}
    programs = _programs(views, is_barred=bool(compared.set_apart))
    said = (compare_statement(views, systems, compared, names, by, base), programs, apart)
    return CompareOut(
        workload=workload,
        level=level,
        title=f"{workload}, {level}",
        efficiency_unit=views[0].efficiency_unit,
        throughput_unit=views[0].throughput_unit,
        direction=by.direction,
        compared_by=by.figure,
        claim=by.claim,
        smallest_difference_pct=100 * by.margin,
        baseline=base,
        best=best,
        first_place=first_place(
            {key: s for key, s in systems.items() if key not in simulated} or systems, compared, by
        ),
        groups=views,
        pairs=_pairs(views, base, systems, compared, names, by, budgets=budgets),
        against_best=[] if base == best else _pairs(views, best, systems, compared, names, by, budgets=False),
        other_pairs=_other_pairs(views, base, systems, compared, names, by, described, budgets=budgets),
        at_another_load=[
            FigureElsewhere(
                key=group.key,
                title=group.title,
                level=group.level,
                figure=by.value(group),
                unit=by.unit(group),
                source=group.source,
            )
            for group in elsewhere
        ],
        statement=" ".join(filter(None, said)),
    )


def _programs(views: Sequence[CompareGroup], *, is_barred: bool) -> str | None:
    """Describe different versions of the load program among configurations; None where no difference is known.

    ``is_barred``: for their sake some are not ranked against each other.
    """
    versions = {tuple(view.program_versions) for view in views if view.program_versions}
    if len(versions) < 2:
        unknown = sum(not view.program_versions for view in views if view.kind in ("measured", "simulated"))
        if not versions or not unknown:
            return None
        return f"The version of the load program is not known of {unknown} configuration{'' if unknown == 1 else 's'}."
    names = sorted({name for of in versions for name in of})
    shown = f": {', '.join(names)}" if len(names) <= FEW else f", but of {len(names)} versions"
    ranked = "; different versions are not ranked against each other unless any version is chosen" if is_barred else ""
    differ = f"The load program is not the same in all configurations{shown}."
    return f"{differ} Its version may be all of a difference{ranked}."


def _placed(
    published: Sequence[CompareGroup], level: str, groups: Mapping[str, Group]
) -> tuple[list[CompareGroup], list[CompareGroup], str | None]:
    """Split published figures into those at this load, and those at another; the latter, and those in another unit, are
    counted in words.
    """
    measured = [group.view for group in groups.values()]
    at_load = [g for g in published if stands_at(g.level, level, measured)]
    unit = next((view.throughput_unit for view in (*measured, *at_load)), None)
    beside = [g for g in at_load if g.throughput_unit == unit]
    elsewhere = [g for g in published if not stands_at(g.level, level, measured)]
    texts = [elsewhere_text(elsewhere, level), other_unit_text([g for g in at_load if g.throughput_unit != unit])]
    return beside, elsewhere, " ".join(filter(None, texts)) or None


def choices(results: Sequence[ConfiguredRun], published: Sequence[Standing]) -> list[CompareChoice]:
    """List every workload and level with the number of measured configurations and published figures."""
    measured: dict[tuple[str, str], set[str]] = defaultdict(set)
    for r in results:
        measured[r.workload, r.level].add(group_key(r))
    return counted_choices({place: len(keys) for place, keys in measured.items()}, published)


def counted_choices(measured: Mapping[tuple[str, str], int], published: Sequence[Standing]) -> list[CompareChoice]:
    """List the same from the number of measured configurations of each workload and level."""
    stands = Counter((g.workload, g.level) for g in published)
    alone = {
        (workload, level)
        for workload, level in stands
        if not any(same_load(level, at) for of, at in measured if of == workload)
    }
    offered = [
        CompareChoice(
            workload=workload,
            level=level,
            title=f"{workload}, {level}",
            measured=measured.get((workload, level), 0),
            published=sum(count for (of, at), count in stands.items() if of == workload and same_load(at, level)),
        )
        for workload, level in sorted(measured.keys() | alone, key=lambda c: (c not in measured, c[0], _by_count(c[1])))
    ]
    first = opening(offered)
    return [choice.model_copy(update={"opens": choice is first}) for choice in offered]


def _by_count(level: str) -> tuple[float, str]:
    """Return the sort key of a level: the overall figure first, then by count, then those without one."""
    if level == OVERALL:
        return -1.0, level
    count = _COUNT.match(level)
    return (float(count.group()) if count else math.inf), level


def _groups(results: Sequence[Run], build: Build[Run], fitted: Mapping[str, str]) -> dict[str, Group]:
    """Group by configuration, ordered by server, DIMM count and name.

    Simulated runs of a configuration that was also measured are a group of their own.
    """
    by_kind: dict[tuple[str, bool], list[Run]] = defaultdict(list)
    for r in results:
        by_kind[group_key(r), r.simulated].append(r)
    groups = {}
    for (key, simulated), runs in by_kind.items():
        group = build(runs, fitted)
        if simulated and (key, False) in by_kind:
            group = _apart(group, f"{key}{SIMULATED}")
        groups[group.view.key] = group
    order = sorted(groups, key=lambda k: (groups[k].view.server, groups[k].view.dimm_count or 0, k))
    return {key: groups[key] for key in order}


def _apart(group: Group, key: str) -> Group:
    """Return the simulated runs of a configuration that was also measured."""
    changes = {"key": key, "title": f"{group.view.title} (simulated)"}
    return replace(group, view=group.view.model_copy(update=changes))


def _systems(groups: Mapping[str, Group], by: Yardstick) -> dict[str, System]:
    """Select the systems that can be compared; those with another unit than the first group's cannot."""
    comparable = {key: system for key, g in groups.items() if (system := g.by(by.figure)) is not None}
    unit = next((by.unit(groups[key].view) for key in comparable), None)
    return {key: system for key, system in comparable.items() if by.unit(groups[key].view) == unit}


def _ranked(group: Group, systems: Mapping[str, System], compared: Comparisons, by: Yardstick) -> CompareGroup:
    """Add the rank interval, or the reason why there is none; ``n`` counts the runs behind the figure compared by."""
    of, view = group.by(by.figure), group.view
    if of is not None:
        view = view.model_copy(update={"n": of.log.n, "remarks": [*view.remarks, *single_installation(of)]})
    if of is not None and view.key not in systems:
        remark = f"Not compared: its unit is {by.unit(view)}."
        return view.model_copy(update={"remarks": [*view.remarks, remark]})
    ranks = None
    if view.key in systems:
        ranks = rank_interval(view.key, systems, compared, lower_is_better=by.direction == "lower")
    if ranks is not None:
        return view.model_copy(update={"rank_low": ranks[0], "rank_high": ranks[1]})
    if view.key in systems and len(systems) > 1:
        return view.model_copy(
            update={"remarks": [*view.remarks, "Not ranked: no difference from another configuration can be tested."]}
        )
    return view


def _best(views: Sequence[CompareGroup], by: Yardstick) -> str | None:
    """Return the best group by the figure, a measured one if there is any, and of those one that is ranked."""
    sign = 1 if by.direction == "lower" else -1
    shown = [view for view in views if by.value(view) is not None]
    unit = by.unit(shown[0]) if shown else ""
    valued = [(value.value, view) for view in shown if by.unit(view) == unit and (value := by.value(view)) is not None]
    best = min(valued, key=lambda of: (*standing(of[1]), sign * of[0]), default=None)
    return None if best is None else best[1].key


def _wanted(baseline: str, views: Sequence[CompareGroup]) -> str:
    """Return the key of the baseline that is asked for. Raises `InputError` where there is none."""
    keys = [view.key for view in views]
    if baseline not in keys:
        close = get_close_matches(baseline, keys, n=MOST_OFFERED) or keys[:MOST_OFFERED]
        offered = first_of([*close, *(key for key in keys if key not in close)], len(close))
        raise InputError(
            f"There is no {baseline[:160]!r} in this comparison.", f"Choose the baseline among: {offered}."
        )
    return baseline


def _pairs(
    views: Sequence[CompareGroup],
    base: str | None,
    systems: Mapping[str, System],
    compared: Comparisons,
    names: Mapping[str, str],
    by: Yardstick,
    *,
    budgets: bool,
) -> list[ComparePair]:
    """Compare every group that has the figure with the baseline."""
    baseline = next((v for v in views if v.key == base), None)
    simulated = frozenset(view.key for view in views if view.kind == "simulated")
    if baseline is None or by.value(baseline) is None:
        return []
    programs = {view.key: view.program_versions for view in views}
    pairs = []
    for view in views:
        if view.key == base or by.value(view) is None or by.unit(view) != by.unit(baseline):
            continue
        if view.key in systems and base in systems:
            pair = compare_pair(
                view.key, baseline.key, systems, compared, names, by, simulated, programs=programs, budgets=budgets
            )
        else:
            pair = published_pair(view, baseline, names, by)
        pairs.append(pair)
    return [p for p in pairs if p is not None]


def _other_pairs(
    views: Sequence[CompareGroup],
    base: str | None,
    systems: Mapping[str, System],
    compared: Comparisons,
    names: Mapping[str, str],
    by: Yardstick,
    described: Collection[str] | None,
    *,
    budgets: bool,
) -> list[ComparePair]:
    """Compare every two of the described groups that are ranked and not the baseline; of many, only where described."""
    simulated = frozenset(view.key for view in views if view.kind == "simulated")
    programs = {view.key: view.program_versions for view in views}
    others = [key for key in systems if key != base and (described is None or key in described)]
    if described is None and len(others) >= FEW:
        return []
    pairs = (
        compare_pair(b, a, systems, compared, names, by, simulated, programs=programs, budgets=budgets)
        for a, b in itertools.combinations(others, 2)
    )
    return [pair for pair in pairs if pair is not None]
