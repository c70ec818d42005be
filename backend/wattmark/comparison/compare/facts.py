"""Facts of the configurations in a comparison and tags of their runs, for choosing among many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from wattmark.comparison.compare.factors import factors
from wattmark.comparison.compare.result_source import ResultSource
from wattmark.comparison.compare.undeclared import Disclosed, with_undeclared
from wattmark.comparison.compare.views import CompareOut, GroupFacts
from wattmark.runs.origin import measuring_lab
from wattmark.runs.record import RunRecord

MOST = 2000
"""Runs whose facts are kept; a record takes a millisecond to read."""


class Facts:
    """Add facts to comparisons; those of a run are cached, as its configuration does not change."""

    def __init__(self, results: ResultSource) -> None:
        self._results = results
        self._read: dict[str, tuple[GroupFacts, Disclosed]] = {}

    def added(self, compared: CompareOut) -> CompareOut:
        """Return a comparison with the facts of the last run of each group, the tags of all its runs, and what differs
        beside what is declared.
        """
        last = {group.key: group.runs[-1] for group in compared.groups if group.runs}
        if len(self._read) > MOST:
            self._read.clear()
        missing = [run_id for run_id in last.values() if run_id not in self._read]
        self._read |= {run.run_id: (group_facts(run), Disclosed.of(run)) for run in self._results.records(missing)}
        known = {key: self._read[run_id] for key, run_id in last.items() if run_id in self._read}
        tags = self._results.tags()
        groups = [
            group.model_copy(
                update={"facts": known[group.key][0].model_copy(update={"tags": _tagged(group.runs, tags)})}
            )
            if group.key in known
            else group
            for group in compared.groups
        ]
        disclosed = {key: of for key, (_, of) in known.items()}
        return with_undeclared(compared.model_copy(update={"groups": groups}), disclosed)


def group_facts(run: RunRecord) -> GroupFacts:
    """Read the facts of a configuration from the record of a run."""
    snapshot = run.configuration_snapshot
    stated = factors(run)
    submission = snapshot.submission or {}
    return GroupFacts(
        cpu=stated.get("cpu.model") or _text(snapshot.cpu),
        maker=_text(submission.get("submitter")),
        memory_type=stated.get("memory.type"),
        memory_gib=snapshot.memory_gib,
        accelerators=_text(snapshot.accelerators),
        lab=measuring_lab(run),
        year=datetime.fromtimestamp(run.created_ns / 1e9, UTC).year,
    )


def _tagged(runs: Iterable[str], tags: Mapping[str, Sequence[str]]) -> list[str]:
    return sorted({tag for run_id in runs for tag in tags.get(run_id, ())})


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None
