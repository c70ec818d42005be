"""The report of the client of language models, turned into work and times."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.llm_output import LlmOutput
from wattmark.workloads.trigger import OutputLine

At = Callable[[float], Mark]
REPORT: dict[str, Any] = {
    "steps": 4,
    "generated_tokens": 256,
    "prompt_tokens": 1024,
    "cached_tokens": 0,
    "due": 2,
    "requests": 2,
    "failed": 0,
    "failures": [],
    "times_s": {"first token": {"mean": 0.25, "p99": 0.5}},
    "least_and_most": {"prompt": [512, 512], "generated": [128, 128], "per_event": [1, 1]},
}
PARAMETERS = {"prompt_tokens": "512", "output_tokens": "128"}


def output(mark_at: At, report: dict[str, Any] | None = None, *steps: str) -> LlmOutput:
    """Ten seconds, from second 5 of the client's clock and second 1 of ours, in four steps."""
    parser = LlmOutput(PARAMETERS)
    lines = [(1.0, "begin 5.000000"), (3.0, "so far 50"), (11.0, "end 15.000000")]
    lines += [(12.0, step) for step in steps or ("generated 64 64", "generated 64 64")]
    lines += [] if report is None else [(12.0, json.dumps(report))]
    for at, text in lines:
        parser.feed(OutputLine("stdout", text, mark_at(at)))
    return parser


def test_the_window_is_the_clients_own(mark_at: At) -> None:
    parser = output(mark_at, REPORT)
    assert parser.began == mark_at(1.0)
    work = parser.result(mark_at(13.0))
    assert (work.begin, work.end) == (mark_at(1.0), mark_at(11.0))
    assert [item.amount for item in work.intervals] == [64.0] * 4
    assert [(item.end_ns - item.begin_ns) / 1e9 for item in work.intervals] == [2.5] * 4
    times = {item.statistic: item.value_s for item in work.response}
    assert times == {"first token mean": 0.25, "first token p99": 0.5}
    # 1024 prompt tokens and 256 generated ones in 10 s.
    assert [(figure.name, figure.value, figure.unit) for figure in work.beside] == [
        ("prompt tokens", 102.4, "tokens/s"),
        ("prompt and generated tokens", 128.0, "tokens/s"),
        ("requests", 0.2, "requests/s"),
    ]
    assert work.remarks == ()
    assert work.edge_s == pytest.approx(1e-3)


def test_a_line_that_came_late_is_the_edge(mark_at: At) -> None:
    parser = output(mark_at, REPORT)
    parser.feed(OutputLine("stdout", "end 14.970000", mark_at(11.0)))
    assert parser.result(mark_at(13.0)).edge_s == pytest.approx(0.03)


def test_work_so_far_is_events(mark_at: At) -> None:
    assert LlmOutput(PARAMETERS).so_far(mark_at(2.0)) is None
    work = output(mark_at).so_far(mark_at(4.0))
    assert work is not None
    assert [item.amount for item in work.intervals] == [50.0]
    assert work.duration_s == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"failed": 1, "failures": ["HTTP status 500"]}, r"1 of 3 requests failed: HTTP status 500\."),
        ({"requests": 0}, "No request was answered to its end in the window"),
    ],
)
def test_what_is_no_result(mark_at: At, change: dict[str, Any], message: str) -> None:
    with pytest.raises(WorkloadFailed, match=message):
        output(mark_at, {**REPORT, **change}).result(mark_at(13.0))


def test_one_failure_in_a_hundred_is_said(mark_at: At) -> None:
    report = {**REPORT, "requests": 99, "failed": 1, "failures": ["cut"]}
    assert output(mark_at, report).result(mark_at(13.0)).remarks == (
        "1 of 100 requests failed (cut); their tokens do not count, their energy does.",
    )
    with pytest.raises(WorkloadFailed):
        output(mark_at, {**report, "requests": 98}).result(mark_at(13.0))


def test_other_counts_than_asked_for_are_said(mark_at: At) -> None:
    counts = {"prompt": [513, 513], "generated": [3, 128], "per_event": [1, 2.5]}
    report = {**REPORT, "least_and_most": counts, "cached_tokens": 100}
    assert output(mark_at, report).result(mark_at(13.0)).remarks == (
        "The server counted 513 prompt tokens a request, not 512; its counts are used.",
        "The server counted 3 to 128 generated tokens a request, not 128; its counts are used.",
        "An event of the server brought 1 to 2.5 tokens; they are spread evenly over the events of their request, "
        "and the time between tokens is that between events.",
        "The server took 100 of 1,024 prompt tokens from a cache.",
    )


def test_more_requests_than_the_server_can_answer_are_said(mark_at: At) -> None:
    (remark,) = output(mark_at, {**REPORT, "due": 30}).result(mark_at(13.0)).remarks
    assert remark.startswith("30 requests came in the window and 2 were answered: the server is asked for more")
    assert output(mark_at, {**REPORT, "due": 12}).result(mark_at(13.0)).remarks == ()  # ten may be under way


def test_a_report_that_is_not_whole(mark_at: At) -> None:
    with pytest.raises(WorkloadFailed, match="ended before its report"):
        output(mark_at).result(mark_at(13.0))
    with pytest.raises(WorkloadFailed, match="is cut"):
        output(mark_at).feed(OutputLine("stdout", '{"requests": 1…', mark_at(12.0)))
    with pytest.raises(WorkloadFailed, match="generated no token"):
        output(mark_at, {**REPORT, "steps": 2, "generated_tokens": 0}, "generated 0 0").result(mark_at(13.0))
    with pytest.raises(WorkloadFailed, match="reported"):
        output(mark_at, REPORT, "generated 1 nan")


@pytest.mark.parametrize(
    ("change", "steps"),
    [
        ({}, ("generated 64 64",)),
        ({}, ("generated 64 64", "generated 64 64", "generated 64 64")),
        ({"steps": 3}, ()),
        ({"generated_tokens": 257}, ()),
    ],
)
def test_steps_that_are_lost_or_come_twice_fail_the_run(
    mark_at: At, change: dict[str, Any], steps: tuple[str, ...]
) -> None:
    with pytest.raises(WorkloadFailed, match="contradicts itself"):
        output(mark_at, {**REPORT, **change}, *steps).result(mark_at(13.0))


def test_a_window_that_ends_before_it_begins_is_none(mark_at: At) -> None:
    parser = output(mark_at, REPORT)
    parser.feed(OutputLine("stdout", "end 4.000000", mark_at(12.0)))
    with pytest.raises(WorkloadFailed, match="contradicts itself"):
        parser.result(mark_at(13.0))


def test_words_of_a_server_are_one_printable_line(mark_at: At) -> None:
    report = {**REPORT, "failed": 1, "failures": ["HTTP status 500: \x1b[2J\nboom"]}
    with pytest.raises(WorkloadFailed, match=r"HTTP status 500:  \[2J boom"):
        output(mark_at, report).result(mark_at(13.0))
