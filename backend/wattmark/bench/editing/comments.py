"""Comments of a YAML text at the entries that they speak of.

ruamel hangs a comment on the value before it, so that it would go when that value goes, and drops some: in brackets,
beside aliases and anchors. Here each is hung on the entry of its line or, if it stands alone, on the entry below.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import CommentMark
from ruamel.yaml.tokens import (
    CommentToken,
    FlowMappingEndToken,
    FlowMappingStartToken,
    FlowSequenceEndToken,
    FlowSequenceStartToken,
    ScalarToken,
)

_OPENING = FlowMappingStartToken | FlowSequenceStartToken
_CLOSING = FlowMappingEndToken | FlowSequenceEndToken


@dataclass(frozen=True, slots=True)
class _Comment:
    """A comment of the text, or an empty line ("")."""

    line: int
    column: int
    text: str
    stands_alone: bool
    """Alone on its line and outside brackets."""

    def token(self, column: int) -> CommentToken:
        return CommentToken(f"{self.text}\n", start_mark=CommentMark(column))


@dataclass(frozen=True, slots=True)
class _Place:
    """An entry in block style, with slots for the comments above and beside it."""

    line: int
    holder: Any
    key: Any
    is_alias: bool

    @property
    def column(self) -> int:
        return int(self.holder.lc.col)

    @property
    def value(self) -> Any:
        return self.holder[self.key]

    @property
    def above(self) -> list[CommentToken]:
        slots = self.slots
        slots[1] = slots[1] or []
        return cast("list[CommentToken]", slots[1])

    def put_beside(self, comment: _Comment) -> None:
        self.slots[2 if isinstance(self.holder, CommentedMap) else 0] = comment.token(comment.column)

    def lines_beside(self) -> list[int]:
        """List the lines of the comments that ruamel has read beside or behind the value."""
        inner = self.value.ca.comment if isinstance(self.value, CommentedMap | CommentedSeq) else None
        return [token.start_mark.line for token in (*self.slots, *(inner or ())) if isinstance(token, CommentToken)]

    @property
    def slots(self) -> list[Any]:
        """Return ruamel's slots: beside an entry of a list, above, beside a value of a map, below its key."""
        return cast("list[Any]", self.holder.ca.items.setdefault(self.key, [None, None, None, None]))


class Comments:
    """The comments of a tree that ruamel has read from a text."""

    def __init__(self, root: Any, text: str) -> None:
        self._root = root
        self.below: list[CommentToken] = []
        """Those after the last entry."""
        comments = list(_comments(text))
        beside = {comment.line: comment for comment in comments if not comment.stands_alone}
        places = sorted(_places(root), key=lambda place: place.line)
        beside_entries = [
            (place, beside.pop(line))
            for place in places
            if not place.is_alias
            for line in place.lines_beside()
            if line in beside
        ]
        for node in collections_of(root, with_merged=True):
            node.ca.comment, node.ca.end = None, []
            node.ca.items.clear()
        for place, comment in beside_entries:
            place.put_beside(comment)
        lines = [place.line for place in places]
        for comment in comments:
            if comment.stands_alone or not places:
                after = bisect_right(lines, comment.line)
                above = places[after].above if after < len(places) else self.below
                above.append(comment.token(comment.column))
            elif comment.line in beside:  # ruamel would drop it there
                before = max(0, bisect_right(lines, comment.line) - 1)
                place = places[bisect_left(lines, lines[before])]
                place.above.append(comment.token(place.column))

    def pass_on(self, holder: Any, key: Any) -> None:
        """Move comments above a removed entry to the next one; those directly above it are removed with it."""
        places = list(_places(self._root))
        index = next((i for i, place in enumerate(places) if place.holder is holder and place.key == key), None)
        if index is None:
            return
        column, above = places[index].column, places[index].above
        own = list(takewhile(lambda token: token.value.strip() and token.start_mark.column == column, reversed(above)))
        after = index + 1 + len(list(_places(holder[key])))
        (places[after].above if after < len(places) else self.below)[:0] = above[: len(above) - len(own)]

    def protect_anchored(self) -> None:
        """Repeat the comments of an anchor at its aliases: ruamel uses those of the last alias for all."""
        slots_of: dict[int, list[Any]] = {}
        for place in _places(self._root):
            if place.is_alias:
                place.slots[2:] = slots_of[id(place.value)]
            else:
                slots_of[id(place.value)] = place.slots[2:] if isinstance(place.holder, dict) else place.slots[:2]


def collections_of(node: Any, *, with_merged: bool = False) -> Iterator[Any]:
    """Iterate over the maps and lists of a tree, repeated ones again; merged ones (<<) where asked for."""
    if isinstance(node, CommentedMap | CommentedSeq):
        yield node
        children = [child for _, child in own_items(node)]
        if with_merged and isinstance(node, CommentedMap):
            children += [*node.merge, getattr(node.merge, "sequence", None)]
        for child in children:
            yield from collections_of(child, with_merged=with_merged)


def own_items(node: CommentedMap | CommentedSeq) -> list[tuple[Any, Any]]:
    """List the entries of a map, without those that it merges, or of a list."""
    return list(node.non_merged_items() if isinstance(node, CommentedMap) else enumerate(node))


def _comments(text: str) -> Iterator[_Comment]:
    """List comments and empty lines: nothing else occurs between the tokens of YAML, or behind a | or >."""
    depth = 0
    for token, following in pairwise(YAML(typ="safe", pure=True).scan(text)):
        if isinstance(token, ScalarToken) and token.style in ("|", ">"):
            head = text[token.start_mark.index :].partition("\n")[0]
            if "#" in head:
                yield _Comment(token.start_mark.line, 0, head[head.index("#") :].strip(), stands_alone=False)
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        line, column = token.end_mark.line, token.end_mark.column
        *parts, last = text[token.end_mark.index : following.start_mark.index].split("\n")
        for part in [*parts, last] if last.strip() else parts:
            words = part.strip()
            stands_alone = column == 0 and depth == 0
            if words or stands_alone:
                yield _Comment(line, column + len(part) - len(part.lstrip()), words, stands_alone)
            line, column = line + 1, 0


def _places(node: Any, seen: set[int] | None = None) -> Iterator[_Place]:
    """Iterate over the entries in block style in text order; no aliases in lists, whose lines are not known."""
    seen = set() if seen is None else seen
    if not isinstance(node, CommentedMap | CommentedSeq) or node.fa.flow_style():
        return
    for key, child in own_items(node):
        is_anchored = getattr(getattr(child, "anchor", None), "value", None) is not None
        is_alias = is_anchored and id(child) in seen
        seen.add(id(child))
        if is_alias and isinstance(node, CommentedSeq):
            continue
        yield _Place(int((node.lc.data or {}).get(key, (0,))[0]), node, key, is_alias)
        if not is_alias:
            yield from _places(child, seen)
