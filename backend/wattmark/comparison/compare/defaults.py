"""Default choices of workload, level and configuration: those with most runs to compare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import TypeVar

from wattmark.comparison.compare.curves import curves_of
from wattmark.comparison.compare.levels import level_count
from wattmark.comparison.compare.load import full_by_name
from wattmark.comparison.compare.observation import counted_run
from wattmark.comparison.compare.views import CompareChoice
from wattmark.core.likely import none_as_wanted
from wattmark.results.result import Result

Key = TypeVar("Key", bound=tuple[str, ...])
FEWEST = 2
"""Fewest configurations that make a comparison."""


def opening(choices: Sequence[CompareChoice]) -> CompareChoice | None:
    """Choose what a comparison opens with: the workload with most measured configurations, at full load.

    Full load is by name, and with two configurations at least, where any level has as many; else it is the level with
    most configurations. None without choices.
    """
    most = max(choices, key=lambda c: (c.measured, c.published), default=None)
    if most is None:
        return None
    full = [
        c
        for c in choices
        if c.workload == most.workload and full_by_name(c.level) and c.measured >= min(most.measured, FEWEST)
    ]
    return max(full, key=lambda c: (c.measured, c.published), default=most)


def choose_comparison(choices: Sequence[CompareChoice], workload: str | None, level: str | None) -> CompareChoice:
    """Choose the workload with most measured configurations, at full load. Raises `InputError` where none fits."""
    fitting = _fitting(choices, workload, level)
    return opening(fitting) or fitting[0]


def choose_published(choices: Sequence[CompareChoice], workload: str | None, level: str | None) -> CompareChoice:
    """Choose the workload and level with most published figures. Raises `InputError` where none fits."""
    return max(_fitting(choices, workload, level), key=lambda c: c.published)


def _fitting(choices: Sequence[CompareChoice], workload: str | None, level: str | None) -> list[CompareChoice]:
    fitting = [c for c in choices if workload in (None, c.workload) and level in (None, c.level)]
    if not fitting:
        wanted = {"workload": workload, "level": level}
        most_first = sorted(choices, key=lambda c: (-c.measured, -c.published, c.workload, c.level))
        raise none_as_wanted("Nothing ran", wanted, [(c.workload, c.level) for c in most_first])
    return fitting


def choose_memory(
    results: Sequence[Result], server: str | None, workload: str | None, level: str | None
) -> tuple[str, str, str]:
    """Choose server, workload and level with most DIMM counts, of equal ones at full load.

    Raises `InputError` where none fits.
    """
    wanted = {"server": server, "workload": workload, "level": level}
    with_counts = [r for r in results if counted_run(r, r.dimm_count) is not None]
    return _richest(
        with_counts,
        lambda r: (r.server, r.workload, r.level),
        lambda r: r.dimm_count,
        wanted,
        rather=lambda key: bool(full_by_name(key[2])),
    )


def choose_scaling(results: Sequence[Result], key: str | None, workload: str | None) -> tuple[str, str]:
    """Choose curve and workload with most levels. Raises `InputError` where none fits."""
    wanted = {"configuration": key, "workload": workload}
    counted = [r for r in results if level_count(r.level) is not None]
    workloads = dict.fromkeys(r.workload for r in counted)
    curves = {r.run_id: key for of in workloads for key, own in curves_of(counted, of).items() for r in own}
    return _richest(counted, lambda r: (curves[r.run_id], r.workload), lambda r: r.level, wanted)


def _richest(
    results: Sequence[Result],
    identity: Callable[[Result], Key],
    counts: Callable[[Result], Hashable],
    wanted: Mapping[str, str | None],
    rather: Callable[[Key], bool] = lambda _: False,
) -> Key:
    """Choose the identity with most different counts; among equals one that is rather wanted, the first by name."""
    seen: dict[Key, set[Hashable]] = defaultdict(set)
    for r in results:
        seen[identity(r)].add(counts(r))
    fitting = [key for key in sorted(seen) if _fits(key, wanted.values())]
    if not fitting:
        raise none_as_wanted("No run matches", wanted, seen)
    return max(fitting, key=lambda key: (len(seen[key]), rather(key)))


def _fits(key: tuple[str, ...], wishes: Collection[str | None]) -> bool:
    return all(wish in (None, part) for wish, part in zip(wishes, key, strict=True))
