"""Parameters by their kind: what each takes, and what it could be mistaken for otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from wattmark.workloads.parameters import Parameter, ParameterKind


@pytest.mark.parametrize(
    ("kind", "fits", "refused"),
    [
        ("text", ["wattmark", "a.b-c_1", "x+y"], ["host=evil", "postgresql://evil/x", "a:b", "a/b", "a,b", "~"]),
        ("size", ["4G", "512", "10M"], ["4g", "G", "1.5G", "-1", "4G:1"]),
        ("host", ["db", "db.lab", "192.0.2.1", "::1", "[2001:db8::1]"], ["u@h", "h/x", "a,b", "h?x", "[x]", "h:1"]),
        ("port", ["1", "5432", "65535"], ["0", "65536", "99999", "x"]),
        ("path", ["/mnt/disk", "disk/a", "/srv/a.b/c@d/"], ["/a:/b", "/a/../b", "..", "/", "/dev/sda", "//dev/sda"]),
        ("path", ["/devices/x", "proc"], ["/proc/1/mem", "/sys/x", "/dev", "/a//b", "~/x", "/a b", "\\:"]),
        ("account", ["nobody", "_apt"], ["0", "root:root", "a b", "#0"]),
        ("program", ["python3", "/opt/x/bin/python3", "./run.sh"], ["-c", "a b", "a;b", "$(x)"]),
    ],
)
def test_each_kind_takes_what_it_is_and_nothing_else(kind: ParameterKind, fits: list[str], refused: list[str]) -> None:
    parameter = Parameter(help="any", kind=kind)
    assert [value for value in fits if not parameter.accepts(value)] == []
    assert [value for value in refused if parameter.accepts(value)] == []


def test_integers_have_bounds_and_choices_their_values() -> None:
    rows = Parameter(help="Rows", kind="integer", low=1, high=10)
    assert [value for value in ("0", "1", "10", "11", "01", "1e1", "-1") if rows.accepts(value)] == ["1", "10", "01"]
    mode = Parameter(help="Mode", kind="choice", choices=("read", "write"))
    assert [value for value in ("read", "write", "rea", "") if mode.accepts(value)] == ["read", "write"]
    assert (rows.allowed, mode.allowed) == ("a whole number from 1 to 10", "one of read, write")


def test_a_pattern_narrows_a_kind_and_is_the_alphabet_of_a_text() -> None:
    size = Parameter(help="Size", kind="size", pattern="[0-9]+G")
    assert (size.accepts("4G"), size.accepts("4M")) == (True, False)
    page = Parameter(help="Page", kind="text", pattern="/[a-z?=]*")
    assert (page.accepts("/a?b=c"), page.accepts("a")) == (True, False)
    folder = Parameter(help="Folder", kind="path", pattern=".*")
    assert not folder.accepts("/a:/b")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "kind"),
        ({"kind": "integer"}, "low and high"),
        ({"kind": "text", "low": 1}, "low and high"),
        ({"kind": "choice"}, "choices"),
        ({"kind": "size", "choices": ["1G"]}, "choices"),
        ({"kind": "path", "default": "/a:/b"}, r"a default that is a path .* without \.\."),
    ],
)
def test_a_declaration_says_what_its_kind_needs(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Parameter.model_validate({"help": "any", **fields})
