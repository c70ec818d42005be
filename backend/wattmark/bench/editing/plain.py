"""Changes of the bench as pure functions on plain data: the content of the file after the change."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from wattmark.core.errors import InputError, NotFound

Document = dict[str, Any]
Section = Literal["servers", "meters", "bmcs", "plans"]
Steps = tuple[str | int, ...]
_HALF = re.compile("[\ud800-\udfff]")

NAMED_BY: Mapping[str, str] = {"servers": "id", "configurations": "id", "meters": "id", "bmcs": "id", "plans": "name"}
SPOKEN = "speak"
"""The list of what the gateway speaks; its entries have no names, and each names a server or a meter as ``what``."""
"""Lists whose entries have names, and the key that holds it."""
WORDS: Mapping[str, str] = {
    "servers": "server",
    "configurations": "configuration",
    "meters": "meter",
    "bmcs": "BMC",
    "plans": "plan",
}
Change = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """A named entry: the section and the name in it; for a configuration its server as well."""

    section: str
    name: str
    server: str | None = None

    def __str__(self) -> str:
        """Return the entry as a person does."""
        name = f"{self.server}/{self.name}" if self.server else self.name
        return f"the {WORDS[self.section]} {name}"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change: what it does to plain data, what it is called, and where the entry that it sends ends up."""

    apply: Callable[[Document], Document]
    title: Callable[[Document], str]
    """Describes what the change does to a document, in the past tense: "Added the meter wall."."""
    leads_to: Callable[[Document], Steps | None] = lambda _: None
    """Tells, of the document before, the steps to the entry that is put in; None where the change sends none."""


def put_entry(place: EntryPlace, value: Any) -> Edit:
    """Replace the entry of that name, or append a new one.

    Another name in ``value`` renames it, and whatever names it goes along.
    """
    if _HALF.search(json.dumps(value, ensure_ascii=False)):
        raise InputError("The request contains invalid Unicode (an unpaired surrogate).", "Send valid UTF-8 text.")
    name = value.get(NAMED_BY[place.section]) if isinstance(value, dict) else None
    new = EntryPlace(place.section, name if isinstance(name, str) else place.name, place.server)

    def apply(document: Document) -> Document:
        changed = copy.deepcopy(document)
        entries = _entries(changed, place)
        index = _index(entries, place)
        if index is None:
            if new.name != place.name:
                raise NotFound(
                    f"There is no {str(place)[4:]} to rename.", f"Send {str(new)[4:]} under its own name to add it."
                )
            entries.append(value)
        else:
            entries[index] = value
        return _followed(changed, place, new.name)

    def title(document: Document) -> str:
        if _index(_entries(copy.deepcopy(document), place), place) is None:
            return f"Added {place}."
        return f"Changed {place}." if new == place else f"Changed {place}, now {new.name}{_followers(document, place)}."

    return Edit(apply, title, lambda document: _steps(document, place))


def remove_entry(place: EntryPlace) -> Edit:
    """Remove an entry. Applying it raises `NotFound`."""

    def apply(document: Document) -> Document:
        changed = copy.deepcopy(document)
        entries = _entries(changed, place)
        index = _index(entries, place)
        if index is None:
            raise NotFound(f"There is no {str(place)[4:]}.", "Reload the bench; the entry may have been deleted.")
        del entries[index]
        if not entries and place.server is None:
            del changed[place.section]
        return changed

    return Edit(apply, lambda _: f"Removed {place}.")


def remove_server(name: str) -> Edit:
    """Remove a server with all entries that are useless without it. Applying it raises `NotFound`.

    Meters stay and measure nothing; its BMCs go, its configurations leave the plans, and a plan without any goes too.
    """
    removal = remove_entry(EntryPlace("servers", name))

    def apply(document: Document) -> Document:
        changed = removal.apply(document)
        for meter in _maps(changed, "meters"):
            if isinstance(feeds := meter.get("feeds"), list):
                meter["feeds"] = [feed for feed in feeds if _word(feed, "server") != name]
        bmcs = [bmc for bmc in _maps(changed, "bmcs") if _word(bmc, "server") == name]
        plans = [plan for plan in _maps(changed, "plans") if _loses_all(plan, f"{name}/")]
        spoken = [entry for entry in _maps(changed, SPOKEN) if _word(entry, "what") == name]
        for section, gone in (("bmcs", bmcs), ("plans", plans), (SPOKEN, spoken)):
            if gone:
                changed[section] = [entry for entry in changed[section] if entry not in gone]
            if not changed.get(section):
                changed.pop(section, None)
        return changed

    return Edit(apply, lambda _: f"Removed the server {name} and what depends on it.")


def _maps(document: Document, section: str) -> list[dict[str, Any]]:
    entries = document.get(section)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _word(entry: Any, key: str) -> Any:
    return entry.get(key) if isinstance(entry, dict) else None


def _loses_all(plan: dict[str, Any], prefix: str) -> bool:
    """Remove the configurations of a server from a plan; return whether that leaves none."""

    def others(entries: Any, name: Callable[[Any], Any]) -> Any:
        if not isinstance(entries, list):
            return entries
        return [entry for entry in entries if not str(name(entry)).startswith(prefix)]

    before = plan.get("configurations")
    plan["configurations"] = others(before, lambda entry: entry)
    if "exclude" in plan:
        plan["exclude"] = others(plan["exclude"], lambda entry: _word(entry, "configuration"))
    return not plan["configurations"] and before != plan["configurations"]


def set_lab(lab: str) -> Edit:
    """Return the lab."""
    steps: Steps = ()
    return Edit(lambda document: {**document, "lab": lab}, lambda _: f"Named the lab {lab}.", lambda _: steps)


def _followed(document: Document, place: EntryPlace, name: str) -> Document:
    """Update the references to a renamed entry."""
    if name == place.name:
        return document
    if place.section == "servers":
        return rename_server(document, place.name, name)
    if place.section == "meters":
        return _renamed_in_speak(document, place.name, name)
    if place.server is not None:
        return rename_configuration(document, place.server, place.name, name)
    return document


def _followers(document: Document, place: EntryPlace) -> str:
    """Explain which entries name one that is renamed."""
    named = _followed(document, place, "")
    lists = [section for section in ("meters", "bmcs", "plans") if document.get(section) != named.get(section)]
    names = [
        str(EntryPlace(section, entry[NAMED_BY[section]]))
        for section in lists
        for entry, other in zip(document[section], named[section], strict=True)
        if entry != other
    ]
    if document.get(SPOKEN) != named.get(SPOKEN):
        names.append("what the gateway speaks")
    return f"; {listed(names)} {'follow' if len(names) > 1 else 'follows'}" if names else ""


def listed(names: list[str]) -> str:
    """Join names as a sentence does."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _steps(document: Document, place: EntryPlace) -> Steps:
    """Find the place of an entry, or the future place of a new one."""
    entries = _entries(copy.deepcopy(document), place)
    index = _index(entries, place)
    here = len(entries) if index is None else index
    if place.server is None:
        return (place.section, here)
    server = _index(document["servers"], EntryPlace("servers", place.server))
    return ("servers", server or 0, place.section, here)


def _entries(document: Document, place: EntryPlace) -> list[Any]:
    """Return the list that an entry belongs to; one that is not there is begun."""
    holder = document
    if place.server is not None:
        servers = document.get("servers") or []
        index = _index(servers, EntryPlace("servers", place.server))
        if index is None:
            raise NotFound(f"There is no server {place.server[:80]!r}.", "Add the server first.")
        holder = servers[index]
    entries = holder.get(place.section)
    if entries is None:
        entries = holder[place.section] = []
    if not isinstance(entries, list):
        raise InputError(f"{place.section} in the bench file is not a list.", "Correct the text of the file.")
    return entries


def _index(entries: list[Any], place: EntryPlace) -> int | None:
    key = NAMED_BY[place.section]
    names = [entry.get(key) if isinstance(entry, dict) else None for entry in entries]
    return names.index(place.name) if place.name in names else None


def rename_server(document: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return a document in which feeds, BMCs, plans and the gateway use a server's new name."""

    def server(name: Any) -> Any:
        return new if name == old else name

    def reference(name: Any) -> Any:
        return f"{new}{name[len(old) :]}" if isinstance(name, str) and name.startswith(f"{old}/") else name

    feeds = _each(_at({"server": server}))
    changes = {"meters": _each(_at({"feeds": feeds})), "bmcs": _each(_at({"server": server})), **_plans(reference)}
    changed: dict[str, Any] = _at(changes)(_renamed_in_speak(document, old, new))
    return changed


def _renamed_in_speak(document: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return a document in which the gateway speaks a server or a meter under its new name."""
    changed: dict[str, Any] = _at({SPOKEN: _each(_at({"what": lambda name: new if name == old else name}))})(document)
    return changed


def rename_configuration(document: dict[str, Any], server: str, old: str, new: str) -> dict[str, Any]:
    """Return a document in which plans use a configuration's new name."""
    changed: dict[str, Any] = _at(_plans(lambda name: f"{server}/{new}" if name == f"{server}/{old}" else name))(
        document
    )
    return changed


def _plans(reference: Change) -> dict[str, Change]:
    """Change every "server/configuration" of the plans."""
    exclusions = _each(_at({"configuration": reference}))
    return {"plans": _each(_at({"configurations": _each(reference), "exclude": exclusions}))}


def _at(changes: Mapping[str, Change]) -> Change:
    """Change the values of a map at some keys; anything else stays, for the check of the bench to refuse."""
    return lambda value: (
        {key: changes[key](entry) if key in changes else entry for key, entry in value.items()}
        if isinstance(value, dict)
        else value
    )


def _each(change: Change) -> Change:
    """Change every entry of a list."""
    return lambda value: [change(entry) for entry in value] if isinstance(value, list) else value
