"""LoadGen's real logs as a program prints them; expected values stand in the same logs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.loadgen.stamps import parse_stamp
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.parsing import OutputParser, parser_for
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.trigger import OutputLine

RECORDED = Path(__file__).parents[1] / "recorded"
S = 10**9
HOUR = 3600 * S


def mark_at(stamp: str, plus_s: float = 0.0) -> Mark:
    t_ns = parse_stamp(stamp) + round(plus_s * S)
    return Mark(t_ns, t_ns - 10**18)


def texts(name: str) -> list[str]:
    return (RECORDED / f"loadgen_{name}.out").read_text("utf-8").splitlines()[2:]


def fed(lines: list[str], started: Mark) -> OutputParser:
    parser = parser_for(load_catalogue()["mlperf.loadgen"], level=None, seconds=5, started=started)
    for text in lines:
        parser.feed(OutputLine("stdout", text, started))
    return parser


def read(name: str, begin: str, end: str) -> MarkedWork:
    return fed(texts(name), mark_at(begin, -5)).result(mark_at(end, 1))


def test_offline_states_samples_per_second_in_its_own_window() -> None:
    begin, end = "11-22-2026 13:56:41.635", "11-22-2026 13:56:43.958"
    work = read("offline", begin, end)
    assert work.stated_rate == 426242
    assert (work.begin, work.end) == (mark_at(begin), mark_at(end))
    assert work.duration_s == pytest.approx(2.323)
    assert work.facts["loadgen_version"] == "6.0.17 @ d6147c7eb7"
    assert work.facts["effective_scenario"] == "Offline"


def test_server_states_scheduled_samples() -> None:
    work = read("server", "11-22-2026 13:56:49.081", "11-22-2026 13:56:52.588")
    assert work.stated_rate == pytest.approx(197.737)
    times = {item.statistic: item.value_s for item in work.response}
    assert times["mean"] == pytest.approx(3.354884e-3)
    assert set(times) == {"mean", "median", "p90", "p95", "p99", "max"}


@pytest.mark.parametrize(
    ("name", "begin", "end", "key", "said"),
    [
        ("offline", "11-22-2026 13:56:41.635", "11-22-2026 13:56:43.958", "result_samples_per_second", "counted make"),
        (
            "server",
            "11-22-2026 13:56:49.081",
            "11-22-2026 13:56:52.588",
            "result_completed_samples_per_sec",
            "scheduled samples/s, and 99 completed",
        ),
    ],
)
def test_rates_of_a_log_that_contradict_each_other_are_said(
    name: str, begin: str, end: str, key: str, said: str
) -> None:
    assert read(name, begin, end).remarks == ()
    changed = [re.sub(rf'("key": "{key}", "value": )[0-9.e+]+', r"\g<1>99", text) for text in texts(name)]
    changed = [text for text in changed if text.startswith(":::MLLOG")]  # without the summary, which would be told
    (remark,) = fed(changed, mark_at(begin, -5)).result(mark_at(end, 1)).remarks
    assert said in remark


@pytest.mark.parametrize(
    ("name", "begin", "end", "samples"),
    [
        ("single_stream", "11-22-2026 13:56:14.336", "11-22-2026 13:56:15.840", 614),
        ("multi_stream", "11-22-2026 13:56:52.705", "11-22-2026 13:56:57.708", 1864 * 8),
    ],
)
def test_latency_scenarios_count_the_samples_of_their_queries(name: str, begin: str, end: str, samples: int) -> None:
    work = read(name, begin, end)
    assert [item.amount for item in work.intervals] == [samples]
    assert work.stated_rate is None


@pytest.mark.parametrize("hours", [-11, -5.5, 0, 5.75, 9, 14])
def test_a_server_with_another_time_zone_gives_the_same_window(hours: float) -> None:
    stamp = "11-22-2026 13:56:14.336"
    ours = mark_at(stamp, -hours * 3600)
    started = Mark(ours.utc_ns - S, ours.monotonic_ns - S)
    work = fed(texts("single_stream"), started).result(Mark(started.utc_ns + 4 * S, started.monotonic_ns + 4 * S))
    assert work.begin == ours


def test_a_run_that_loadgen_calls_invalid_is_no_measurement() -> None:
    with pytest.raises(WorkloadFailed, match="LoadGen calls the run INVALID"):
        read("server_invalid", "11-22-2026 13:56:12.721", "11-22-2026 13:56:14.244")


def test_the_logs_of_another_day_are_refused() -> None:
    with pytest.raises(WorkloadFailed, match="outside the time in which its program ran"):
        read("offline", "11-20-2026 13:56:12.721", "11-20-2026 13:56:14.244")


def test_an_accuracy_run_measures_no_throughput() -> None:
    lines = [text.replace('"PerformanceOnly"', '"AccuracyOnly"') for text in texts("offline")]
    with pytest.raises(WorkloadFailed, match="ran in the mode AccuracyOnly"):
        fed(lines, mark_at("11-22-2026 13:56:40.000")).result(mark_at("11-22-2026 13:56:45.000"))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "no line begins with :::MLLOG"),
        ([":::MLLOG {torn", ":::MLLOG {}"], "is not a LoadGen entry"),
        ([text for text in texts("offline") if "power_end" not in text], "it contains no power_end"),
    ],
)
def test_torn_logs_say_what_is_missing(lines: list[str], message: str) -> None:
    with pytest.raises(WorkloadFailed, match=message):
        fed(lines, mark_at("11-22-2026 13:56:40.000")).result(mark_at("11-22-2026 13:56:45.000"))
