"""The order of a plan's runs: which configurations it measures in turns, and how often it changes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations, groupby

from wattmark.analysis.comparison.course import Course, course, turns
from wattmark.campaigns.planning.planned import PlannedRun

Pair = tuple[str, str]
"""Two places, "server/configuration", each with its power settings."""


def pairs_in_turns(runs: Sequence[PlannedRun]) -> dict[Pair, bool]:
    """Return, for each pair of configurations with a workload and level in common, whether all come in turns."""
    by_group: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        if run.task != "idle" and not run.optional:
            by_group[run.workload, run.level][run.varied_place].append(float(run.step))
    pairs: dict[Pair, bool] = {}
    for places in by_group.values():
        courses: dict[str, Course | None] = {place: course(at, [0.0] * len(at)) for place, at in places.items()}
        for a, b in combinations(courses, 2):
            pairs[a, b] = pairs.get((a, b), True) and turns(courses[a], courses[b]) == "in turns"
    return pairs


def visits(runs: Iterable[PlannedRun], server: str) -> list[str]:
    """List the configurations of a server in the order in which it is brought to them, without optional runs."""
    own = (run.configuration for run in runs if run.server == server and not run.optional)
    return [configuration for configuration, _ in groupby(own)]
