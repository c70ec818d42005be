"""A table between lines, as rich draws it, without holding more than a row: for tables of any length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len, set_cell_size

from wattmark.cli.console.output import visible

Rows = Callable[[], Iterable[Sequence[str]]]


def widths_of(headings: Sequence[str], rows: Rows) -> list[int]:
    """Find how many characters each column takes on a screen."""
    widths = [_width(heading) for heading in headings]
    for row in rows():
        widths = [max(width, _width(cell)) for width, cell in zip(widths, row, strict=True)]
    return widths


def total_width(widths: Sequence[int]) -> int:
    """Return how wide the lines are."""
    return sum(widths) + 3 * len(widths) + 1


def grid(headings: Sequence[str], rows: Rows, widths: Sequence[int]) -> Iterator[str]:
    """Draw line after line."""
    yield _rule("┏", "━", "┳", "┓", widths)
    yield from _row("┃", headings, widths)
    yield _rule("┡", "━", "╇", "┩", widths)
    for row in rows():
        yield from _row("│", row, widths)
    yield _rule("└", "─", "┴", "┘", widths)


def _rule(left: str, line: str, between: str, right: str, widths: Sequence[int]) -> str:
    return left + between.join(line * (width + 2) for width in widths) + right


def _row(bar: str, cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for parts in zip_longest(*(_lines(cell) for cell in cells), fillvalue=""):
        padded = (set_cell_size(part, width) for part, width in zip(parts, widths, strict=True))
        yield f"{bar} {f' {bar} '.join(padded)} {bar}"


def _width(cell: str) -> int:
    return max(map(cell_len, _lines(cell)), default=0)


def _lines(cell: str) -> list[str]:
    return visible(cell).expandtabs(8).split("\n")
