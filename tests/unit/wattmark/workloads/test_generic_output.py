from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.workloads.json_output import JsonOutput
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers import JsonParser, Reports, ResponsePattern, TextParser
from wattmark.workloads.text_output import TextOutput
from wattmark.workloads.trigger import Line, WorkloadFailed
from wattmark.workloads.work import Work

At = Callable[[float], Mark]
Recorded = Callable[[str], list[Line]]


def _text(at: At, parser: TextParser, *, warm_up_s: float = 0, seconds: float = 3) -> TextOutput:
    return TextOutput(parser, started=at(0), warm_up_s=warm_up_s, seconds=seconds)


def _tps(reports: Reports) -> TextParser:
    return TextParser(kind="regex", pattern=r"tps (?P<value>[-+\d.,naife]+)", reports=reports)


def _feed(output: TextOutput | JsonOutput, at: At, rows: list[tuple[float, str]]) -> None:
    for second, text in rows:
        output.feed(Line("stdout", text, at(second)))


def test_a_rate_that_openssl_states_counts_between_its_marks(at: At, recorded: Recorded) -> None:
    parser = TextParser(
        kind="regex", pattern=r"^\+F:\d+:sha256:(?P<value>[\d.]+)", begin=r"^\+DT:", end=r"^\+R:", reports="rate"
    )
    output = _text(at, parser)
    for line in recorded("sha256_2_processes.txt"):
        output.feed(line)
    work = output.result(at(1.010717924))
    assert work.stated_rate == 1739341824.00
    assert (work.begin.monotonic_ns, work.end.monotonic_ns) == (7_464_879, 1_007_560_400)
    assert work.intervals == ()


def test_a_total_that_dd_prints_counts_from_start_to_exit(at: At, recorded: Recorded) -> None:
    output = _text(at, TextParser(kind="regex", pattern=r"^(?P<value>\d+) bytes", reports="total"))
    for line in recorded("dd.txt"):
        output.feed(line)
    work = output.result(at(0.044803083))
    assert [(i.begin_ns, i.end_ns, i.amount) for i in work.intervals] == [
        (at(0).utc_ns, at(0.044803083).utc_ns, 4194304000.0)
    ]


def test_intervals_begin_with_the_first_report_after_the_warm_up(at: At) -> None:
    output = _text(at, _tps("interval-rate"), warm_up_s=2, seconds=3)
    _feed(output, at, [(1, "tps 1"), (2, "tps 100"), (3, "tps 200"), (4.5, "tps 300"), (5, "tps 400"), (6, "tps 9")])
    assert output.began == at(2)
    assert output.done
    work = output.result(at(7))
    assert [(i.end_ns - at(0).utc_ns) / 1e9 for i in work.intervals] == [3, 4.5, 5]
    assert [i.amount for i in work.intervals] == [200, 450, 200]
    assert (work.begin, work.end) == (at(2), at(5))
    assert work.gap_s == 0


def test_interval_amounts_are_taken_as_they_are(at: At) -> None:
    output = _text(at, _tps("interval-amount"), seconds=60)
    _feed(output, at, [(1, "tps 5"), (2, "noise"), (3, "tps 0"), (4, "tps 7")])
    assert not output.done
    assert [i.amount for i in output.result(at(5)).intervals] == [0, 7]


def test_a_begin_mark_that_never_comes_is_a_failure(at: At) -> None:
    output = _text(at, TextParser(kind="regex", pattern=r"(?P<value>\d+)", begin="^GO", reports="total"))
    _feed(output, at, [(1, "100")])
    assert output.began is None
    with pytest.raises(WorkloadFailed, match="never printed the declared begin mark"):
        output.result(at(2))


def _total(at: At, rows: list[tuple[float, str]]) -> Work:
    output = _text(at, _tps("total"))
    _feed(output, at, rows)
    return output.result(at(2))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "printed no throughput that the parser finds"),
        ([(1.0, "tps nan")], "reported nan, which is no amount of work"),
        ([(1.0, "tps -3")], "reported -3, which is no amount of work"),
        ([(1.0, "tps inf")], "reported inf"),
        ([(1.0, "tps 1.2.3")], "'1.2.3', which is no number"),
        ([(1.0, "tps 0")], "reported no work"),
        ([(1.0, "tps 1e150")], r"reported 1e\+150, which is no amount of work: it is above 1e\+30"),
        ([(1.0, "tps 1e-320")], "it is below 1e-30 and not 0"),
        ([(1.0, "tps 1234,56")], "'1234,56', whose comma does not group thousands.*LC_ALL=C"),
        ([(1.0, "tps 0,500")], "'0,500', whose comma does not group thousands"),
        ([(1.0, "tps 1.234,56")], "'1.234,56', whose comma does not group thousands"),
    ],
)
def test_what_is_no_throughput_is_a_failure(at: At, rows: list[tuple[float, str]], message: str) -> None:
    with pytest.raises(WorkloadFailed, match=message):
        _total(at, rows)


def test_one_interval_is_too_few(at: At) -> None:
    output = _text(at, _tps("interval-rate"))
    _feed(output, at, [(1, "tps 5")])
    with pytest.raises(WorkloadFailed, match="reported 1 intervals after the warm-up; two at least"):
        output.result(at(2))


def test_thousands_commas_and_the_last_number_count(at: At) -> None:
    output = _text(at, _tps("rate"))
    _feed(output, at, [(1, "tps 5"), (2, "tps 1,234.5")])
    assert output.result(at(3)).stated_rate == 1234.5


def test_numbers_that_are_amounts_only_before_they_are_computed_with_are_failures(at: At) -> None:
    scaled = TextParser(kind="regex", pattern=r"tps (?P<value>\S+)", reports="total", scale=1e29)
    output = _text(at, scaled)
    with pytest.raises(WorkloadFailed, match="reported 1000, which is no amount of work: it is above"):
        _feed(output, at, [(1, "tps 1000")])
    totals = _text(at, _tps("interval-total"), seconds=60)
    _feed(totals, at, [(1, "tps 1.0e-30"), (2, "tps 1.5e-30")])
    with pytest.raises(WorkloadFailed, match="comes to 5e-31, which is no amount of work"):
        totals.result(at(3))
    rates = _text(at, _tps("interval-rate"), seconds=60)
    _feed(rates, at, [(1, "tps 9e29"), (3, "tps 9e29")])
    with pytest.raises(WorkloadFailed, match=r"comes to 1.8e\+30, which is no amount of work"):
        rates.result(at(3))
    summed = _text(at, TextParser(kind="regex", pattern=r"tps (?P<value>\S+)", reports="rate", combine="sum"))
    _feed(summed, at, [(1, "tps 9e29"), (1, "tps 9e29")])
    with pytest.raises(WorkloadFailed, match=r"comes to 1.8e\+30 in all, which is above"):
        summed.result(at(3))


@pytest.mark.parametrize("line", ['{"n": 1e400}', '{"n": NaN}', '{"n": -Infinity}', '{"n": 1e150}', '{"n": 1e-320}'])
def test_a_number_in_json_that_is_no_amount_is_a_failure_and_not_passed_over(at: At, line: str) -> None:
    output = _json(at, "/n", "interval-amount")
    _feed(output, at, [(1, '{"n": 5}'), (2, '{"n": "5,5"}'), (3, '{"n": 5}')])
    with pytest.raises(WorkloadFailed, match=r"not finite|no amount of work"):
        _feed(output, at, [(4, line)])


def test_a_decimal_comma_in_a_response_time_is_a_failure_and_a_word_is_passed_over(at: At) -> None:
    pattern = ResponsePattern(statistic="mean", pattern=r"took (?P<value>\S+)")
    output = _text(at, TextParser(kind="regex", pattern=r"tps (?P<value>\S+)", reports="rate", response=(pattern,)))
    _feed(output, at, [(1, "took n/a"), (1, "took 2.5")])
    with pytest.raises(WorkloadFailed, match="response time '2,5', whose comma"):
        _feed(output, at, [(2, "took 2,5")])
    with pytest.raises(WorkloadFailed, match=r"response time of 1e40 ms, which is above"):
        _feed(output, at, [(2, "took 1e40")])


def _json(at: At, pointer: str, reports: Reports) -> JsonOutput:
    parser = JsonParser(kind="json", pointer=pointer, reports=reports)
    return JsonOutput(parser, started=at(0), warm_up_s=0, seconds=60)


def test_a_json_pointer_finds_the_number(at: At) -> None:
    output = _json(at, "/jobs/1/read~1write/a~0b", "total")
    document = {"jobs": [{}, {"read/write": {"a~b": 42.5}}]}
    _feed(output, at, [(1, line) for line in json.dumps(document, indent=1).splitlines()])
    assert [i.amount for i in output.result(at(2)).intervals] == [42.5]


def test_json_lines_are_intervals_and_others_are_passed_over(at: At) -> None:
    output = _json(at, "/ops", "interval-amount")
    _feed(output, at, [(1, '{"ops": 1}'), (2, "starting"), (3, '{"ops": 10}'), (4, '{"other": 1}'), (5, '{"ops": 20}')])
    assert [i.amount for i in output.result(at(6)).intervals] == [10, 20]


@pytest.mark.parametrize(
    "document", ['{"ops": "12"}', '{"ops": true}', '{"ops": null}', "[1]", "no json", "", "[" * 9999]
)
def test_json_without_the_number_is_a_failure(at: At, document: str) -> None:
    output = _json(at, "/ops", "total")
    _feed(output, at, [(1, document)])
    with pytest.raises(WorkloadFailed, match="no number at /ops"):
        output.result(at(2))


def test_endless_json_is_stopped(at: At) -> None:
    output = _json(at, "/ops", "total")
    with pytest.raises(WorkloadFailed, match="more than 4000000 characters"):
        _feed(output, at, [(1, "x" * 8000)] * 501)


@settings(deadline=None)
@given(
    st.sampled_from(["total", "rate", "interval-amount", "interval-rate"]),
    st.lists(st.tuples(st.floats(0, 9), st.text(max_size=12) | st.from_regex(r"tps -?\d{1,4}(\.\d)?")), max_size=9),
)
def test_any_output_is_work_or_a_failure(at: At, reports: Reports, rows: list[tuple[float, str]]) -> None:
    output = _text(at, _tps(reports))
    try:
        _feed(output, at, sorted(rows))
        work = output.result(at(10))
    except WorkloadFailed:
        return
    assert work.duration_s > 0
    assert (work.stated_rate or 0) + sum(interval.amount for interval in work.intervals) > 0


@settings(deadline=None)
@given(st.sampled_from(["total", "interval-amount"]), st.lists(st.text(max_size=20), max_size=6))
def test_any_text_is_json_or_a_failure(at: At, reports: Reports, texts: list[str]) -> None:
    output = _json(at, "/0", reports)
    try:
        _feed(output, at, list(enumerate(texts, 1)))
        assert output.result(at(9)).duration_s > 0
    except WorkloadFailed:
        return
