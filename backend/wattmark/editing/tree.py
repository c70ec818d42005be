"""A YAML text as a tree that remembers comments, and plain values put into it."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from wattmark.editing.same import same
from wattmark.inventory.yaml_source import plain

_WIDE = 100_000
_LINE = 110
"""Longest collection that is written on one line."""
STYLES = ((4, 2), (2, 0))
"""Indentation of a list's entries and of their dash, as people write them."""


def load_tree(text: str) -> Any:
    """Read a text that has been checked already."""
    return _yaml(STYLES[0]).load(text)


def dump_tree(tree: Any, style: tuple[int, int]) -> str:
    """Write a tree with its comments."""
    out = StringIO()
    _yaml(style).dump(tree, out)
    return out.getvalue()


def style_of(text: str) -> tuple[int, int]:
    """Tell how a text indents its lists."""
    lines = set(text.splitlines())
    return max(STYLES, key=lambda style: len(lines & set(dump_tree(load_tree(text), style).splitlines())))


def _yaml(style: tuple[int, int]) -> YAML:
    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = _WIDE
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    yaml.indent(mapping=2, sequence=style[0], offset=style[1])
    yaml.representer.add_representer(type(None), lambda one, _: one.represent_scalar("tag:yaml.org,2002:null", ""))
    return yaml


def put_in(tree: Any, wanted: Any) -> Any:
    """Change a tree so that it says ``wanted``; gives the tree to use in its place. What is the same stays as it is.

    Maps that others merge (<<) are changed in place: what the others then say must be looked at again.
    """
    return _merged(tree, wanted, _shared_nodes(tree))


def fresh(value: Any, *, block: bool = True) -> Any:
    """Make nodes of plain data: what fits on a line and holds no further levels is written on one."""
    if isinstance(value, dict):
        made: Any = CommentedMap((key, fresh(item, block=False)) for key, item in value.items())
    elif isinstance(value, list):
        made = CommentedSeq(fresh(item, block=False) for item in value)
    else:
        return value
    if not block and _is_short(value):
        made.fa.set_flow_style()
    return made


def _is_short(value: Any) -> bool:
    children = value.values() if isinstance(value, dict) else value
    deep = any(isinstance(child, dict | list) and not _is_leaf(child) for child in children)
    return not deep and len(repr(value)) <= _LINE


def _is_leaf(value: Any) -> bool:
    return not any(isinstance(child, dict | list) for child in (value.values() if isinstance(value, dict) else value))


def _merged(node: Any, wanted: Any, shared: set[int]) -> Any:
    if same(plain(node), wanted):
        return node
    alone = id(node) not in shared
    if alone and isinstance(node, CommentedMap) and isinstance(wanted, dict) and _can_become(node, wanted):
        return _merged_map(node, wanted, shared)
    if alone and isinstance(node, CommentedSeq) and isinstance(wanted, list) and wanted:
        return _merged_list(node, wanted, shared)
    return fresh(wanted, block=not _in_flow(node))


def _in_flow(node: Any) -> bool:
    return isinstance(node, CommentedMap | CommentedSeq) and bool(node.fa.flow_style())


def _can_become(node: CommentedMap, wanted: dict[str, Any]) -> bool:
    """Keys that come in through a merge (<<) can be overridden, but not left out."""
    return all(key in wanted or not any(key in source for source in node.merge) for key in node)


def _merged_map(node: CommentedMap, wanted: dict[str, Any], shared: set[int]) -> CommentedMap:
    for key in [key for key in node if key not in wanted]:
        OrderedDict.__delitem__(node, key)  # its own deletion trips over maps that merge it
    own = {key for key, _ in node.non_merged_items()}
    for key, value in wanted.items():
        if key not in node or (key not in own and not same(plain(node[key]), value)):
            node[key] = fresh(value, block=False)
        elif not same(plain(node[key]), value):
            _replace(node, key, _merged(node[key], value, shared))
    return node


def _replace(node: CommentedMap, key: str, value: Any) -> None:
    """Put a value in; comments inside a collection that is no more would stand in the wrong place."""
    if value is not node[key] and isinstance(node[key], CommentedMap | CommentedSeq):
        node.ca.items.pop(key, None)
    node[key] = value


def _merged_list(node: CommentedSeq, wanted: list[Any], shared: set[int]) -> CommentedSeq:
    names = [_name(value) for value in wanted]
    for at in reversed(range(len(node))):
        if _name(node[at]) is not None and _name(node[at]) not in names and len(node) > len(wanted):
            del node[at]
    for at, value in enumerate(wanted[: len(node)]):
        if not same(plain(node[at]), value):
            node[at] = _merged(node[at], value, shared)
    del node[len(wanted) :]
    node.extend(fresh(value, block=not _in_flow(node)) for value in wanted[len(node) :])
    return node


def _name(entry: Any) -> str | None:
    return (entry.get("id") or entry.get("name")) if isinstance(entry, dict) else None


def _shared_nodes(tree: Any) -> set[int]:
    """Find the nodes that stand at several places: aliases. A change in one must not change the others."""
    counts = Counter(id(node) for node in _walk(tree))
    return {node for node, count in counts.items() if count > 1}


def _walk(node: Any) -> Iterator[Any]:
    if isinstance(node, CommentedMap | CommentedSeq):
        yield node
        children = (value for _, value in node.non_merged_items()) if isinstance(node, CommentedMap) else node
        for child in children:
            yield from _walk(child)
