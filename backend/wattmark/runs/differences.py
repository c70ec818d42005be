"""What two runs, or one server before and after, do not have in common of what they disclose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from wattmark.core.schema import Record, Schema
from wattmark.runs.disclosure import Disclosure
from wattmark.runs.environment import FACTS, UNITS, Environment, fact_title

Entries = Mapping[str, Mapping[str, str]]
"""The texts of a fact by entry and part; a fact of one text has an entry and a part without a name."""


class Difference(Schema):
    """A fact that is not the same on both sides; None: the entry is not there."""

    fact: str
    """With its entry and part, joined by slashes: "drives/sda/firmware"."""
    title: str
    a: str | None
    b: str | None

    def __str__(self) -> str:
        return f"{self.title} ({self.a or 'none'} against {self.b or 'none'})"


@dataclass(frozen=True, slots=True)
class StatedFacts:
    """What runs of one configuration disclose of load program, machine and environment; None where none states it."""

    program: str | None
    model: str | None
    machine: str | None
    environment: Mapping[str, Entries] | None

    @classmethod
    def of(cls, disclosures: Sequence[Disclosure]) -> Self:
        """Merge the facts of runs; one that changed among them says what it was in how many: "off in 2 of 6 runs".

        Program and machine are those of the last run: another version of the program has its own words.
        """
        last = disclosures[-1]
        environments = [disclosed.environment for disclosed in disclosures if disclosed.environment is not None]
        merged = _merged([_stated_entries(environment) for environment in environments]) if environments else None
        return cls(last.program_version, last.host.model, last.host.machine, merged)


def changed_facts(environments: Sequence[Environment]) -> list[tuple[str, str]]:
    """List the facts that are not the same in all of several runs, each by its title and what it was in how many."""
    merged = _merged([_stated_entries(environment) for environment in environments])
    return [
        (fact_title(fact, entry, part), text)
        for fact, entries in merged.items()
        if fact != "steal_pct"
        for entry, parts in entries.items()
        for part, text in parts.items()
        if isinstance(text, _Counted)
    ]


def disclosed_differences(a: StatedFacts, b: StatedFacts) -> list[Difference]:
    """List what differs in the load program, the machine and its environment, in the order of its weight.

    The version of the program comes first: it can change the work per second by half (7-Zip 16.02 against 23.01).
    """
    texts = (
        ("program", "load program", a.program, b.program),
        ("model", "server model", a.model, b.model),
        ("machine", "architecture", a.machine, b.machine),
    )
    plain = [
        Difference(fact=fact, title=title, a=left, b=right)
        for fact, title, left, right in texts
        if left and right and left != right
    ]
    program = [difference for difference in plain if difference.fact == "program"]
    between = [] if a.environment is None or b.environment is None else _between(a.environment, b.environment)
    return [*program, *between, *(difference for difference in plain if difference.fact != "program")]


def differences(a: Environment, b: Environment) -> list[Difference]:
    """List what differs between two environments, in the order of the facts; what one side does not know is not there.

    Empty where nothing is known to differ.
    """
    return _between(_stated_entries(a), _stated_entries(b))


def _between(a: Mapping[str, Entries], b: Mapping[str, Entries]) -> list[Difference]:
    listed = []
    for fact in FACTS:
        left, right = a.get(fact), b.get(fact)
        if left is None or right is None:
            continue
        for entry in dict.fromkeys((*left, *right)):
            mine, other = left.get(entry), right.get(entry)
            if mine is None or other is None:
                pair = {"": (_summary(mine), _summary(other))}
            else:
                pair = {part: (mine[part], other[part]) for part in mine if part in other and mine[part] != other[part]}
            listed += [
                Difference(
                    fact="/".join(filter(None, (fact, entry, part))),
                    title=fact_title(fact, entry, part),
                    a=texts[0],
                    b=texts[1],
                )
                for part, texts in pair.items()
            ]
    return listed


def known_on_one_side(a: Environment, b: Environment) -> list[str]:
    """List the titles of facts that only one of two environments states: whether they differ is not known."""
    return [fact_title(fact) for fact in FACTS if (getattr(a, fact) is None) != (getattr(b, fact) is None)]


def stated(environment: Environment) -> dict[tuple[str, str, str], str]:
    """List what an environment states, by fact, entry and part."""
    return {
        (fact, entry, part): text
        for fact in FACTS
        for entry, parts in (_entries(fact, environment) or {}).items()
        for part, text in parts.items()
    }


class _Counted(str):
    """The text of a fact that is not the same in all runs."""

    __slots__ = ()


def _stated_entries(environment: Environment) -> dict[str, Entries]:
    return {fact: entries for fact in FACTS if (entries := _entries(fact, environment)) is not None}


def _merged(runs: Sequence[Mapping[str, Entries]]) -> dict[str, Entries]:
    """Merge what runs state by fact, entry and part; a run that does not state a fact is not counted."""
    merged: dict[str, Entries] = {}
    for fact in FACTS:
        stating = [facts[fact] for facts in runs if fact in facts]
        entries = dict.fromkeys(entry for of_run in stating for entry in of_run)
        if stating:
            merged[fact] = {entry: _merged_entry([of_run.get(entry) for of_run in stating]) for entry in entries}
    return merged


def _merged_entry(parts: Sequence[Mapping[str, str] | None]) -> Mapping[str, str]:
    """Merge an entry of several runs; where some do not have it, it is one text."""
    present = [of_run for of_run in parts if of_run is not None]
    if len(present) < len(parts):
        return {"": _counted([_summary(of_run) or "none" for of_run in parts])}
    names = [name for name in present[0] if all(name in of_run for of_run in present)]
    return {name: _counted([of_run[name] for of_run in present]) for name in names}


def _counted(texts: Sequence[str]) -> str:
    """Return the text of all runs, else how many have each, the rarest first."""
    counts = sorted(Counter(texts).items(), key=lambda item: item[1])
    if len(counts) == 1:
        return texts[0]
    (first, number), *others = counts
    return _Counted(", ".join([f"{first} in {number} of {len(texts)} runs", *(f"{t} in {n}" for t, n in others)]))


def _entries(fact: str, environment: Environment) -> Entries | None:
    value = getattr(environment, fact)
    if value is None:
        return None
    if fact == "kernel_parameters":
        return _parameters(value)
    if not isinstance(value, dict):
        text = f"{value:g}" if isinstance(value, float) else str(value)
        return {"": {"": f"{text}{UNITS.get(fact, '')}"}}
    return {
        entry: {part: text for part, text in item if text is not None} if isinstance(item, Record) else {"": item}
        for entry, item in value.items()
    }


def _parameters(words: tuple[str, ...]) -> Entries:
    """Return the values of kernel parameters by name; one that is given several times has all of them."""
    values: dict[str, dict[str, str]] = {}
    for word in words:
        name, equals, value = word.partition("=")
        entry = values.setdefault(name, {})
        entry[""] = f"{entry['']}, {value}" if entry else value if equals else "set"
    return values


def _summary(parts: Mapping[str, str] | None) -> str | None:
    """Return an entry that the other side does not have, in a few words."""
    return None if parts is None else ", ".join(parts.values()) or "there"
