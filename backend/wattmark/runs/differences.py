"""What the environments of two runs, or of one server before and after, do not have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain

from wattmark.core.schema import Record, Schema
from wattmark.runs.environment import COMPARED, UNITS, Environment, fact_title

_OF_THREADS = re.compile(r"[;,]? SMT\b[^;,]*")
"""What the text of a mitigation says of the state of SMT, which is a fact of its own (the kernel's
Documentation/admin-guide/hw-vuln): "; SMT vulnerable", ", SMT disabled", and all of "Mitigation: SMT disabled"."""
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


def differences(a: Environment, b: Environment) -> list[Difference]:
    """List what differs between two environments, in the order of the facts; what one side does not know is not there.

    Empty where nothing is known to differ.
    """
    return differences_of_entries(entries_by_fact(a), entries_by_fact(b))


def differences_of_entries(a: Mapping[str, Entries], b: Mapping[str, Entries]) -> list[Difference]:
    """List what differs between the entries of facts by name, as `differences` does."""
    listed = []
    for fact in COMPARED:
        left, right = a.get(fact), b.get(fact)
        if left is None or right is None:
            continue
        for entry in dict.fromkeys((*left, *right)):
            mine, other = left.get(entry), right.get(entry)
            if mine is None or other is None:
                pair = {"": (summary(mine), summary(other))}
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
    """List the titles of what only one of two environments states: whether it differs is not known.

    An entry that one side does not list is a difference; a part with a name of an entry that both list is not.
    """
    mine, other = entries_by_fact(a), entries_by_fact(b)
    titles = []
    for fact in COMPARED:
        if (fact in mine) != (fact in other):
            titles.append(fact_title(fact))
            continue
        left, right = mine.get(fact, {}), other.get(fact, {})
        titles += [
            fact_title(fact, entry, part)
            for entry in left
            if entry in right
            for part in dict.fromkeys(chain(left[entry], right[entry]))
            if part and (part in left[entry]) != (part in right[entry])
        ]
    return titles


def stated(environment: Environment) -> dict[tuple[str, str, str], str]:
    """List what an environment states, by fact, entry and part."""
    return {
        (fact, entry, part): text
        for fact, entries in entries_by_fact(environment).items()
        for entry, parts in entries.items()
        for part, text in parts.items()
    }


def entries_by_fact(environment: Environment) -> dict[str, Entries]:
    """Return the entries of an environment by fact; what it does not state is not there."""
    return {fact: entries for fact in COMPARED if (entries := _entries(fact, environment)) is not None}


def summary(parts: Mapping[str, str] | None) -> str | None:
    """Return an entry that others do not have in a few words; None where it is not there."""
    return None if parts is None else ", ".join(parts.values()) or "there"


def _entries(fact: str, environment: Environment) -> Entries | None:
    value = getattr(environment, fact)
    if value is None:
        return None
    if fact == "kernel_parameters":
        return _parameters(value)
    if fact == "mitigations":
        return {name: _without_threads(text) for name, text in value.items()}
    if not isinstance(value, dict):
        text = f"{value:g}" if isinstance(value, float) else str(value)
        return {"": {"": f"{text}{UNITS.get(fact, '')}"}}
    return {
        entry: {part: text for part, text in item if text is not None} if isinstance(item, Record) else {"": item}
        for entry, item in value.items()
    }


def _without_threads(text: str) -> Mapping[str, str]:
    """Return what a mitigation does beside the state of SMT; empty where that state is all of it."""
    rest = _OF_THREADS.sub("", text)
    return {} if rest.endswith(":") else {"": rest}


def _parameters(words: tuple[str, ...]) -> Entries:
    """Return the values of kernel parameters by name; one that is given several times has all of them."""
    values: dict[str, dict[str, str]] = {}
    for word in words:
        name, equals, value = word.partition("=")
        entry = values.setdefault(name, {})
        entry[""] = f"{entry['']}, {value}" if entry else value if equals else "set"
    return values
