"""A change alters the lines that it concerns; what the file then says is judged by another reader of YAML."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wattmark.bench
from ruamel.yaml import YAML
from wattmark.bench.editing.plain import Edit, EntryPlace, put_entry, remove_entry, set_lab
from wattmark.bench.editing.rewrite import rewrite
from wattmark.core.errors import NotFound

TEXT = (Path(wattmark.bench.__file__).parent / "examples" / "s5000-fbdimm.yaml").read_text("utf-8")


def read(text: str) -> Any:
    """Read YAML with the plain loader, which the code under test does not use; merges (<<) are written out."""
    return json.loads(json.dumps(YAML(typ="safe", pure=True).load(text), default=str))


def changed(path: tuple[str | int, ...], change: Callable[[Any], Any]) -> Any:
    entry = read(TEXT)
    for step in path:
        entry = entry[step]
    return change(copy.deepcopy(entry))


METER = ("meters", 1)
EDITS: dict[str, tuple[Edit, int]] = {
    "lab": (set_lab("Lab: two"), 2),
    "period": (put_entry(EntryPlace("meters", "outlet-2"), changed(METER, lambda e: {**e, "period_s": 2})), 1),
    "no conditions": (
        put_entry(
            EntryPlace("meters", "outlet-2"), changed(METER, lambda e: {k: e[k] for k in e if k != "conditions"})
        ),
        1,
    ),
    "new meter": (put_entry(EntryPlace("meters", "third"), changed(METER, lambda e: {**e, "id": "third"})), 12),
    "renamed": (put_entry(EntryPlace("meters", "outlet-2"), changed(METER, lambda e: {**e, "id": "o"})), 2),
    "no meter": (remove_entry(EntryPlace("meters", "rack-l1")), 6),
    "no BMC": (remove_entry(EntryPlace("bmcs", "s5000-bmc")), 5),
    "repeats": (
        put_entry(EntryPlace("plans", "fbdimm"), changed(("plans", 0), lambda e: {**e, "repeats": 5, "seed": 1})),
        4,
    ),
    "no configuration": (remove_entry(EntryPlace("configurations", "fbdimm-8", "s5000")), 7),
    "base of others": (
        put_entry(
            EntryPlace("configurations", "fbdimm-2", "s5000"),
            changed(("servers", 0, "configurations", 0), lambda e: {**e, "cpu": {"model": "X"}}),
        ),
        4,
    ),
    "an alias less": (
        put_entry(
            EntryPlace("configurations", "fbdimm-4", "s5000"),
            changed(
                ("servers", 0, "configurations", 1),
                lambda e: {**e, "memory": {**e["memory"], "slots": {**e["memory"]["slots"], "A1": None}}},
            ),
        ),
        2,
    ),
    "base gone": (remove_entry(EntryPlace("configurations", "fbdimm-2", "s5000")), 60),
}


@pytest.mark.parametrize(("edit", "at_most"), EDITS.values(), ids=EDITS)
def test_the_file_says_what_was_asked_and_other_lines_stay(edit: Edit, at_most: int) -> None:
    wanted = edit.apply(read(TEXT))
    written = rewrite(TEXT, wanted)
    assert read(written) == wanted
    before, after = TEXT.splitlines(), written.splitlines()
    lines = len([line for line in before if line not in after]) + len([line for line in after if line not in before])
    assert lines <= at_most
    comments = [line for line in before if line.lstrip().startswith("#") and line in after]
    assert len(comments) >= len([line for line in before if line.lstrip().startswith("#")]) - 2


@pytest.mark.parametrize(
    "text",
    [
        "schema: x\nlab: a   # the room\nmeters: [{id: m,   url: u}]  # one line\n",
        "schema: x\nlab: a\nmeters:\n- id: m\n  url: u\n# the end\n",
        "schema: x\nlab: a\nmeters: []\n",
        "# nothing but this\nschema: x\nlab: a",
        "schema: x\r\nlab: a\r\nmeters:\r\n  - id: m\r\n    url: u\r\n",
    ],
)
def test_every_form_of_a_list_takes_one_more(text: str) -> None:
    wanted = put_entry(EntryPlace("meters", "n"), {"id": "n", "url": "on", "options": {"a": "1e3", "b": True}}).apply(
        read(text)
    )
    written = rewrite(text, wanted)
    assert read(written) == wanted
    assert [
        c for c in ("# the room", "# one line", "# the end", "# nothing but this") if c in text and c not in written
    ] == []


def test_what_is_not_there_is_neither_removed_nor_renamed() -> None:
    with pytest.raises(NotFound, match="no meter x"):
        remove_entry(EntryPlace("meters", "x")).apply(read(TEXT))
    with pytest.raises(NotFound, match="to rename"):
        put_entry(EntryPlace("meters", "x"), {"id": "y"}).apply(read(TEXT))
    with pytest.raises(NotFound, match="no server 'x'"):
        put_entry(EntryPlace("configurations", "c", "x"), {"id": "c"}).apply(read(TEXT))
