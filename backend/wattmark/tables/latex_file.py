r"""Tables as LaTeX, a page wide: S columns of siunitx, rules of booktabs, everything else escaped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import IO

from wattmark.core.numbers import NOT_KNOWN, THIN_SPACE, format_number
from wattmark.tables.latex_columns import LatexColumn, font_size, latex_columns, lines_of_row, text_width
from wattmark.tables.latex_signs import escape, one_line, replaced
from wattmark.tables.people import Page, WrittenCell, cell_text, lay_out, number_text
from wattmark.tables.table import Table

_BREAKS = re.compile(r"(?<=\w)([./_-])(?=[^\W\d]\w\w)")
_LONG = re.compile(r"\w{16}(?=\w)")
_BREAK = "\x00"
MOST_LINES = 30
"""Longer tables run over several pages."""


def write_latex(table: Table, file: IO[bytes]) -> None:
    r"""Write a table; the document loads siunitx, booktabs, array and, for more than 30 lines, longtable.

    Value and expanded uncertainty are ``245.3 +- 1.9`` in an S column, or in ``\num`` where units or powers of
    ten differ within a column, rounded as in the other files for people.
    """
    numbered = set[str]()
    for line in _lines(table):
        numbered |= replaced(line)
        file.write(f"{line}\n".encode("ascii"))
    file.writelines(f"{line}\n".encode("ascii") for line in _numbered_signs(sorted(numbered)))


def _lines(table: Table) -> Iterator[str]:
    page = lay_out(table)
    columns = latex_columns(page)
    long = len(table.rows) * lines_of_row(columns) > MOST_LINES
    packages = "array,booktabs,longtable,siunitx" if long else "array,booktabs,siunitx"
    yield rf"% \usepackage{{{packages}}}"
    size = font_size(columns)
    if size is None:
        yield "% Wider than a page: choose fewer columns."
    caption = _flowing(f"{_sentence(table.title)} {page.headline}".strip())
    head = [rf"\caption{{{caption}}}", rf"\label{{tab:wattmark-{table.id}}}"]
    rules = (r"\toprule", *_head(columns), r"\midrule")
    font = rf"\{size or 'scriptsize'}"
    yield from (r"\begingroup", rf"{font}\setlength{{\tabcolsep}}{{3pt}}\emergencystretch=3em")
    form = "".join(_form(column, columns, fits=size is not None) for column in columns)
    if long:
        yield from (rf"\begin{{longtable}}{{@{{}}{form}@{{}}}}", *head, rf"\\ {rules[0]}", *rules[1:], r"\endfirsthead")
        yield from (*rules, r"\endhead", r"\bottomrule", r"\endfoot")
    else:
        yield from (r"\begin{table}", rf"{font}\centering", *head)
        yield from (rf"\begin{{tabular}}{{@{{}}{form}@{{}}}}", *rules)
    for entries, letters in page.lines:
        cells = [_cell(column, entry) for column, entry in zip(columns, entries, strict=True)]
        if letters:
            cells[0] += rf"\textsuperscript{{{letters.replace(' ', ',')}}}"
        yield rf"{' & '.join(cells)} \\"
    if long:
        yield from (r"\end{longtable}", *_notes(page))
    else:
        yield from (r"\bottomrule", r"\end{tabular}", *_notes(page), r"\end{table}")
    yield r"\endgroup"


def _numbered_signs(signs: list[str]) -> Iterator[str]:
    """List in comments the characters that the standard fonts lack."""
    if signs:
        yield "% Signs that the standard fonts of LaTeX lack stand as their numbers in Unicode. With a font that has"
        yield "% them (fontspec, by lualatex or xelatex) the characters themselves can be used:"
    yield from (f"% U+{ord(sign):04X} {unicodedata.name(sign, 'without a name')}" for sign in signs)


def _form(column: LatexColumn, columns: tuple[LatexColumn, ...], *, fits: bool) -> str:
    if column.kind != "text":
        return column.form
    parts = sum(other.parts for other in columns)
    share = rf"\dimexpr({text_width(columns)})*{column.parts}/{parts}\relax" if fits else "8em"
    return rf">{{\raggedright\arraybackslash}}p{{{share}}}"


def _head(columns: tuple[LatexColumn, ...]) -> Iterator[str]:
    """Yield the titles, and the units below them."""
    yield rf"{' & '.join(f'{{{_flowing(column.title)}}}' for column in columns)} \\"
    if any(column.unit for column in columns):
        units = (rf"{{({escape(column.unit)})}}" if column.unit else "" for column in columns)
        yield rf"{' & '.join(units)} \\"


def _notes(page: Page) -> Iterator[str]:
    """Yield the notes below the table; the headline is in the caption."""
    if not page.notes and not page.letters:
        return
    yield r"\par\smallskip\raggedright"
    yield from (rf"{_flowing(note)}\par" for note in page.notes)
    yield from (rf"\textsuperscript{{{letter}}}~{_flowing(note)}\par" for letter, note in page.letters)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _flowing(text: str) -> str:
    """Escape text that may break within long names: behind a dot, a dash or a slash, and within long words."""
    broken = _LONG.sub(rf"\g<0>{_BREAK}", _BREAKS.sub(rf"\1{_BREAK}", one_line(text)))
    return r"\allowbreak{}".join(escape(part) for part in broken.split(_BREAK))


def _cell(column: LatexColumn, entry: WrittenCell) -> str:
    text = cell_text(entry)
    if text == NOT_KNOWN:
        return "{--}" if column.kind == "S" else "--"
    if isinstance(entry.value, bool) or not isinstance(entry.value, (int, float)):
        return _flowing(text)
    if column.kind == "S":
        return text.replace(THIN_SPACE, "").replace("±", "+-")
    numeric = entry.column.kind == "number"
    number = number_text(entry, float(entry.value)) if numeric else format_number(entry.value, digits=15)
    return f"{_num(number)}{'~' + escape(entry.unit) if entry.unit else ''}"


def _num(text: str) -> str:
    r"""Convert a formatted number to siunitx: "(1.23 ± 0.02)e-5" becomes \num{1.23 +- 0.02 e-5}."""
    if "±" in text and "e" in text and not text.startswith("("):
        value, _, u = text.partition(" ± ")  # each with an exponent of its own, which one \num does not take
        return rf"{_num(value)} $\pm$ {_num(u)}"
    bare = text.replace(THIN_SPACE, "").replace("±", "+-").replace("(", "").replace(")", " ")
    return rf"\num[separate-uncertainty]{{{bare}}}"
