"""A table without lines that fits a terminal: numbers aligned at their ±, long texts on several lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len, set_cell_size

from wattmark.cli.console.output import visible
from wattmark.tables.people import NOTES, Page

_GAP = "  "
_NARROWEST = 12
"""Columns of text that names need at least."""
_SIGN = " ± "


@dataclass(slots=True)
class _Width:
    """What a column takes: its head, its cells in front of and behind the ±."""

    head: int
    numeric: bool
    left: int = 0
    right: int = 0

    @property
    def cells(self) -> int:
        return self.left + (len(_SIGN) + self.right if self.right else 0)

    @property
    def total(self) -> int:
        return max(self.head, self.cells)


def narrow(page: Page, width: int) -> Iterator[str] | None:
    """Draw a page line after line, at most ``width`` wide; None where its numbers alone are wider."""
    heads = [(column.title, f"[{column.unit}]" if column.unit else "") for column in page.columns]
    heads += [(NOTES, "")] if page.letters else []
    widths = [_Width(max(map(cell_len, head)), numeric) for head, numeric in zip(heads, page.numeric, strict=True)]
    for row in page.rows:
        for column, cell in zip(widths, row, strict=True):
            left, _, right = _parts(cell, column)
            column.left, column.right = max(column.left, cell_len(left)), max(column.right, cell_len(right))
    if not _fit(widths, width - len(_GAP) * (len(widths) - 1)):
        return None
    return _drawn(page, heads, widths)


def wrapped(note: str, width: int) -> str:
    """Return a note on lines of at most ``width``, the later ones indented."""
    return textwrap.fill(visible(note), width, subsequent_indent="   ", break_on_hyphens=False)


def _fit(widths: Sequence[_Width], room: int) -> bool:
    """Narrow the columns of text, the widest first, until all columns fit."""
    while sum(column.total for column in widths) > room:
        texts = [column for column in widths if not column.numeric and column.total > max(_NARROWEST, column.head)]
        if not texts:
            return False
        widest = max(texts, key=lambda column: column.left)
        widest.left -= 1
    return True


def _drawn(page: Page, heads: Sequence[tuple[str, str]], widths: Sequence[_Width]) -> Iterator[str]:
    for line in (0, 1):
        texts = [head[line] for head in heads]
        if any(texts):
            yield _GAP.join(
                _aligned(text, column.total, right=column.numeric) for text, column in zip(texts, widths, strict=True)
            ).rstrip()
    yield _GAP.join("─" * column.total for column in widths)
    for row in page.rows:
        cells = [_cell(text, column) for text, column in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            padded = (set_cell_size(part, column.total) for part, column in zip(parts, widths, strict=True))
            yield _GAP.join(padded).rstrip()


def _cell(text: str, column: _Width) -> list[str]:
    """Return the lines of a cell."""
    left, sign, right = _parts(text, column)
    if column.numeric:
        number = _aligned(left, column.left, right=True)
        if column.right:
            number += f"{sign or ' ' * len(_SIGN)}{_aligned(right, column.right, right=False)}"
        return [_aligned(number, column.total, right=True)]
    wide = cell_len(left) > len(left)
    return textwrap.wrap(left, max(1, column.total // 2 if wide else column.total), break_on_hyphens=False) or [""]


def _parts(text: str, column: _Width) -> tuple[str, str, str]:
    """Split a number at its ±; any other text is one part."""
    shown = visible(text).replace("\n", " ")
    return shown.partition(_SIGN) if column.numeric and not shown.startswith("(") else (shown, "", "")


def _aligned(text: str, width: int, *, right: bool) -> str:
    space = " " * max(0, width - cell_len(text))
    return space + text if right else text + space
