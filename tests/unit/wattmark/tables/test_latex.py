"""Tables as LaTeX: siunitx numbers, and no text that LaTeX would act on."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.results.result import Result
from wattmark.results.tables.results_table import results_table
from wattmark.tables.formats import write
from wattmark.tables.latex_signs import escape
from wattmark.tables.layouts import arranged
from wattmark.tables.table import Column, Table


def watts(*rows: tuple[float | None, float | None]) -> str:
    columns = (Column("p", "Power", "W", "number", expanded_u="u"), Column("u", "", "W", "number", for_people=False))
    return write(Table("t", "T", columns, rows), "tex").decode()


@pytest.mark.parametrize(
    ("value", "expanded_u", "written"),
    [
        (245.321, 1.94, "245.3 +- 1.9"),
        (12345.6, 7.8, "12345.6 +- 7.8"),
        (1.2345e-5, 2e-7, r"\num[separate-uncertainty]{1.235 +- 0.020 e-5}"),
        (245.321, None, "245"),
        (1.5e12, None, r"\num[separate-uncertainty]{1.50e12}"),
        (-3.5, 0.25, "-3.50 +- 0.25"),
    ],
)
def test_value_and_uncertainty_share_the_last_digit(value: float, expanded_u: float | None, written: str) -> None:
    assert f"\n{written} \\\\\n" in watts((value, expanded_u))


def test_not_known_is_a_dash() -> None:
    assert "\n– \\\\\n" not in (text := watts((None, None), (1.0, None)))
    assert "\n{--} \\\\\n" in text


def test_unit_stands_below_the_head() -> None:
    text = watts((1.0, 0.1))
    assert "{Power \\ensuremath{\\pm} U95} \\\\\n{(W)} \\\\\n" in text


@pytest.mark.parametrize(
    ("rows", "form"),
    [
        # siunitx manual, "table-format": digits before and after the decimal marker, and those of the uncertainty.
        (
            ((245.321, 1.94), (12345.6, 7.8)),
            "S[table-format=5.1(2),separate-uncertainty,table-align-uncertainty=false]",
        ),
        (((1.5, 0.012), (146.0, 19.0)), "S[table-format=3.3(5),separate-uncertainty,table-align-uncertainty=false]"),
        (((-3.5, 0.25),), "S[table-format=-1.2(3),separate-uncertainty,table-align-uncertainty=false]"),
        (((1234.0, None),), "S[table-format=4]"),
    ],
)
def test_column_reserves_the_digits_of_its_numbers(rows: tuple[tuple[float, float | None], ...], form: str) -> None:
    assert rf"\begin{{tabular}}{{@{{}}{form}@{{}}}}" in watts(*rows)


def test_table_of_an_article_has_equal_rows_and_notes_by_letter(make_result: Callable[..., Result]) -> None:
    table = arranged(results_table([make_result(), make_result(run_id="b_2", simulated=True)]))
    text = write(table, "tex").decode()
    body = text.split("\\midrule\n")[1].split("\n\\bottomrule")[0].splitlines()
    heads = text.split("\\toprule\n")[1].splitlines()[0]
    columns = heads.count("&")
    assert "{Perf/W}" in heads
    assert [len(re.findall(r"(?<!\\)&", line)) for line in body] == [columns] * 2
    assert body[1].startswith(r"as submitted\textsuperscript{a,b}")
    assert r"\textsuperscript{b}~simulated: a meter" in text
    assert r"\label{tab:wattmark-results}" in text
    assert "1101.3 +- 3.0" in text


def test_long_table_runs_over_pages(make_result: Callable[..., Result]) -> None:
    text = write(arranged(results_table([make_result(run_id=str(n)) for n in range(31)])), "tex").decode()
    assert text.startswith("% \\usepackage{array,booktabs,longtable,siunitx}\n")
    assert text.count(r"\begin{longtable}") == 1
    assert r"\begin{table}" not in text


@given(st.text())
def test_text_never_acts(text: str) -> None:
    """After the commands that we write are taken out, no character with a meaning in LaTeX is left."""
    written = escape(text)
    commands = (
        r"\\ensuremath\{(?:\\[A-Za-z]+|\\acute\{\\[a-z]+\}|\^\\circ|[_^]\{[\w+=()-]\}|-)\}",
        r"\\[A-Za-z]+\{\}",
        r"\\[`'^~=u.\"rHvdcb]\{(?:[A-Za-z]|\\[ij])\}",
        r"\{(?:U\+[0-9A-F]{4,6}|[\[\]*]|''|,,)\}",
        r"\\[{}$&%#_,-]",
        r"-\{\}",
    )
    rest = re.sub("|".join(commands), "", written)
    assert not set(rest) & set('\\{}$&%#_~^<>|"`[]*\n\r\x00')


def test_text_cells_cannot_open_a_command() -> None:
    table = Table("t", r"\input{x}", (Column("a", "A & B"),), ((r"50 % \write18{rm} $x$",), ("[2em]",)))
    text = write(table, "tex").decode()
    assert r"\caption{\textbackslash{}input\{x\}.}" in text
    assert r"50 \% \textbackslash{}write18\{rm\} \$x\$ \\" in text
    assert "\n{[}2em{]} \\\\\n" in text


def test_every_sign_becomes_ascii_and_none_vanishes() -> None:
    """All of the basic plane, and every 97th sign beyond it; surrogates are no signs."""
    codes = [*range(0x20, 0xD800), *range(0xE000, 0x10000), *range(0x10000, 0x110000, 97)]
    for code in codes:
        written = escape(f"a{chr(code)}b")
        assert written.isascii()
        assert written not in ("ab", "a{}b"), hex(code)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('8 x 2.5" SAS', "8 x 2.5{''} SAS"),
        ("Müller, Łódź", r"M\"{u}ller, \L{}\'{o}d\'{z}"),
        ("5 µs ±3 m² Ω", r"5 \ensuremath{\mu}s \ensuremath{\pm}3 m\ensuremath{^{2}} \ensuremath{\Omega}"),
        ("naïve x₂", r"na\"{\i}ve x\ensuremath{_{2}}"),
        ("a--b", "a-{}-b"),
        ("服务器", r"{U+670D}\allowbreak{}{U+52A1}\allowbreak{}{U+5668}\allowbreak{}"),
        ("🚀", r"{U+1F680}\allowbreak{}"),
        ("ﬁrst", "first"),
    ],
)
def test_signs_of_names(text: str, written: str) -> None:
    assert escape(text) == written


def test_a_comment_names_the_signs_that_fonts_lack() -> None:
    text = write(Table("t", "T", (Column("name", "Name"),), (("服 {U+670D}",), ("Ž",))), "tex").decode()
    assert text.count("% U+") == 1
    assert "% U+670D CJK UNIFIED IDEOGRAPH-670D\n" in text
