"""Tables as LaTeX: siunitx numbers, and no text that LaTeX would act on."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.reports.files.formats import write
from wattmark.reports.files.latex_file import escape
from wattmark.reports.tables.table import Column, Table
from wattmark.reports.tables.tables import results_table
from wattmark.results.result import Result


def watts(*rows: tuple[float | None, float | None]) -> str:
    columns = (Column("p", "Power", "W", "number", expanded_u="u"), Column("u", "", "W", "number", for_people=False))
    return write(Table("t", "T", columns, rows), "tex").decode()


@pytest.mark.parametrize(
    ("value", "expanded_u", "written"),
    [
        (245.321, 1.94, r"\num{245.3 +- 1.9}"),
        (12345.6, 7.8, r"\num{12345.6 +- 7.8}"),
        (1.2345e-5, 2e-7, r"\num{1.235 +- 0.020 e-5}"),
        (245.321, None, r"\num{245.321}"),
        (1.5e12, None, r"\num{1.5e12}"),
        (-3.5, 0.25, r"\num{-3.50 +- 0.25}"),
    ],
)
def test_value_and_uncertainty_share_the_last_digit(value: float, expanded_u: float | None, written: str) -> None:
    assert f"\n{written} \\\\\n" in watts((value, expanded_u))


def test_not_known_is_a_dash() -> None:
    assert "\n– \\\\\n" not in (text := watts((None, None), (1.0, None)))
    assert "\n-- \\\\\n" in text


def test_unit_stands_in_the_head_and_numbers_to_the_right() -> None:
    text = watts((1.0, 0.1))
    assert "\nPower \\ensuremath{\\pm} U95 {[}W{]} \\\\\n" in text
    assert r"\begin{tabular}{r}" in text


def test_whole_table_has_footnotes_and_equal_rows(make_result: Callable[..., Result]) -> None:
    text = write(results_table([make_result(), make_result(run_id="b_2", simulated=True)]), "tex").decode()
    body = text.split("\\midrule\n")[1].split("\n\\bottomrule")[0].splitlines()
    (columns,) = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", text)
    assert [len(re.findall(r"(?<!\\)&", line)) for line in body] == [len(columns) - 1] * 2
    assert r"b\_2 &" in text
    assert r"\par\footnotesize simulated:" in text
    assert r"\num{1101.3 +- 3.0}" in text


@given(st.text())
def test_text_never_acts(text: str) -> None:
    """After the commands that we write are taken out, no character with a meaning in LaTeX is left."""
    written = escape(text)
    ours = r"\\text(?:backslash|asciitilde|asciicircum|less|greater|bar|quotedbl|asciigrave)\{\}"
    rest = re.sub(ours, "", written)
    rest = re.sub(r"\\ensuremath\{(?:\\[A-Za-z]+|\^\\circ)\}|\\[{}$&%#_,]|\{[\[\]*]\}", "", rest)
    assert not set(rest) & set('\\{}$&%#_~^<>|"`[]*\n\r\x00')


def test_text_cells_cannot_open_a_command() -> None:
    table = Table("t", r"\input{x}", (Column("a", "A & B"),), ((r"50 % \write18{rm} $x$",), ("[2em]",)))
    text = write(table, "tex").decode()
    assert r"\caption{\textbackslash{}input\{x\}}" in text
    assert r"50 \% \textbackslash{}write18\{rm\} \$x\$ \\" in text
    assert "\n{[}2em{]} \\\\\n" in text
