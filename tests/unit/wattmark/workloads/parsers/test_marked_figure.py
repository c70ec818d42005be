"""A parser that is made from a marked number: real output of the programs, their own figures, hostile markings."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.parsers.marked_figure import Marking, marked_parser, printed_lines, read_output
from wattmark.workloads.parsers.parsers import TextParser

RECORDED = Path(__file__).parents[1] / "recorded"
SHIPPED = {
    "web.ab": "ab.out",
    "web.wrk": "wrk.out",
    "sql.pgbench-read-only": "pgbench.out",
    "sysbench.cpu": "sysbench_cpu.out",
    "sysbench.memory": "sysbench_memory.out",
    "dbench": "dbench.out",
}
"""Workloads whose pattern was written by hand, and what their programs print."""


def place(lines: list[str], text: str, number: str) -> Marking:
    """Mark a number in the first line with a text."""
    line = next(index for index, each in enumerate(lines) if text in each)
    begin = lines[line].index(number)
    return Marking(line, begin, begin + len(number))


def text_parser(workload: str) -> TextParser:
    parser = load_catalogue()[workload].parser
    assert isinstance(parser, TextParser)
    return parser


@pytest.mark.parametrize("workload", [name for name in SHIPPED if name in load_catalogue()])
def test_the_marked_figure_is_found_where_the_shipped_pattern_finds_it(workload: str) -> None:
    shipped = text_parser(workload)
    lines = printed_lines((RECORDED / SHIPPED[workload]).read_text("utf-8"))
    spans = [(n, *match.span("value")) for n, line in enumerate(lines) if (match := re.search(shipped.pattern, line))]
    assert spans
    made = marked_parser(lines, Marking(*spans[-1]), (), shipped.reports)
    read = read_output(made, load_catalogue()[workload].unit, lines)
    assert [(each.line, each.begin, each.end) for each in read.lines] == spans
    assert [each.value for each in read.lines] == [float(lines[n][begin:end]) for n, begin, end in spans]


AB = [
    "Complete requests:      1000",
    "Failed requests:        0",
    "Requests per second:    5417.20 [#/sec] (mean)",
]


def test_a_marked_count_of_errors_must_be_0() -> None:
    parser = marked_parser(AB, place(AB, "per second", "5417.20"), [place(AB, "Failed", "0")], "rate")
    assert read_output(parser, "requests", AB).failure is None
    for count, fails in (("0", False), ("00", False), ("0.00", False), ("7", True), ("10", True), ("0.01", True)):
        lines = [AB[0], f"Failed requests:        {count}", AB[2]]
        failure = read_output(parser, "requests", lines).failure
        assert (failure is not None) is fails, count
        assert failure is None or f"Failed requests:        {count}" in str(failure)


def test_a_marked_text_must_not_appear() -> None:
    lines = ["WARNING: 3 sockets (of 8) failed", "12.5 ops/s"]
    parser = marked_parser(lines, Marking(1, 0, 4), [Marking(0, 0, 7)], "rate")
    assert parser.fails_on == "WARNING"
    assert read_output(parser, "ops", lines).failure is not None
    assert read_output(parser, "ops", lines[1:]).failure is None


def test_other_numbers_and_other_white_space_in_the_line_are_the_same_line() -> None:
    lines = ["[ 5s ] thds: 4 tps: 123.4 qps: 1975.2", "[ 105s ] thds: 16  tps: 23.4 qps: 375.2"]
    parser = marked_parser(lines, place(lines, "5s", "123.4"), (), "interval-rate")
    assert [each.value for each in read_output(parser, "transactions", lines).lines] == [123.4, 23.4]


def test_a_number_without_words_before_it_is_told_by_those_behind() -> None:
    lines = ["3 warnings", "   1234 operations done", "99 files"]
    parser = marked_parser(lines, Marking(1, 3, 7), (), "total")
    assert [(each.line, each.value) for each in read_output(parser, "operations", lines).lines] == [(1, 1234.0)]


@pytest.mark.parametrize(
    ("line", "unit", "words"),
    [
        ("rate: 1.2 Mops/s", "ops", "Mops"),
        ("rate: 850 ops/ms", "ops", "ops/ms"),
        ("rate: 1234,56 ops/s", "ops", "comma"),
        ("rate: 65.4k", "ops", "has a unit that the pattern does not name"),
    ],
)
def test_what_a_run_refuses_is_refused_here(line: str, unit: str, words: str) -> None:
    number = re.search(r"\d[\d.]*", line)
    assert number is not None
    usual = ["rate: 10.5 ops/s", line]
    parser = marked_parser(usual, Marking(0, 6, 10), (), "rate")
    assert words in str(read_output(parser, unit, usual).failure)


@pytest.mark.parametrize(
    ("line", "begin", "end", "words"),
    [
        ("rate: 1234.5 ops/s", 7, 10, "goes on beside"),
        ("rate: 1234.5 ops/s", 6, 10, "goes on beside"),
        ("rate: 1234.5 ops/s", 0, 4, "is no number"),
        ("rate: -5 ops/s", 6, 8, "no amount of work"),
        ("rate: 0,5 ops/s", 6, 9, "is no number"),
        ("rate: 5 ops/s", 5, 6, "Nothing is marked in line 1"),
        ("rate: 5 ops/s", 40, 50, "Nothing is marked in line 1"),
        ("rate: nan", 6, 9, "no amount of work"),
    ],
)
def test_a_marking_that_is_no_number_is_refused(line: str, begin: int, end: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        marked_parser([line], Marking(0, begin, end), (), "rate")
    with pytest.raises(InputError, match="Nothing is marked in line 10"):
        marked_parser([line], Marking(9, begin, end), (), "rate")


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=40), st.integers(0, 10**6))
def test_any_words_before_a_number_lead_to_it(words: str, number: int) -> None:
    line = f"{words} = {number}"
    lines = printed_lines(line)
    if len(lines) != 1 or lines[0] != line:
        return
    parser = marked_parser(lines, Marking(0, len(words) + 3, len(line)), (), "total")
    assert [each.value for each in read_output(parser, "ops", lines).lines] == [float(number)]


def test_no_output_makes_a_pattern_slow() -> None:
    """Each piece is fixed text, white space or digits: a line is decided in one pass."""
    hostile = ["1 " * 150 + "a 5 ops/s", "a" * 3000 + " " * 4000 + "5", "1,1" * 2600 + " 5", "a1" * 200 + " 5"]
    begun = time.process_time()
    for line in hostile:
        parser = marked_parser([line], place([line], "5", "5"), (), "total")
        near = [line[:-1] + "x", *(line[:cut] + "!" for cut in range(0, len(line), 500))]
        read_output(parser, "ops", [line, *near])
    assert time.process_time() - begun < 5
    with pytest.raises(InputError, match="too long"):
        marked_parser(["1 " * 2000 + "a 5"], Marking(0, 4002, 4003), (), "total")
