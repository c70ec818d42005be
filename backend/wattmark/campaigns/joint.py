"""Put the runs of several servers side by side, so that they can be made at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wattmark.campaigns.planned import PlannedRun
from wattmark.errors import InputError

Unit = list[PlannedRun]
"""Runs that stay together in their order: a curve, or a single run."""


def joint_units(members: Sequence[Sequence[Unit]]) -> list[Unit]:
    """Join the units of the configurations of a group, one list of units for each.

    Raises `InputError` when the members of a group have different levels.
    """
    peers = tuple(units[0][0].place for units in members if units)
    _must_match(members)
    return [list(_side_by_side(units, peers)) for units in zip(*members, strict=True)]


def _side_by_side(units: Sequence[Unit], peers: tuple[str, ...]) -> Iterator[PlannedRun]:
    for runs in zip(*units, strict=True):
        yield from (replace(run, peers=peers) for run in runs)


def _must_match(members: Sequence[Sequence[Unit]]) -> None:
    rows = [[run for unit in units for run in unit] for units in members]
    if all(len(mine) == len(rows[0]) and all(map(_alike, mine, rows[0])) for mine in rows):
        return
    shown = "; ".join(
        f"{mine[0].place}: {', '.join(dict.fromkeys(run.level for run in mine))}" for mine in rows if mine
    )
    cause = f"The plan starts servers together whose levels differ ({shown})."
    raise InputError(cause, "Give levels that all of them have, and exclude the same of each.")


def _alike(one: PlannedRun, other: PlannedRun) -> bool:
    """Tell whether two runs do the same; the number that "all" stands for may differ from server to server."""
    same_level = one.level == other.level or (one.at_full and other.at_full)
    same_task = (one.task, one.percent) == (other.task, other.percent)
    return same_level and same_task and (one.workload, one.repeat) == (other.workload, other.repeat)
