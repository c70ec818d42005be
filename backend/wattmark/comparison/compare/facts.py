"""Facts of the configurations in a comparison and tags of their runs, for choosing among many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from wattmark.comparison.compare.factors import factors
from wattmark.comparison.compare.result_source import ResultSource
from wattmark.comparison.compare.stated_facts import RunFacts, StatedFacts
from wattmark.comparison.compare.undeclared import with_undeclared
from wattmark.comparison.compare.views import CompareOut, GroupFacts
from wattmark.runs.origin import measuring_lab
from wattmark.runs.record import RunRecord

MOST = 2000
"""Runs whose facts are kept; a record takes a millisecond to read."""
MOST_READ = 400
"""Runs of a comparison that are all read for what changed between them; of more, only the last of each configuration,
which the statement says."""


class Facts:
    """Add facts to comparisons; those of a run are cached, as its configuration does not change."""

    def __init__(self, results: ResultSource) -> None:
        self._results = results
        self._read: dict[str, tuple[GroupFacts, RunFacts]] = {}
        self._merged: dict[tuple[str, ...], StatedFacts] = {}
        """What the runs of a configuration state together, by their ids."""

    def added(self, compared: CompareOut) -> CompareOut:
        """Return a comparison with the facts of the last run of each group, the tags of all its runs, and what differs
        beside what is declared: between groups, and between the runs of one.
        """
        runs = {group.key: group.runs for group in compared.groups if group.runs}
        all_runs = sum(map(len, runs.values()))
        too_many = all_runs > MOST_READ and all_runs > len(runs)
        if too_many:
            runs = {key: of_group[-1:] for key, of_group in runs.items()}
        if len(self._read) > MOST:
            self._read.clear()
            self._merged.clear()
        missing = [run_id for of_group in runs.values() for run_id in of_group if run_id not in self._read]
        self._read |= {run.run_id: (group_facts(run), RunFacts.of(run)) for run in self._results.records(missing)}
        known = {key: tuple(run_id for run_id in of_group if run_id in self._read) for key, of_group in runs.items()}
        tags = self._results.tags()
        groups = [
            group.model_copy(
                update={
                    "facts": self._read[known[group.key][-1]][0].model_copy(update={"tags": _tagged(group.runs, tags)})
                }
            )
            if known.get(group.key)
            else group
            for group in compared.groups
        ]
        disclosed = {key: self._together(of_group) for key, of_group in known.items() if of_group}
        with_facts = compared.model_copy(update={"groups": groups})
        return with_undeclared(with_facts, disclosed, all_runs if too_many else None)

    def _together(self, run_ids: tuple[str, ...]) -> StatedFacts:
        if run_ids not in self._merged:
            self._merged[run_ids] = StatedFacts.merged([self._read[run_id][1] for run_id in run_ids])
        return self._merged[run_ids]


def group_facts(run: RunRecord) -> GroupFacts:
    """Read the facts of a configuration from the record of a run."""
    snapshot = run.configuration_snapshot
    stated = factors(run)
    submission = snapshot.submission or {}
    settings = run.disclosure.settings
    return GroupFacts(
        cpu=stated.get("cpu.model") or _text(snapshot.cpu),
        maker=_text(submission.get("submitter")),
        memory_type=stated.get("memory.type"),
        memory_gib=snapshot.memory_gib,
        accelerators=_text(snapshot.accelerators),
        lab=measuring_lab(run),
        settings=None if settings is None else dict(settings.stated()),
        variant_of=None if settings is None else snapshot.id,
        year=datetime.fromtimestamp(run.created_ns / 1e9, UTC).year,
    )


def _tagged(runs: Iterable[str], tags: Mapping[str, Sequence[str]]) -> list[str]:
    return sorted({tag for run_id in runs for tag in tags.get(run_id, ())})


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None
