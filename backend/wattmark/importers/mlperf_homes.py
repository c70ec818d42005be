"""One LoadGen log that was handed in under several names is one measurement, not several repeats of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from wattmark.errors import InputError
from wattmark.importers.loadgen import parse_loadgen
from wattmark.importers.mlperf_tree import DETAIL, ResultFolder


def homes_of(folders: Sequence[ResultFolder]) -> dict[Path, str]:
    """Tell for each folder which one its log is imported from; a folder without a log is left out.

    Of folders with one and the same log the first that is named for the scenario that ran is its home, else the first.
    """
    same: defaultdict[str, list[ResultFolder]] = defaultdict(list)
    for folder in folders:
        try:
            same[folder.file(DETAIL).sha256].append(folder)
        except InputError:
            continue
    return {folder.path: _home(group).where for group in same.values() for folder in group}


def same_log(where: str, home: str) -> InputError:
    """Build the refusal of a folder whose log was imported from another one."""
    return InputError(
        f"{where} holds the same LoadGen log as {home}: one log is one run, not another repeat.",
        "Compare the run that was imported from there, or delete it first to import this folder in its place.",
    )


def _home(group: list[ResultFolder]) -> ResultFolder:
    if len(group) == 1:
        return group[0]
    try:
        scenario = parse_loadgen(group[0].file(DETAIL), None).scenario.lower()
    except InputError:
        return group[0]
    return next((folder for folder in group if folder.scenario.lower() == scenario), group[0])
