from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.json_output import JsonOutput
from wattmark.workloads.parsers.parsers import JsonParser, Reports, ResponsePattern, TextParser
from wattmark.workloads.parsers.text_output import TextOutput
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.trigger import OutputLine

At = Callable[[float], Mark]
Recorded = Callable[[str], list[OutputLine]]


def _text(mark_at: At, parser: TextParser, *, warm_up_s: float = 0, seconds: float = 3) -> TextOutput:
    return TextOutput(parser, started=mark_at(0), warm_up_s=warm_up_s, seconds=seconds)


def _tps(reports: Reports) -> TextParser:
    return TextParser(kind="regex", pattern=r"tps (?P<value>[-+\d.,naife]+)", reports=reports)


def _feed(output: TextOutput | JsonOutput, mark_at: At, rows: list[tuple[float, str]]) -> None:
    for second, text in rows:
        output.feed(OutputLine("stdout", text, mark_at(second)))


def test_a_rate_that_openssl_states_counts_between_its_marks(mark_at: At, recorded: Recorded) -> None:
    parser = TextParser(
        kind="regex", pattern=r"^\+F:\d+:sha256:(?P<value>[\d.]+)", begin=r"^\+DT:", end=r"^\+R:", reports="rate"
    )
    output = _text(mark_at, parser)
    for line in recorded("sha256_2_processes.txt"):
        output.feed(line)
    work = output.result(mark_at(1.010717924))
    assert work.stated_rate == 1739341824.00
    assert (work.begin.monotonic_ns, work.end.monotonic_ns) == (7_464_879, 1_007_560_400)
    assert work.intervals == ()


def test_a_total_that_dd_prints_counts_from_start_to_exit(mark_at: At, recorded: Recorded) -> None:
    output = _text(mark_at, TextParser(kind="regex", pattern=r"^(?P<value>\d+) bytes", reports="total"))
    for line in recorded("dd.txt"):
        output.feed(line)
    work = output.result(mark_at(0.044803083))
    assert [(i.begin_ns, i.end_ns, i.amount) for i in work.intervals] == [
        (mark_at(0).utc_ns, mark_at(0.044803083).utc_ns, 4194304000.0)
    ]


def test_intervals_begin_with_the_first_report_after_the_warm_up(mark_at: At) -> None:
    output = _text(mark_at, _tps("interval-rate"), warm_up_s=2, seconds=3)
    _feed(
        output, mark_at, [(1, "tps 1"), (2, "tps 100"), (3, "tps 200"), (4.5, "tps 300"), (5, "tps 400"), (6, "tps 9")]
    )
    assert output.began == mark_at(2)
    assert output.done
    work = output.result(mark_at(7))
    assert [(i.end_ns - mark_at(0).utc_ns) / 1e9 for i in work.intervals] == [3, 4.5, 5]
    assert [i.amount for i in work.intervals] == [200, 450, 200]
    assert (work.begin, work.end) == (mark_at(2), mark_at(5))
    assert work.gap_s == 0


def test_interval_amounts_are_taken_as_they_are(mark_at: At) -> None:
    output = _text(mark_at, _tps("interval-amount"), seconds=60)
    _feed(output, mark_at, [(1, "tps 5"), (2, "noise"), (3, "tps 0"), (4, "tps 7")])
    assert not output.done
    assert [i.amount for i in output.result(mark_at(5)).intervals] == [0, 7]


def test_a_begin_mark_that_never_comes_is_a_failure(mark_at: At) -> None:
    output = _text(mark_at, TextParser(kind="regex", pattern=r"(?P<value>\d+)", begin="^GO", reports="total"))
    _feed(output, mark_at, [(1, "100")])
    assert output.began is None
    with pytest.raises(WorkloadFailed, match="did not print the declared begin marker"):
        output.result(mark_at(2))


def _total(mark_at: At, rows: list[tuple[float, str]]) -> MarkedWork:
    output = _text(mark_at, _tps("total"))
    _feed(output, mark_at, rows)
    return output.result(mark_at(2))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "The parser found no throughput"),
        ([(1.0, "tps nan")], "reported nan, which is not an amount of work"),
        ([(1.0, "tps -3")], "reported -3, which is not an amount of work"),
        ([(1.0, "tps inf")], "reported inf"),
        ([(1.0, "tps 1.2.3")], "'1.2.3', which is not a number"),
        ([(1.0, "tps 0")], "reported no work"),
        ([(1.0, "tps 1e150")], r"reported 1e\+150, which is not an amount of work: it is above 1e\+30"),
        ([(1.0, "tps 1e-320")], "it is below 1e-30 and not 0"),
        ([(1.0, "tps 1234,56")], "'1234,56', whose comma does not separate groups of three digits.*LC_ALL=C"),
        ([(1.0, "tps 0,500")], "'0,500', whose comma does not separate groups of three digits"),
        ([(1.0, "tps 1.234,56")], "'1.234,56', whose comma does not separate groups of three digits"),
    ],
)
def test_what_is_no_throughput_is_a_failure(mark_at: At, rows: list[tuple[float, str]], message: str) -> None:
    with pytest.raises(WorkloadFailed, match=message):
        _total(mark_at, rows)


def test_one_interval_is_too_few(mark_at: At) -> None:
    output = _text(mark_at, _tps("interval-rate"))
    _feed(output, mark_at, [(1, "tps 5")])
    with pytest.raises(WorkloadFailed, match="reported 1 intervals after the warm-up; at least two"):
        output.result(mark_at(2))


def test_thousands_commas_and_the_last_number_count(mark_at: At) -> None:
    output = _text(mark_at, _tps("rate"))
    _feed(output, mark_at, [(1, "tps 5"), (2, "tps 1,234.5")])
    assert output.result(mark_at(3)).stated_rate == 1234.5


def test_numbers_that_are_amounts_only_before_they_are_computed_with_are_failures(mark_at: At) -> None:
    scaled = TextParser(kind="regex", pattern=r"tps (?P<value>\S+)", reports="total", scale=1e29)
    output = _text(mark_at, scaled)
    with pytest.raises(WorkloadFailed, match="reported 1000, which is not an amount of work: it is above"):
        _feed(output, mark_at, [(1, "tps 1000")])
    totals = _text(mark_at, _tps("interval-total"), seconds=60)
    _feed(totals, mark_at, [(1, "tps 1.0e-30"), (2, "tps 1.5e-30")])
    with pytest.raises(WorkloadFailed, match="comes to 5e-31, which is not an amount of work"):
        totals.result(mark_at(3))
    rates = _text(mark_at, _tps("interval-rate"), seconds=60)
    with pytest.raises(
        WorkloadFailed, match=r"reported 1.8e\+30 for one interval \(\"tps 9e29\"\), more than a program"
    ):
        _feed(rates, mark_at, [(1, "tps 9e29"), (3, "tps 9e29")])
    summed = _text(mark_at, TextParser(kind="regex", pattern=r"tps (?P<value>\S+)", reports="rate", combine="sum"))
    _feed(summed, mark_at, [(1, "tps 9e29"), (1, "tps 9e29")])
    with pytest.raises(WorkloadFailed, match=r"adds up to 1.8e\+30, which is above"):
        summed.result(mark_at(3))


@pytest.mark.parametrize("line", ['{"n": 1e400}', '{"n": NaN}', '{"n": -Infinity}', '{"n": 1e150}', '{"n": 1e-320}'])
def test_a_number_in_json_that_is_no_amount_is_a_failure_and_not_passed_over(mark_at: At, line: str) -> None:
    output = _json(mark_at, "/n", "interval-amount")
    _feed(output, mark_at, [(1, '{"n": 5}'), (2, '{"n": "5,5"}'), (3, '{"n": 5}')])
    with pytest.raises(WorkloadFailed, match=r"not finite|not an amount of work"):
        _feed(output, mark_at, [(4, line)])


def test_a_decimal_comma_in_a_response_time_is_a_failure_and_a_word_is_passed_over(mark_at: At) -> None:
    pattern = ResponsePattern(statistic="mean", pattern=r"took (?P<value>\S+)")
    output = _text(
        mark_at, TextParser(kind="regex", pattern=r"tps (?P<value>\S+)", reports="rate", response=(pattern,))
    )
    _feed(output, mark_at, [(1, "took n/a"), (1, "took 2.5")])
    with pytest.raises(WorkloadFailed, match="response time '2,5', whose comma"):
        _feed(output, mark_at, [(2, "took 2,5")])
    with pytest.raises(WorkloadFailed, match=r"response time of 1e40 ms, which is above"):
        _feed(output, mark_at, [(2, "took 1e40")])


def _json(mark_at: At, pointer: str, reports: Reports) -> JsonOutput:
    parser = JsonParser(kind="json", pointer=pointer, reports=reports)
    return JsonOutput(parser, started=mark_at(0), warm_up_s=0, seconds=60)


def test_a_json_pointer_finds_the_number(mark_at: At) -> None:
    output = _json(mark_at, "/jobs/1/read~1write/a~0b", "total")
    document = {"jobs": [{}, {"read/write": {"a~b": 42.5}}]}
    _feed(output, mark_at, [(1, line) for line in json.dumps(document, indent=1).splitlines()])
    assert [i.amount for i in output.result(mark_at(2)).intervals] == [42.5]


def test_json_lines_are_intervals_and_others_are_passed_over(mark_at: At) -> None:
    output = _json(mark_at, "/ops", "interval-amount")
    _feed(
        output,
        mark_at,
        [(1, '{"ops": 1}'), (2, "starting"), (3, '{"ops": 10}'), (4, '{"other": 1}'), (5, '{"ops": 20}')],
    )
    assert [i.amount for i in output.result(mark_at(6)).intervals] == [10, 20]


@pytest.mark.parametrize("document", ['{"ops": "12"}', '{"ops": true}', '{"ops": null}', "[1]"])
def test_json_without_the_number_is_a_failure(mark_at: At, document: str) -> None:
    output = _json(mark_at, "/ops", "total")
    _feed(output, mark_at, [(1, document)])
    with pytest.raises(WorkloadFailed, match="no number at /ops"):
        output.result(mark_at(2))


@pytest.mark.parametrize(("text", "quoted"), [("no json", "no json"), ("", "nothing"), ("[" * 9999, "[" * 200)])
def test_what_is_no_json_is_quoted(mark_at: At, text: str, quoted: str) -> None:
    output = _json(mark_at, "/ops", "total")
    _feed(output, mark_at, [(1, text)])
    with pytest.raises(WorkloadFailed, match=re.escape(f"printed no JSON document but: {quoted}.")):
        output.result(mark_at(2))


def test_an_interval_beyond_all_others_fails_the_run_and_is_quoted(mark_at: At) -> None:
    """A counter that wrapped at a checkpoint, as sysbench printed it: 18446842801212211200 events in a second."""
    wrapped = "tps 18446842801212211200.00"
    for position in range(2, 9):
        lines = [(t, wrapped if t == position else "tps 1900.00") for t in range(1, 9)]
        with pytest.raises(WorkloadFailed, match=re.escape(f'("{wrapped}")')):
            _feed(_text(mark_at, _tps("interval-rate"), seconds=60), mark_at, lines)
    output = _text(mark_at, _tps("interval-rate"), seconds=60)
    _feed(output, mark_at, [(t, "tps 2000000" if t == 5 else "tps 1900.00") for t in range(1, 9)])
    with pytest.raises(WorkloadFailed, match=r'\("tps 2000000"\), where the others have 1900'):
        output.result(mark_at(9))
    output = _text(mark_at, _tps("interval-rate"), seconds=60)
    _feed(output, mark_at, [(t, "tps 100000" if t == 5 else "tps 1900.00") for t in range(1, 9)])
    assert output.result(mark_at(9)).duration_s == 7, "a burst of 50 times the usual is work"


def test_endless_json_is_stopped(mark_at: At) -> None:
    output = _json(mark_at, "/ops", "total")
    with pytest.raises(WorkloadFailed, match="more than 4000000 characters"):
        _feed(output, mark_at, [(1, "x" * 8000)] * 501)


@settings(deadline=None)
@given(
    st.sampled_from(["total", "rate", "interval-amount", "interval-rate"]),
    st.lists(st.tuples(st.floats(0, 9), st.text(max_size=12) | st.from_regex(r"tps -?\d{1,4}(\.\d)?")), max_size=9),
)
def test_any_output_is_work_or_a_failure(mark_at: At, reports: Reports, rows: list[tuple[float, str]]) -> None:
    output = _text(mark_at, _tps(reports))
    try:
        _feed(output, mark_at, sorted(rows))
        work = output.result(mark_at(10))
    except WorkloadFailed:
        return
    assert work.duration_s > 0
    assert (work.stated_rate or 0) + sum(interval.amount for interval in work.intervals) > 0


@settings(deadline=None)
@given(st.sampled_from(["total", "interval-amount"]), st.lists(st.text(max_size=20), max_size=6))
def test_any_text_is_json_or_a_failure(mark_at: At, reports: Reports, texts: list[str]) -> None:
    output = _json(mark_at, "/0", reports)
    try:
        _feed(output, mark_at, list(enumerate(texts, 1)))
        assert output.result(mark_at(9)).duration_s > 0
    except WorkloadFailed:
        return


@pytest.mark.parametrize(
    ("pattern", "refused"),
    [
        (r"Bytes\s+(?P<value>[\d.]+) [KMG]bits/sec", "changed the unit of its reports from Mbits to Gbits"),
        (r"Bytes\s+(?P<value>[\d.]+) Mbits/sec", "does not find a report that is in another unit"),
    ],
)
def test_reports_whose_unit_follows_their_size_fail(pattern: str, refused: str, mark_at: At) -> None:
    """Lines of iperf3 near 1 Gbit/s."""
    output = _text(mark_at, TextParser(kind="regex", pattern=pattern, reports="interval-rate"), seconds=9)
    _feed(output, mark_at, [(1, "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    0    3.02 MBytes")])
    with pytest.raises(WorkloadFailed, match=refused):
        _feed(output, mark_at, [(2, "[  5]   1.00-2.00   sec   120 MBytes   1.01 Gbits/sec    0    3.02 MBytes")])


def test_other_columns_may_change_their_unit(mark_at: At) -> None:
    pattern = r"Bytes\s+(?P<value>[\d.]+) Mbits/sec"
    output = _text(mark_at, TextParser(kind="regex", pattern=pattern, reports="interval-rate"), seconds=2)
    rows = [
        (n, f"[ 5] {n - 1}.00-{n}.00 sec {amount}Bytes 941 Mbits/sec") for n, amount in ((1, "998 K"), (2, "1.2 M"))
    ]
    _feed(output, mark_at, [*rows, (3, "[ 5] 2.00-3.00 sec 112 MBytes 941 Mbits/sec")])
    assert output.result(mark_at(3)).duration_s == 2


def _one_line(mark_at: At, line: str, unit: str, reports: Reports, scale: float = 1.0) -> MarkedWork:
    parser = TextParser(kind="regex", pattern=r"Throughput: (?P<value>[\d.]+)", reports=reports, scale=scale)
    output = TextOutput(parser, started=mark_at(0), warm_up_s=0, seconds=10, unit=unit)
    _feed(output, mark_at, [(1, line)])
    return output.result(mark_at(10))


@pytest.mark.parametrize(
    ("behind", "unit", "reports", "named"),
    [
        ("1.2 Mops/s", "ops", "rate", "written in Mops, and the workload counts ops"),
        ("1.2 M ops/s", "ops", "rate", "written in M ops"),
        ("850.5 Kreq/s", "requests", "rate", "written in Kreq"),
        ("1.2 million operations/s", "operations", "rate", "written in million operations"),
        ("940 Mbits/sec", "MB", "rate", "written in Mbits"),
        ("12.5 GB/s", "MB", "rate", "written in GB"),
        ("12.5 MiB/s", "bytes", "rate", "written in MiB"),
        ("12.5 MiB/s", "MB", "rate", "written in MiB"),
        ("12.5 GFLOPS", "flop", "rate", "written in GFLOPS"),
        ("1234.5 ops/ms", "ops", "rate", "written in ops/ms, and work per second is read"),
        ("1234.567 ± 12.345  ops/ms", "ops", "rate", "written in ops/ms"),  # JMH
        ("45.678 ns/day", "ns", "rate", "written in ns/day"),  # LAMMPS
        ("5400 jobs per hour", "jobs", "rate", "written in jobs per hour"),
        ("12.5 ms/op", "ops", "rate", "written in ms/op, which is a time"),
        ("12.5 seconds", "ops", "total", "written in seconds, which is a time"),
        ("1234.5 requests per second", "requests", "total", "a total is read"),
    ],
)
def test_a_number_that_is_written_in_another_unit_is_refused(
    behind: str, unit: str, reports: Reports, named: str, mark_at: At
) -> None:
    with pytest.raises(WorkloadFailed, match=named):
        _one_line(mark_at, f"Throughput: {behind}", unit, reports)
    assert _one_line(mark_at, f"Throughput: {behind}", unit, reports, scale=2.0)  # who sets it knows the unit


@pytest.mark.parametrize(
    ("behind", "unit", "reports"),
    [
        ("1234.5 ops/s", "ops", "rate"),
        ("1234.5 operations/sec", "ops", "rate"),
        ("12.5 Mops/s", "Mops", "rate"),
        ("1234.567 ± 12.345  ops/s", "ops", "rate"),
        ("12.5 GFLOPS", "Gflop", "rate"),
        ("12.5 kB/s", "KB", "rate"),
        ("12.5 MB/s", "MiB", "rate"),  # many programs call MiB so
        ("12.5 Messages/s", "messages", "rate"),
        ("12.5 4k reads/s", "reads", "rate"),
        ("1234 min 1000 max 2000", "ops", "rate"),
        ("1234 total over 5 s", "ops", "total"),
        ("1234 ops (123.4 ops/s)", "ops", "total"),
        ("1234 transactions (123.4 per sec.)", "transactions", "total"),
        ("4321 kernels", "kernels", "total"),
        ("12.5 ns", "ns", "total"),
        ("1234.5, latency 3 ms", "ops", "rate"),
        ("1234.5 95% 3 ms", "ops", "rate"),
    ],
)
def test_a_number_that_is_written_in_the_unit_of_the_workload_is_read(
    behind: str, unit: str, reports: Reports, mark_at: At
) -> None:
    work = _one_line(mark_at, f"Throughput: {behind}", unit, reports)
    stated = work.stated_rate if reports == "rate" else sum(item.amount for item in work.intervals)
    assert stated == float(behind.split()[0].rstrip(","))


@pytest.mark.parametrize(("line", "refused"), [("lat 1.5 s", True), ("lat 900 us", True), ("lat 1.5 ms", False)])
def test_a_response_time_in_another_unit_is_refused(line: str, refused: bool, mark_at: At) -> None:
    response = ResponsePattern(statistic="mean", pattern=r"lat (?P<value>[\d.]+)")
    parser = TextParser(kind="regex", pattern=r"tps (?P<value>\d+)", reports="rate", response=(response,))
    output = _text(mark_at, parser)
    if refused:
        with pytest.raises(WorkloadFailed, match="and the parser reads it in ms"):
            _feed(output, mark_at, [(1, line)])
        return
    _feed(output, mark_at, [(1, line), (2, "tps 5")])
    assert output.result(mark_at(3)).response[0].value_s == 0.0015


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        (r"rate (?P<value>[\d.]+) ?\w?req/s", ["rate 990.5 kreq/s", "rate 1.02 Mreq/s"]),
        (r"rate (?P<value>[\d.]+) k req/s", ["rate 990.5 k req/s", "rate 1.02 M req/s"]),
        (r"rate (?P<value>[\d.]+) ?[kM]?pps", ["rate 990.5 kpps", "rate 14.88 Mpps"]),
        (r"Speed: +(?P<value>[\d.]+) .?H/s", ["Speed:  990.5 kH/s", "Speed:  1.02 MH/s"]),  # hashcat
        (r"rate (?P<value>[\d.]+) tokens/s", ["rate 990.5 tokens/s", "rate 1.02 ktokens/s"]),
    ],
)
def test_reports_of_any_work_whose_unit_follows_their_size_fail(pattern: str, lines: list[str], mark_at: At) -> None:
    output = _text(mark_at, TextParser(kind="regex", pattern=pattern, reports="interval-rate"), seconds=9)
    _feed(output, mark_at, [(1, lines[0])])
    with pytest.raises(WorkloadFailed, match="unit"):
        _feed(output, mark_at, [(2, lines[1])])


def test_reports_in_one_unit_are_read_beside_counts_of_other_size(mark_at: At) -> None:
    pattern = r"rate (?P<value>[\d.]+) req/s"
    output = _text(mark_at, TextParser(kind="regex", pattern=pattern, reports="interval-rate"), seconds=2)
    _feed(output, mark_at, [(1, "rate 990 req/s, 990 requests"), (2, "rate 980 req/s, 1.9 k requests")])
    _feed(output, mark_at, [(3, "rate 985 req/s, 2.9 k requests")])
    assert output.result(mark_at(3)).duration_s == 2


@pytest.mark.parametrize(
    ("document", "refused"),
    [
        ('{"rate": {"value": 1.2, "unit": "Mops/s"}}', "is written in Mops"),
        ('{"rate": {"value": 1.2, "units": "ops/ms"}}', "is written in ops/ms"),
        ('{"rate": {"value": 1.2, "unit": "ops/s"}}', ""),
        ('{"rate": {"value": 1.2, "unit": 3}}', ""),
        ('{"rate": {"value": 1.2, "p99": 3.5, "unit": "ms"}}', ""),  # that of the other number, maybe
    ],
)
def test_a_unit_beside_a_number_in_json_is_that_of_the_workload(mark_at: At, document: str, refused: str) -> None:
    parser = JsonParser(kind="json", pointer="/rate/value", reports="rate")
    output = JsonOutput(parser, started=mark_at(0), warm_up_s=0, seconds=60, unit="ops")
    _feed(output, mark_at, [(1, document)])
    if refused:
        with pytest.raises(WorkloadFailed, match=refused):
            output.result(mark_at(10))
        return
    assert output.result(mark_at(10)).stated_rate == 1.2
