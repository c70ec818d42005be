"""Lines of a YAML text that belong to one entry of a list: taken out, or put in after the last one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ruamel.yaml.comments import CommentedSeq

from wattmark.editing.tree import dump_tree, fresh, load_tree, style_of

_INDENT = re.compile(r"\s*")


def without_entry(text: str, path: Sequence[str | int], at: int) -> str | None:
    """Take an entry out, with the comments right above it; None where its lines cannot be told."""
    begins = _begins(text, path)
    if begins is None:
        return None
    lines = text.splitlines(keepends=True)
    first = begins[at]
    while first > 0 and _is_comment(lines[first - 1]) and _indent(lines[first - 1]) == _indent(lines[begins[at]]):
        first -= 1
    return "".join([*lines[:first], *lines[_end(lines, begins[at]) :]])


def with_entry(text: str, path: Sequence[str | int], value: Any) -> str | None:
    """Put an entry in after the last one of a list; None where there is none whose lines can be told."""
    begins = _begins(text, path)
    if not begins:
        return None
    lines = text.splitlines(keepends=True)
    end = _end(lines, begins[-1])
    if not lines[end - 1].endswith("\n"):
        lines[end - 1] += "\n"
    written = _as_entry(value, style_of(text), _indent(lines[begins[-1]]))
    return "".join([*lines[:end], *written, *lines[end:]])


def with_section(text: str, name: str, entries: Sequence[Any]) -> str:
    """Begin a list at the end of a text."""
    style = style_of(text)
    written = [line for entry in entries for line in _as_entry(entry, style, style[1])]
    return "".join([text.rstrip("\n"), "\n\n" if text.strip() else "", f"{name}:\n", *written])


def _as_entry(value: Any, style: tuple[int, int], indent: int) -> list[str]:
    """Write an entry of a list in lines that begin with a dash at ``indent``."""
    lines = dump_tree([fresh(value)], style).splitlines(keepends=True)
    return [" " * indent + line[style[1] :] if line.strip() else line for line in lines]


def _begins(text: str, path: Sequence[str | int]) -> list[int] | None:
    """Find the line of every entry of a list in block style; None for another form."""
    node = load_tree(text)
    for step in path:
        node = node[step]
    if not isinstance(node, CommentedSeq) or node.fa.flow_style():
        return None
    lines = text.splitlines()
    begins = [int(node.lc.item(at)[0]) for at in range(len(node))]
    return begins if all(lines[begin].lstrip().startswith("- ") for begin in begins) else None


def _end(lines: list[str], begin: int) -> int:
    """Find the line after an entry; blank lines and comments behind it belong to what follows."""
    indent, end = _indent(lines[begin]), begin + 1
    for number in range(begin + 1, len(lines)):
        if not lines[number].strip() or _is_comment(lines[number]):
            continue
        if _indent(lines[number]) <= indent:
            break
        end = number + 1
    return end


def _indent(line: str) -> int:
    found = _INDENT.match(line)
    return len(found[0]) if found else 0


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")
