"""What a campaign has shown: the sentence of its comparison, and the command that shows the rest."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from wattmark.comparison.compare.load import full_by_name
from wattmark.comparison.comparisons import Comparisons
from wattmark.results.result import Result
from wattmark.runs.record import RunStatus

MOST_WORKLOADS = 3
"""Workloads whose comparison is said; the others are named by a command."""


def answers(comparisons: Comparisons, results: Sequence[Result], data: Path | None) -> Iterator[str]:
    """Yield a sentence for each workload of a campaign, at full load, each with the command that shows its table.

    ``data`` is the folder that was given, and that the commands need too. Nothing where no run is complete.
    """
    levels: dict[str, list[str]] = {}
    for result in results:
        if result.status is RunStatus.COMPLETE and result.level not in levels.setdefault(result.workload, []):
            levels[result.workload].append(result.level)
    folder = [] if data is None else ["--data", str(data)]
    for workload, ran in list(levels.items())[:MOST_WORKLOADS]:
        level = next(filter(full_by_name, ran), ran[-1])
        yield f"{workload}, {level}: {comparisons.compare(workload, level).statement}"
        yield f"  Next: {shlex.join(['wattmark', 'compare', '--workload', workload, '--level', level, *folder])}"
        if len(ran) > 1:
            yield f"  Other levels: {shlex.join(['wattmark', 'scaling', '--workload', workload, *folder])}"
    if len(levels) > MOST_WORKLOADS:
        yield f"{len(levels) - MOST_WORKLOADS} more workloads: {shlex.join(['wattmark', 'results', *folder])}"


def resumption(campaign_id: str, data: Path | None) -> str:
    """Return the command that goes on with a campaign."""
    return shlex.join(["wattmark", "run", "--resume", campaign_id, *([] if data is None else ["--data", str(data)])])
