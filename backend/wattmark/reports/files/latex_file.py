r"""Tables as LaTeX: quantities in siunitx's \num, rules of booktabs, everything else escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from wattmark.core.numbers import NOT_KNOWN, THIN_SPACE, format_number
from wattmark.reports.tables.people import cell_text, lay_out, number_text
from wattmark.reports.tables.table import Cell, Column, Table

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "±": r"\ensuremath{\pm}",
    "×": r"\ensuremath{\times}",
    "≤": r"\ensuremath{\leq}",
    "≥": r"\ensuremath{\geq}",
    "µ": r"\ensuremath{\mu}",
    "Ω": r"\ensuremath{\Omega}",
    "Δ": r"\ensuremath{\Delta}",
    "°": r"\ensuremath{^\circ}",
    "–": "--",
    THIN_SPACE: r"\,",
}
r"""A bracket or star at the beginning of a cell would be read as an option of the \\ before it."""
_BLANK = re.compile(r"[\x00-\x20\x7f\x85\u2028\u2029]+")


def write_latex(table: Table, file: IO[bytes]) -> None:
    """Write a table environment; the document loads siunitx (3 or newer), booktabs and, before TeX Live 2020, textcomp.

    Value and expanded uncertainty stand as ``\\num{245.3 +- 1.9}``, rounded as in the other files for people.
    """
    file.writelines(f"{line}\n".encode() for line in _lines(table))


def _lines(table: Table) -> Iterator[str]:
    page = lay_out(table, _text)
    yield from (
        "% \\usepackage{booktabs,siunitx}",
        r"\begin{table}",
        rf"\caption{{{escape(table.title)}}}",
        rf"\begin{{tabular}}{{{''.join('r' if numeric else 'l' for numeric in page.numeric)}}}",
        r"\toprule",
        _row(tuple(escape(heading) for heading in page.headings)),
        r"\midrule",
    )
    for row in page.rows:
        yield _row(tuple("--" if cell == NOT_KNOWN else cell for cell in row))
    yield from (r"\bottomrule", r"\end{tabular}")
    yield from (rf"\par\footnotesize {escape(note)}" for note in table.footnotes)
    yield r"\end{table}"


def escape(text: str) -> str:
    """Escape text for LaTeX; line breaks and control characters become blanks."""
    return "".join(_SPECIAL.get(letter, letter) for letter in _BLANK.sub(" ", text))


def _row(cells: tuple[str, ...]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _text(column: Column, cell: Cell, expanded_u: Cell, unit: str) -> str:
    if isinstance(cell, bool) or not isinstance(cell, (int, float)):
        text = cell_text(column, cell, expanded_u, unit)
        return text if text == NOT_KNOWN else escape(text)
    text = number_text(column, float(cell), expanded_u) if column.kind == "number" else format_number(cell, digits=15)
    return text if text == NOT_KNOWN else f"{_num(text)}{'~' + escape(unit) if unit else ''}"


def _num(text: str) -> str:
    r"""Convert a formatted number to siunitx: "(1.23 ± 0.02)e-5" becomes \num{1.23 +- 0.02 e-5}."""
    if "±" in text and "e" in text and not text.startswith("("):
        value, _, u = text.partition(" ± ")  # each with an exponent of its own, which one \num does not take
        return rf"{_num(value)} $\pm$ {_num(u)}"
    bare = text.replace(THIN_SPACE, "").replace("±", "+-").replace("(", "").replace(")", " ")
    return rf"\num{{{bare}}}"
