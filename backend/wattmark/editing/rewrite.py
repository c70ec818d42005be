"""The text that says something new and differs as little as can be from what people wrote."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from ruamel.yaml.error import YAMLError

from wattmark.editing.plain import NAMED_BY, Document, Steps
from wattmark.editing.same import same
from wattmark.editing.splice import with_entry, with_section, without_entry
from wattmark.editing.three_way import carry_over
from wattmark.editing.tree import dump_tree, load_tree, put_in, style_of
from wattmark.errors import InputError
from wattmark.inventory.yaml_source import plain

PASSES = 3
"""A change of a map that others merge (<<) shows in them only when the text is read again."""


def rewrite(text: str, wanted: Document) -> str:
    """Write ``wanted`` into a text that has been checked: comments, order and form of the rest stay.

    Raises `InputError` where the anchors of the text do not allow it.
    """
    text = _with_added(_without_removed(text, wanted), wanted)
    for _ in range(PASSES):
        if same(_read(text), wanted):
            return text
        text = _with_changed(text, wanted)
    raise InputError(
        "This change cannot be written beside the anchors and aliases of the bench file.",
        "Edit the text of the file instead.",
    )


def _read(text: str) -> Any:
    return plain(load_tree(text))


def _without_removed(text: str, wanted: Document) -> str:
    """Take out the lines of named entries that are wanted no more, the last ones first; one that is renamed stays."""
    document = _read(text)
    for path, names in reversed(list(_lists(document))):
        kept = dict(_lists(wanted, by_name=True)).get(_by_name(document, path))
        if kept is None or len(kept) >= len(names):
            continue
        for at in reversed([at for at, name in enumerate(names) if name not in kept]):
            expected = copy.deepcopy(document)
            del _at(expected, path)[at]
            text, document = _accept(text, document, without_entry(text, path, at), expected)
    return text


def _with_added(text: str, wanted: Document) -> str:
    """Put in the entries that are new at the end of their lists."""
    document = _read(text)
    for path, names in list(_lists(document)):
        key = _by_name(document, path)
        entries = {name: entry for place, name, entry in _entries(wanted) if place == key}
        if len(entries) <= len(names):
            continue
        for entry in [entry for name, entry in entries.items() if name not in names]:
            expected = copy.deepcopy(document)
            _at(expected, path).append(entry)
            text, document = _accept(text, document, with_entry(text, path, entry), expected)
    for section in NAMED_BY:
        if section not in document and isinstance(wanted.get(section), list) and wanted[section]:
            expected = {**document, section: wanted[section]}
            text, document = _accept(text, document, with_section(text, section, wanted[section]), expected)
    return text


def _accept(text: str, document: Document, tried: str | None, expected: Document) -> tuple[str, Document]:
    """Take a text only if it says what is expected."""
    try:
        fits = tried is not None and same(_read(tried), expected)
    except (YAMLError, ValueError, KeyError):  # what was cut in the wrong place
        fits = False
    return (tried, expected) if fits and tried is not None else (text, document)


def _with_changed(text: str, wanted: Document) -> str:
    style = style_of(text)
    base = dump_tree(load_tree(text), style)
    changed = dump_tree(put_in(load_tree(text), wanted), style)
    kept = carry_over(base, changed, text)
    try:
        return kept if same(_read(kept), _read(changed)) else changed
    except YAMLError:  # lines of two texts need not make one
        return changed


def _lists(document: Document, *, by_name: bool = False) -> Iterator[tuple[Steps, list[str]]]:
    """Walk the lists of named entries: the steps to each (names instead of numbers, where asked for) and its names."""
    for section, key in NAMED_BY.items():
        if isinstance(entries := document.get(section), list):
            yield (section,), [_name(entry, key) for entry in entries]
    for at, server in enumerate(document.get("servers") or []):
        if isinstance(server, dict) and isinstance(entries := server.get("configurations"), list):
            step = _name(server, "id") if by_name else at
            yield ("servers", step, "configurations"), [_name(entry, "id") for entry in entries]


def _entries(document: Document) -> Iterator[tuple[Steps, str, Any]]:
    """Walk the named entries: the list by names, the name, the entry."""
    for path, names in _lists(document):
        for name, entry in zip(names, _at(document, path), strict=True):
            yield _by_name(document, path), name, entry


def _by_name(document: Document, path: Steps) -> Steps:
    if len(path) == 1:
        return path
    return ("servers", _name(document["servers"][path[1]], "id"), *path[2:])


def _name(entry: Any, key: str) -> str:
    return str(entry.get(key)) if isinstance(entry, dict) else ""


def _at(document: Any, path: Steps) -> Any:
    for step in path:
        document = document[step]
    return document
