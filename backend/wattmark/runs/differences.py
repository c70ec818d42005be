"""What two runs, or one server before and after, do not have in common of what they disclose."""

from __future__ import annotations

from collections.abc import Mapping

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


def disclosed_differences(a: Disclosure, b: Disclosure) -> list[Difference]:
    """List what differs in the load program, the machine and its environment, in the order of its weight.

    The version of the program comes first: it can change the work per second by half (7-Zip 16.02 against 23.01).
    """
    texts = (
        ("program", "load program", a.program_version, b.program_version),
        ("model", "server model", a.host.model, b.host.model),
        ("machine", "architecture", a.host.machine, b.host.machine),
    )
    plain = [
        Difference(fact=fact, title=title, a=left, b=right)
        for fact, title, left, right in texts
        if left and right and left != right
    ]
    program = [difference for difference in plain if difference.fact == "program"]
    between = [] if a.environment is None or b.environment is None else differences(a.environment, b.environment)
    return [*program, *between, *(difference for difference in plain if difference.fact != "program")]


def differences(a: Environment, b: Environment) -> list[Difference]:
    """List what differs between two environments, in the order of the facts; what one side does not know is not there.

    Empty where nothing is known to differ.
    """
    listed = []
    for fact in FACTS:
        left, right = _entries(fact, a), _entries(fact, b)
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


def stated(environment: Environment) -> dict[tuple[str, str], str]:
    """List what an environment states, by fact and title."""
    return {
        (fact, fact_title(fact, entry, part)): text
        for fact in FACTS
        for entry, parts in (_entries(fact, environment) or {}).items()
        for part, text in parts.items()
    }


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
