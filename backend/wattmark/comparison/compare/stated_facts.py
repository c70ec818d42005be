"""What runs state of their configuration: declared factors, and what their disclosures say of program and server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Self

from wattmark.comparison.compare.factors import factors
from wattmark.runs.differences import Difference, Entries, differences_of_entries, entries_by_fact, summary
from wattmark.runs.environment import COMPARED, Environment, fact_title
from wattmark.runs.record import RunRecord

PLAIN: Mapping[str, str] = {"program": "load program", "model": "server model", "machine": "architecture"}
"""Facts beside the environment, with their titles."""
_Counts = Mapping[str, Mapping[str, Mapping[str, Counter[str]]]]
"""How many runs have each text, by fact, entry and part."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What one run states, and nothing else of its record: many are kept."""

    factors: Mapping[str, str]
    plain: Mapping[str, str]
    """Those of `PLAIN` that it states."""
    environment: Environment | None

    @classmethod
    def of(cls, run: RunRecord) -> Self:
        """Read what a record states."""
        disclosed, host = run.disclosure, run.disclosure.host
        plain = {"program": disclosed.program_version, "model": host.model, "machine": host.machine}
        return cls(factors(run), {fact: text for fact, text in plain.items() if text}, disclosed.environment)


@dataclass(frozen=True, slots=True)
class StatedFacts:
    """What the runs of a configuration state together; what none of them states is not there."""

    factors: Mapping[str, str]
    plain: Mapping[str, str]
    environment: Mapping[str, Entries]
    changed: tuple[tuple[str, str], ...]
    """Facts of the environment that are not the same in all of the runs: title, and what it was in how many."""

    @classmethod
    def of(cls, *runs: RunRecord) -> Self:
        """Merge what the runs of a configuration state."""
        return cls.merged([RunFacts.of(run) for run in runs])

    @classmethod
    def merged(cls, runs: Sequence[RunFacts]) -> Self:
        """Merge what runs state; a fact that changed among them says what it was in how many: "off in 2 of 6 runs".

        Factors and plain facts are those of the last run: another version of the program has its own words.
        """
        counts = _counts([entries_by_fact(run.environment) for run in runs if run.environment is not None])
        environment = {
            fact: {entry: {part: _worded(texts) for part, texts in parts.items()} for entry, parts in entries.items()}
            for fact, entries in counts.items()
        }
        changed = [
            (fact_title(fact, entry, part), environment[fact][entry][part])
            for fact, entries in counts.items()
            for entry, parts in entries.items()
            for part, texts in parts.items()
            if len(texts) > 1
        ]
        return cls(runs[-1].factors, runs[-1].plain, environment, tuple(changed))

    def entries(self, fact: str) -> Entries:
        """Return the entries of a fact of the environment; empty where it is not stated."""
        return self.environment.get(fact, {})


def stated_differences(a: StatedFacts, b: StatedFacts) -> list[Difference]:
    """List what differs in the load program, the machine and its environment, in the order of its weight.

    The version of the program comes first: it can change the work per second by half (7-Zip 16.02 against 23.01).
    """
    program, *others = (
        [Difference(fact=fact, title=title, a=a.plain[fact], b=b.plain[fact])]
        if fact in a.plain and fact in b.plain and a.plain[fact] != b.plain[fact]
        else []
        for fact, title in PLAIN.items()
    )
    return [*program, *differences_of_entries(a.environment, b.environment), *chain(*others)]


def _counts(runs: Sequence[Mapping[str, Entries]]) -> _Counts:
    """Count the texts of runs; a run that does not state a fact is not counted."""
    counts: dict[str, dict[str, dict[str, Counter[str]]]] = {}
    for fact in COMPARED:
        stating = [entries[fact] for entries in runs if fact in entries]
        names = dict.fromkeys(entry for entries in stating for entry in entries)
        if stating:
            counts[fact] = {entry: _entry_counts([entries.get(entry) for entries in stating]) for entry in names}
    return counts


def _entry_counts(runs: Sequence[Mapping[str, str] | None]) -> dict[str, Counter[str]]:
    """Count the texts of an entry by part; where some runs do not have it, it is one text."""
    present = [parts for parts in runs if parts is not None]
    if len(present) < len(runs):
        return {"": Counter(summary(parts) or "none" for parts in runs)}
    names = [name for name in present[0] if all(name in parts for parts in present)]
    return {name: Counter(parts[name] for parts in present) for name in names}


def _worded(texts: Counter[str]) -> str:
    """Return the text of all runs, else how many have each, the rarest first."""
    (first, number), *others = sorted(texts.items(), key=lambda item: item[1])
    if not others:
        return first
    return ", ".join([f"{first} in {number} of {texts.total()} runs", *(f"{text} in {n}" for text, n in others)])
