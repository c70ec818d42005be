"""Column widths of a LaTeX table: numbers take the width they need, text shares the rest of the line."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from wattmark.core.numbers import NOT_KNOWN, THIN_SPACE
from wattmark.tables.people import Page, PageColumn, cell_text

_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?: ± (\d+)(?:\.(\d+))?)?")
_DIGIT_EM, _LETTER_EM, _SIGN_EM, _GROUP_EM, _POINT_EM, _GAP_EM = 0.54, 0.5, 1.3, 0.17, 0.29, 0.75
"""Widths in the usual text fonts, rounded up; the gap is that of 3 pt on both sides of a column."""
_LINE_EM, _TEXT_EM = 40.0, 7.5
"""The narrowest line in footnotesize, that of an article in 10 pt on letter paper, and the width of a text column."""
_SMALLER = 8 / 7
"""So many more em has a line in scriptsize."""
_MOST_PARTS = 40


@dataclass(frozen=True, slots=True)
class LatexColumn:
    """One column: its head, its kind, the form of a column of numbers, its width, and its share of the rest."""

    title: str
    unit: str
    kind: Literal["text", "S", "number"]
    form: str
    em: float
    parts: int


@dataclass(slots=True)
class _Longest:
    """Width of the cells of a column, gathered row by row."""

    letters: int = 1
    whole: int = 0
    decimals: int = 0
    u_whole: int = 0
    negative: bool = False
    plain: bool = True
    """Every cell is a number without an exponent or a unit."""

    def add(self, cell: str) -> None:
        if cell == NOT_KNOWN:
            return
        self.letters = max(self.letters, len(cell))
        match = _NUMBER.fullmatch(cell)
        if match is None:
            self.plain = False
            return
        sign, whole, decimals, u_whole, _ = match.groups(default="")
        self.negative |= bool(sign)
        self.whole, self.decimals = max(self.whole, len(whole)), max(self.decimals, len(decimals))
        self.u_whole = max(self.u_whole, len(u_whole))


def latex_columns(page: Page) -> tuple[LatexColumn, ...]:
    """Measure the columns of a page by their cells."""
    longest = [_Longest() for _ in page.columns]
    for entries, _ in page.lines:
        for column, entry in zip(longest, entries, strict=True):
            column.add(cell_text(entry).replace(THIN_SPACE, ""))
    return tuple(_measured(column, cells) for column, cells in zip(page.columns, longest, strict=True))


def _measured(column: PageColumn, cells: _Longest) -> LatexColumn:
    title, unit = column.title, column.unit
    head = _LETTER_EM * max(len(title), len(unit) + 2 if unit else 0)
    if not column.numeric:
        return LatexColumn(title, unit, "text", "", _GAP_EM, min(max(cells.letters, len(title)), _MOST_PARTS))
    if not cells.plain or not cells.whole:
        em = _DIGIT_EM * cells.letters + _SIGN_EM
        return LatexColumn(title, unit, "number", "r", max(head, em) + _GAP_EM, 0)
    sign, whole, decimals = "-" if cells.negative else "", cells.whole, cells.decimals
    digits = cells.u_whole + decimals if cells.u_whole else 0
    form = f"table-format={sign}{whole}{f'.{decimals}' if decimals else ''}{f'({digits})' if digits else ''}"
    em = _DIGIT_EM * (whole + decimals + digits + len(sign)) + _GROUP_EM * math.floor(whole / 3)
    em += _POINT_EM * (bool(decimals) + bool(decimals and digits)) + (_SIGN_EM if digits else 0)
    options = f"{form},separate-uncertainty,table-align-uncertainty=false" if digits else form
    return LatexColumn(title, unit, "S", f"S[{options}]", max(head, em) + _GAP_EM, 0)


def font_size(columns: tuple[LatexColumn, ...]) -> str | None:
    """Choose the size in which a table is at most a page wide; None where the smallest is too large."""
    taken = sum(column.em for column in columns)
    needed = _TEXT_EM * sum(column.kind == "text" for column in columns)
    if taken + needed <= _LINE_EM:
        return "footnotesize"
    return "scriptsize" if taken + needed <= _LINE_EM * _SMALLER else None


def text_width(columns: tuple[LatexColumn, ...]) -> str:
    r"""Return the width that all columns of text share, as an expression in \linewidth."""
    return rf"\linewidth-{sum(column.em for column in columns):.1f}em"


def lines_of_row(columns: tuple[LatexColumn, ...]) -> int:
    """Estimate the lines of text of the longest row on the narrowest page."""
    room = max(_LINE_EM - sum(column.em for column in columns), _TEXT_EM)
    return max(1, math.ceil(_LETTER_EM * sum(column.parts for column in columns) / room))
