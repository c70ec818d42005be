"""Carry a change of a rewritten text over to the text as people formatted it: a merge of three texts by lines."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

Lines = list[str]
Span = tuple[int, int]


def carry_over(base: str, changed: str, own: str) -> str:
    """Apply to ``own`` what turns ``base`` into ``changed``; where both differ from the base, the change wins.

    The method of diff3 (Khanna, Kunal, Pierce: A Formal Investigation of Diff3, 2007): lines that all three share
    hold the texts together; between them whoever differs from the base is taken.
    """
    texts = [text.splitlines(keepends=True) for text in (base, changed, own)]
    merged: Lines = []
    for in_base, in_changed, in_own in _pieces(*texts):
        merged += in_own if in_changed == in_base else in_changed
    return "".join(merged)


def _pieces(base: Lines, changed: Lines, own: Lines) -> Iterator[tuple[Lines, Lines, Lines]]:
    """Cut the three texts at the lines that they share."""
    b = c = o = 0
    for at, length, in_changed, in_own in _shared(base, changed, own):
        yield base[b:at], changed[c:in_changed], own[o:in_own]
        yield (base[at : at + length],) * 3
        b, c, o = at + length, in_changed + length, in_own + length
    yield base[b:], changed[c:], own[o:]


def _shared(base: Lines, changed: Lines, own: Lines) -> Iterator[tuple[int, int, int, int]]:
    """Find runs of lines that all three share: begin in the base, length, begin in the two others."""
    ones = SequenceMatcher(None, base, changed, autojunk=False).get_matching_blocks()
    others = SequenceMatcher(None, base, own, autojunk=False).get_matching_blocks()
    for one in ones:
        for other in others:
            at = max(one.a, other.a)
            length = min(one.a + one.size, other.a + other.size) - at
            if length > 0:
                yield at, length, one.b + at - one.a, other.b + at - other.a
