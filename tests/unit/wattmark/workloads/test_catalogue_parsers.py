"""Each program's real output, read by the declaration that ships; expected values stand in the same output."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.catalogue import list_workloads, load_catalogue
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.parsing import parser_for
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.trigger import OutputLine

from tests.examples import examples

SYSBENCH_OLTP = (
    "[ 5s ] thds: 4 tps: 123.4 qps: 1975.2 (r/w/o: 1728.3/0.00/246.9) lat (ms,95%): 38.25 "
    "err/s: {errors} reconn/s: {reconnects}"
)
RECORDED = Path(__file__).parent / "recorded"
AT = re.compile(r"^\[ (\d+)s \]|^progress: ([\d.]+) s|execute\s+(\d+) sec")
At = Callable[[float], Mark]


def output(name: str, mark_at: At) -> list[OutputLine]:
    """The printed lines; a reported second is the instant of its line, without any a line comes each 0.1 s."""
    texts = (RECORDED / name).read_text("utf-8").splitlines()[2:]
    seconds = [_second(text) for text in texts]
    lines, second = [], 0.0
    for n, text in enumerate(texts):
        second = seconds[n] or (second if any(seconds) else 0.1 * n)
        lines.append(OutputLine("stdout", text, mark_at(second)))
    return lines


def _second(text: str) -> float | None:
    match = AT.search(text)
    return next(float(group) for group in match.groups() if group) if match else None


def parse(workload: str, name: str, mark_at: At, *, ended: float, seconds: float = 60.0) -> MarkedWork:
    declaration = load_catalogue()[workload].model_copy(update={"warm_up_s": 0.0})
    parser = parser_for(declaration, level=2, seconds=seconds, started=mark_at(0.0))
    for line in output(name, mark_at):
        parser.feed(line)
    return parser.result(mark_at(ended))


def rate(work: MarkedWork) -> float:
    if work.stated_rate is not None:
        return work.stated_rate
    return sum(item.amount for item in work.intervals) / work.duration_s


@pytest.mark.parametrize(
    ("workload", "name", "ended", "expected"),
    [
        ("dbench", "dbench.out", 5, 381.223),
        ("tbench", "tbench.out", 5, 904.006),
        ("web.wrk", "wrk.out", 3.1, 65662.45),
        ("web.ab", "ab.out", 3, 11147.51),
        ("web.by-rate", "httperf.out", 6, 6000 / 6),
        ("stress-ng.stream", "stress_stream.out", 12, 5515.73 + 5427.91),
        ("bonnie.write", "bonnie.out", 60, 302866),
        ("bonnie.rewrite", "bonnie.out", 60, 1091937),
        ("bonnie.read", "bonnie.out", 60, 3402515),
        ("7zip", "7zz.out", 60, 4232),
    ],
)
def test_the_total_is_what_the_program_states(
    workload: str, name: str, ended: float, expected: float, mark_at: At
) -> None:
    assert rate(parse(workload, name, mark_at, ended=ended)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("workload", "name", "rates"),
    [
        ("sysbench.oltp-read-only-mysql", "sysbench_my.out", [26832.96, 29814.92]),
        ("sysbench.oltp-read-only-pgsql", "sysbench_pg.out", [26452.79, 27252.78, 29525.25]),
        ("pgbench.select-only", "pgbench.out", [20491.8, 16918.4, 19546.8]),
        ("order-entry.pgsql", "pgbench.out", [20491.8, 16918.4, 19546.8]),
    ],
)
def test_every_report_after_the_first_is_an_interval(workload: str, name: str, rates: list[float], mark_at: At) -> None:
    work = parse(workload, name, mark_at, ended=99)
    throughput = [item.amount / ((item.end_ns - item.begin_ns) / 1e9) for item in work.intervals]
    assert throughput == pytest.approx(rates, rel=1e-9)


@pytest.mark.parametrize(
    ("workload", "name"), [("sysbench.cpu", "sysbench_cpu.out"), ("sysbench.memory-write", "sysbench_memory.out")]
)
def test_intervals_agree_with_the_programs_own_mean(workload: str, name: str, mark_at: At) -> None:
    text = (RECORDED / name).read_text("utf-8")
    stated = re.search(r"events per second:\s+([\d.]+)|\(([\d.]+) MiB/sec\)", text)
    assert stated is not None
    assert rate(parse(workload, name, mark_at, ended=99)) == pytest.approx(float(stated[1] or stated[2]), rel=0.15)


def test_fio_gives_operations_and_response_times_of_its_json(mark_at: At) -> None:
    work = parse("fio.randread", "fio.out", mark_at, ended=2)
    document = (RECORDED / "fio.out").read_text("utf-8")
    (iops,) = re.findall(r'"iops" : ([\d.]+),', document)[:1]
    assert work.stated_rate == pytest.approx(float(iops))
    assert {item.statistic for item in work.response} == {"mean", "p99"}
    assert all(1e-6 < item.value_s < 1 for item in work.response)


@pytest.mark.parametrize(
    ("workload", "name", "expected"),
    [
        ("web.wrk", "wrk.out", {"median": 111e-6, "p99": 250e-6}),
        ("web.by-rate", "httperf.out", {"mean": 0.1e-3}),
        ("web.ab", "ab.out", {"mean": 0.718e-3, "median": 1e-3, "p95": 2e-3, "p99": 4e-3}),
        ("dbench", "dbench.out", {"max": 9.293e-3}),
    ],
)
def test_response_times_of_the_whole_run(workload: str, name: str, expected: dict[str, float], mark_at: At) -> None:
    work = parse(workload, name, mark_at, ended=6)
    assert {item.statistic: item.value_s for item in work.response} == pytest.approx(expected)


def test_products_on_a_gpu_are_counted_second_by_second(mark_at: At) -> None:
    """As gpu_matmul.py prints them: 16 products of 8192 rows are 16 x 2 x 8192^3 operations."""
    declaration = load_catalogue()["gpu.matmul"].model_copy(update={"warm_up_s": 0.0})
    parser = parser_for(declaration, level=8192, seconds=2, started=mark_at(0))
    gigaflop = 16 * 2 * 8192**3 / 1e9
    for second in range(1, 4):
        parser.feed(OutputLine("stdout", f"work {gigaflop * second:.3f} in second {second}", mark_at(second)))
    work = parser.result(mark_at(4))
    assert [item.amount for item in work.intervals] == pytest.approx([2 * gigaflop, 3 * gigaflop], abs=1e-3)


def test_response_times_of_the_intervals_that_count(mark_at: At) -> None:
    work = parse("pgbench.select-only", "pgbench.out", mark_at, ended=99)
    assert [item.value_s for item in work.response] == pytest.approx([0.192e-3, 0.233e-3, 0.202e-3])


@pytest.mark.parametrize(
    ("workload", "line"),
    [
        ("web.wrk", "  Non-2xx or 3xx responses: 12"),
        ("web.wrk", "unable to connect to 127.0.0.1:8080 Connection refused"),
        ("web.wrk", "  Socket errors: connect 0, read 90038, write 287067, timeout 634"),
        ("web.wrk", "  Socket errors: connect 0, read 0, write 0, timeout 1"),
        ("web.ab", "   (Connect: 0, Receive: 2, Length: 1, Exceptions: 0)"),
        ("web.by-rate", "Reply status: 1xx=0 2xx=100 3xx=0 4xx=0 5xx=7"),
        ("web.by-rate", "Errors: fd-unavail 12 addrunavail 0 ftab-full 0 other 0"),
        ("sysbench.oltp-read-only-pgsql", SYSBENCH_OLTP.format(errors="0.20", reconnects="0.00")),
        ("sysbench.oltp-read-only-mysql", SYSBENCH_OLTP.format(errors="0.00", reconnects="3.00")),
        ("stress-ng.cpu", "stress-ng: fail:  [7] cpu: Newton-Raphson computation failed"),
        ("dbench", "[412] write failed on handle 10008 (No space left on device)"),
        ("bonnie.write", "Can't write block.: No space left on device"),
        ("7zip", "ERROR: Can't allocate required memory!"),
        ("pgbench.select-only", "pgbench: error: connection to server failed"),
        ("pgbench.select-only", "progress: 3.0 s, 612.9 tps, lat 3.256 ms stddev 2.103, 4 failed"),
        ("sysbench.cpu", "FATAL: invalid option: --threds"),
        ("stress-ng.stream", "stress-ng: info:  [1] stream: run duration too short to determine memory rate"),
    ],
)
def test_a_failure_in_words_fails_the_run(workload: str, line: str, mark_at: At) -> None:
    parser = parser_for(load_catalogue()[workload], level=2, seconds=5, started=mark_at(0))
    with pytest.raises(WorkloadFailed, match="The program reported"):
        parser.feed(OutputLine("stdout", line, mark_at(1)))


@pytest.mark.parametrize(
    ("workload", "line"),
    [
        ("web.wrk", "  Socket errors: connect 0, read 0, write 0, timeout 0"),
        ("web.ab", "Failed requests:        4430"),
        ("web.ab", "   (Connect: 0, Receive: 0, Length: 4430, Exceptions: 0)"),
        ("web.by-rate", "Reply status: 1xx=0 2xx=4500 3xx=5 4xx=0 5xx=0"),
        ("web.by-rate", "Errors: total 12 client-timo 12 socket-timo 0 connrefused 0 connreset 0"),
        ("web.by-rate", "Errors: fd-unavail 0 addrunavail 0 ftab-full 0 other 0"),
        ("sysbench.oltp-read-only-pgsql", SYSBENCH_OLTP.format(errors="0.00", reconnects="0.00")),
    ],
)
def test_a_count_of_no_errors_or_of_pages_that_vary_is_no_failure(workload: str, line: str, mark_at: At) -> None:
    parser_for(load_catalogue()[workload], level=2, seconds=5, started=mark_at(0)).feed(
        OutputLine("stdout", line, mark_at(1))
    )


@pytest.mark.parametrize(
    ("changed", "refused"),
    [
        ("fio: file /dev/sda exceeds 32-bit tausworthe random generator.\n{0}", None),
        ("{1}", "/jobs/0/error is 5"),
        ("fio: engine libaio not loadable", "no JSON document but: fio: engine libaio not loadable"),
    ],
)
def test_fio_says_something_before_its_json_or_counts_errors(changed: str, refused: str | None, mark_at: At) -> None:
    text = "\n".join(line.text for line in output("fio.out", mark_at))
    document = json.loads(text)
    document["jobs"][0]["error"] = 5
    parser = parser_for(load_catalogue()["fio.randread"], level=1, seconds=5, started=mark_at(0))
    for line in changed.format(text, json.dumps(document)).splitlines():
        parser.feed(OutputLine("stdout", line, mark_at(1)))
    if refused is None:
        assert rate(parser.result(mark_at(5))) == json.loads(text)["jobs"][0]["read"]["iops"]
    else:
        with pytest.raises(WorkloadFailed, match=refused):
            parser.result(mark_at(5))


@pytest.mark.parametrize(
    ("workload", "line"),
    [
        ("pgbench.select-only", "client 1 aborted in state 7; perhaps the backend died while processing"),
        ("pgbench.tpcb-like", "pgbench: client 3 aborted in command 4 (SQL) of script 0; deadlock detected"),
        ("order-entry.pgsql", "client 3 aborted in command 4 (SQL) of script 0; deadlock detected"),
        ("web.by-rate", "Reply status: 1xx=0 2xx=0 3xx=5000 4xx=0 5xx=0"),
    ],
)
def test_aborted_clients_and_nothing_but_redirects_fail(workload: str, line: str, mark_at: At) -> None:
    parser = parser_for(load_catalogue()[workload], level=2, seconds=5, started=mark_at(0))
    with pytest.raises(WorkloadFailed, match=re.escape(line)):
        parser.feed(OutputLine("stdout", line, mark_at(1)))


def test_the_mean_that_later_versions_of_stress_ng_print_is_held_against_the_copies(mark_at: At) -> None:
    parser = parser_for(load_catalogue()["stress-ng.stream"], level=4, seconds=12, started=mark_at(0))
    for second, text in enumerate(
        (
            "stress-ng: info:  [1] dispatching hogs: 4 stream",
            "stress-ng: info:  [2] stream: memory rate: 5515.73 MB read/sec, 3677.15 MB write/sec (instance 0)",
            "stress-ng: metrc: [1] stream  5471.64 MB per sec memory read rate (harmonic mean of 4 instances)",
        )
    ):
        parser.feed(OutputLine("stdout", text, mark_at(second)))
    with pytest.raises(WorkloadFailed, match=r"it reports 5515\.73, but .* makes 21886\.6"):
        parser.result(mark_at(12))


@pytest.mark.parametrize(
    ("workload", "texts"),
    [
        ("fio.randread", ['{"jobs": [{"error": 0, "read": {"iops": 1000.0, "total_ios": 2000, "runtime": 2000}}]}']),
        ("web.wrk", ["  2000 requests in 2.00s, 1.00MB read", "Requests/sec:   1000.00"]),
        (
            "web.ab",
            [
                "Complete requests:      2000",
                "Time taken for tests:   2.000 seconds",
                "Requests per second:    1000.00",
            ],
        ),
    ],
)
def test_a_program_that_worked_for_a_part_of_its_window_is_told(workload: str, texts: list[str], mark_at: At) -> None:
    for window_s, words in ((60, "worked for 2 s of the 60 s that were measured"), (3, "")):
        parser = parser_for(load_catalogue()[workload], level=1, seconds=window_s, started=mark_at(0))
        for text in texts:
            parser.feed(OutputLine("stdout", text, mark_at(1)))
        remarks = " ".join(parser.result(mark_at(window_s)).remarks)
        assert (words in remarks) if words else "worked for" not in remarks


def test_several_jobs_of_fio_of_which_one_is_read_are_told(mark_at: At) -> None:
    document = json.loads("\n".join(line.text for line in output("fio.out", mark_at)))
    document["jobs"] *= 4
    parser = parser_for(load_catalogue()["fio.randread"], level=4, seconds=5, started=mark_at(0))
    parser.feed(OutputLine("stdout", json.dumps(document), mark_at(1)))
    assert "4 entries of /jobs have such a number; entry 0 alone counts" in " ".join(parser.result(mark_at(5)).remarks)


def test_every_program_of_others_fails_a_run_by_its_own_count_of_errors() -> None:
    """Programs of ours, which come as files, end with a status and count nothing else."""
    for declaration in load_catalogue().values():
        parser = declaration.parser
        counts = getattr(parser, "fails_on", None) or getattr(parser, "must_be_0", ())
        assert counts or parser.kind.startswith(("openssl", "loadgen")) or declaration.files, declaration.id


def test_plus_signs_of_bonnie_are_no_number(mark_at: At) -> None:
    parser = parser_for(load_catalogue()["bonnie.read"], level=None, seconds=5, started=mark_at(0))
    with pytest.raises(WorkloadFailed, match="not a number"):
        parser.feed(
            OutputLine(
                "stdout",
                "1.98,2.00a,s,1,1,64M,,8192,5,,,+++++,+++,+++++,+++,,,+++++,+++,+++++,+++" + 29 * ",",
                mark_at(1),
            )
        )


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from(list_workloads()), st.lists(st.text(max_size=80), max_size=12))
def test_any_output_gives_work_or_a_reason(declaration: Declaration, texts: list[str]) -> None:
    parser = parser_for(declaration, level=1, seconds=2, started=Mark(0, 0))
    with contextlib.suppress(WorkloadFailed):
        for n, text in enumerate(texts):
            parser.feed(OutputLine("stdout", text, Mark(n * 10**9, n * 10**9)))
        assert parser.result(Mark(10**11, 10**11)).duration_s > 0
