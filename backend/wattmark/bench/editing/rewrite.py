"""Writes changed data into the text of a bench file by ruamel's round trip: comments, order, quotes, anchors stay."""

from __future__ import annotations

import json
import re
from collections import Counter, OrderedDict
from difflib import SequenceMatcher
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import RoundTripEmitter
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from wattmark.bench.editing.comments import Comments, collections_of
from wattmark.bench.editing.plain import Document
from wattmark.bench.yaml_source import YamlSource, plain
from wattmark.core.errors import InputError

_UNFOLDED = 1_000_000
"""Width at which ruamel folds lines: a bench file has no more bytes."""
_LINE = 110
"""Longest new collection that is written on one line."""
_DASH = re.compile(r"^( *)- ", re.MULTILINE)


def rewrite(text: str, wanted: Document) -> str:
    """Write ``wanted`` into a text that has been checked.

    Raises `InputError` where ruamel's round trip of the text and the change would result in different data.
    """
    unix_text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    yaml = _round_trip(unix_text)
    out = StringIO()
    try:
        tree = _Tree(yaml.load(unix_text), unix_text)
        yaml.dump(tree.changed(wanted), out)
        out.writelines(comment.value for comment in tree.comments.below)
        fits = same(YamlSource("", out.getvalue()).data, wanted)
    except (InputError, YAMLError, ValueError, NotImplementedError):
        fits = False
    if not fits:
        raise InputError(
            "This change cannot be made without changing other parts of the bench file.",
            "Edit the text of the file instead.",
        )
    written = out.getvalue()
    return written.replace("\n", "\r\n") if "\r\n" in text else written


def same(first: Any, second: Any) -> bool:
    """Compare plain data as represented in a file: true is not 1, 1.0 is, and the order of keys does not count."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same, first, second))
    return isinstance(first, bool) == isinstance(second, bool) and bool(first == second)


def _round_trip(text: str) -> YAML:
    """Set ruamel up to write as the text is written: quotes, dashes of its first list, no folding."""
    yaml = YAML(typ="rt", pure=True)
    yaml.Emitter = _Emitter
    yaml.preserve_quotes = True
    yaml.width = _UNFOLDED
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    dash = _DASH.search(text)
    offset = 0 if dash and not dash[1] else 2
    yaml.indent(mapping=2, sequence=offset + 2, offset=offset)
    null = "tag:yaml.org,2002:null"
    yaml.representer.add_representer(type(None), lambda writer, _: writer.represent_scalar(null, ""))
    return yaml


class _Emitter(RoundTripEmitter):
    """ruamel's, which does not notice that an empty map ends what follows a dash, and so joins two entries below it."""

    MAX_SIMPLE_KEY_LENGTH = 1024
    """Longest key that stands before its colon (YAML 1.2.2, 7.4.2). ruamel puts one from 128 characters on behind a
    question mark, and a comment that follows between the two."""

    def expect_first_flow_mapping_key(self) -> None:
        self.no_newline = False
        super().expect_first_flow_mapping_key()


class _Tree:
    """A text as ruamel's tree, which is changed in place."""

    def __init__(self, root: Any, text: str) -> None:
        self._root = root
        self.comments = Comments(root, text)
        times = Counter(id(node) for node in collections_of(root))
        self._aliased = {node for node, count in times.items() if count > 1}
        for node in collections_of(root, with_merged=True):
            node.anchor.always_dump = True  # also where no alias is left

    def changed(self, wanted: Document) -> Any:
        """Return the tree that says ``wanted``; what says it already stays as it is."""
        root = self._changed(self._root, wanted)
        self.comments.protect_anchored()
        return root

    def _changed(self, node: Any, wanted: Any) -> Any:
        """Return the node in place of one: itself, unless an alias of it or a merged key must go on saying the old."""
        if same(_says(node), wanted):
            return node
        if wanted and id(node) not in self._aliased:
            if isinstance(node, CommentedMap) and isinstance(wanted, dict) and wanted.keys() >= _merged(node).keys():
                self._change_map(node, wanted)
                return node
            if isinstance(node, CommentedSeq) and isinstance(wanted, list):
                self._change_list(node, wanted)
                return node
        return _fresh(wanted, block=isinstance(node, CommentedMap | CommentedSeq) and not node.fa.flow_style())

    def _change_map(self, node: CommentedMap, wanted: dict[str, Any]) -> None:
        for key in [key for key, _ in node.non_merged_items() if key not in wanted]:
            self.comments.pass_on(node, key)
            OrderedDict.__delitem__(node, key)  # ruamel's own fails where other maps merge this one
        own, merged = dict(node.non_merged_items()), _merged(node)
        for key, value in wanted.items():
            if key in own:
                node[key] = self._changed(own[key], value)
            elif key not in merged or not same(merged[key], value):
                node[_quoted(key)] = _fresh(value, block=False)

    def _change_list(self, node: CommentedSeq, wanted: list[Any]) -> None:
        """Match the entries by their places where some are others, else by their names or what they say."""
        labels, wanted_labels = [_label(_says(entry)) for entry in node], [_label(entry) for entry in wanted]
        if len(labels) == len(wanted_labels) and set(labels) != set(wanted_labels):
            matches = [("replace", 0, len(labels), 0, len(labels))]
        else:
            matches = [*SequenceMatcher(None, labels, wanted_labels, autojunk=False).get_opcodes()]
        for _, begin, end, wanted_begin, wanted_end in reversed(matches):
            matched = min(end - begin, wanted_end - wanted_begin)
            for index in reversed(range(begin + matched, end)):
                self.comments.pass_on(node, index)
                del node[index]
            for offset in range(matched, wanted_end - wanted_begin):
                node.insert(begin + offset, _fresh(wanted[wanted_begin + offset], block=not node.fa.flow_style()))
            for offset in range(matched):
                node[begin + offset] = self._changed(node[begin + offset], wanted[wanted_begin + offset])


def _says(node: Any) -> Any:
    if isinstance(node, CommentedMap):
        return _merged(node) | {plain(key): _says(value) for key, value in node.non_merged_items()}
    return [_says(entry) for entry in node] if isinstance(node, CommentedSeq) else plain(node)


def _merged(node: CommentedMap) -> dict[str, Any]:
    """Return what a map takes from others (<<) as they are now; ruamel remembers what they were."""
    merged: dict[str, Any] = {}
    for source in reversed(node.merge):
        merged |= _says(source)
    return merged


def _label(entry: Any) -> str:
    name = (entry.get("id") or entry.get("name")) if isinstance(entry, dict) else None
    return json.dumps(name or entry, sort_keys=True)


def _fresh(value: Any, *, block: bool) -> Any:
    """Make nodes of plain data: what fits on a line and holds no further levels is written on one."""
    if isinstance(value, dict):
        node: Any = CommentedMap((_quoted(key), _fresh(item, block=False)) for key, item in value.items())
    elif isinstance(value, list):
        node = CommentedSeq(_fresh(item, block=False) for item in value)
    else:
        return _quoted(value)
    collections = [child for child in _children(value) if isinstance(child, dict | list)]
    is_deep = any(isinstance(inner, dict | list) for child in collections for inner in _children(child))
    if not value or (not block and not is_deep and len(repr(value)) <= _LINE):
        node.fa.set_flow_style()
    return node


def _quoted(value: Any) -> Any:
    """Quote a new text that ruamel would write bare within brackets and read as a sign of YAML there."""
    is_sign = isinstance(value, str) and value.startswith(("?", ":"))
    return DoubleQuotedScalarString(value) if is_sign else value


def _children(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values() if isinstance(value, dict) else value)
