from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.workloads.loadgen.loadgen import parse_loadgen
from wattmark.workloads.loadgen.source_file import SourceFile

WINDOW = {"power_begin": "03-18-2021 21:29:31.830", "power_end": "03-18-2021 21:43:59.847"}
OFFLINE = {
    "requested_scenario": "Offline",
    "effective_scenario": "Offline",
    **WINDOW,
    "result_validity": "VALID",
    "result_samples_per_second": 93371.4,
}


def detail(entries: dict[str, Any], tail: str = "") -> SourceFile:
    lines = [f":::MLLOG {json.dumps({'key': key, 'value': value})}\n" for key, value in entries.items()]
    return SourceFile("run_1/mlperf_log_detail.txt", ("".join(lines) + tail).encode())


def summary(text: str) -> SourceFile:
    return SourceFile("run_1/mlperf_log_summary.txt", text.encode())


def test_offline_states_its_throughput_exactly() -> None:
    result = parse_loadgen(
        detail(OFFLINE), summary("Scenario : Offline\nSamples per second: 93371.4\nResult is : VALID\n")
    )
    assert result.throughput == Decimal("93371.4")
    assert result.valid
    assert result.end_ns - result.begin_ns == 868_017_000_000
    assert result.queries is None
    assert result.remarks == ()


def test_server_takes_the_digits_of_the_summary_where_they_agree() -> None:
    # R7525 resnet50 Server: the detail log has six significant digits, the summary two decimals.
    entries = OFFLINE | {
        "effective_scenario": "Server",
        "requested_scenario": "Server",
        "result_scheduled_samples_per_sec": 77976.7,
        "result_completed_samples_per_sec": 77976.2,
    }
    result = parse_loadgen(detail(entries), summary("Scenario : Server\nScheduled samples per second : 77976.67\n"))
    assert result.throughput == Decimal("77976.67")
    assert result.throughput_key == "result_scheduled_samples_per_sec"


@pytest.mark.parametrize(("stated", "remarks"), [("197.74", 0), ("198", 0), ("197.73", 1), ("197.0", 1)])
def test_a_summary_that_rounds_the_detail_log_is_no_disagreement(stated: str, remarks: int) -> None:
    result = parse_loadgen(
        detail(OFFLINE | {"result_samples_per_second": 197.737}), summary(f"Samples per second: {stated}\n")
    )
    assert result.throughput == Decimal("197.737")
    assert len(result.remarks) == remarks


def test_disagreeing_summary_is_reported_and_not_used() -> None:
    result = parse_loadgen(
        detail(OFFLINE), summary("Samples per second: 94000\nResult is : INVALID\nScenario : Server\n")
    )
    assert result.throughput == Decimal("93371.4")
    assert len(result.remarks) == 3


def test_single_stream_without_a_count_gives_the_queries_from_rate_and_latency() -> None:
    # Krai rpi4coral-fan.off resnet50, MLPerf inference v1.0: 1024 queries, 0.290415 samples/J at 5.8342 W
    # (from the mean latency, which excludes LoadGen's overhead of 3e-5).
    entries = {
        "requested_scenario": "SingleStream",
        "effective_scenario": "SingleStream",
        "power_begin": "03-03-2021 00:54:05.983",
        "power_end": "03-03-2021 01:04:10.368",
        "result_validity": "VALID",
        "result_qps_with_loadgen_overhead": 1.69425,
        "result_mean_latency_ns": 590196558,
    }
    result = parse_loadgen(detail(entries), None)
    assert result.queries == 1024
    assert result.throughput is None
    window_s = (result.end_ns - result.begin_ns) / 1e9
    assert result.queries / (5.8342 * window_s) == pytest.approx(0.290415, rel=1e-4)
    assert "no query count" in result.remarks[0]


def test_stated_query_count_is_taken() -> None:
    counts = {"result_query_count": 270336, "effective_samples_per_query": 8}
    entries = OFFLINE | {"effective_scenario": "MultiStream"} | counts
    result = parse_loadgen(detail(entries), None)
    assert (result.scenario, result.queries) == ("MultiStream", 270336)
    assert "Offline was requested, MultiStream was run" in result.remarks[0]


def test_work_and_energy_per_query_count_the_samples_that_a_query_really_had() -> None:
    """LoadGen plans the effective count and issues the generated one."""
    counts = {"result_query_count": 1000, "effective_samples_per_query": 8, "generated_samples_per_query": 4}
    result = parse_loadgen(detail(OFFLINE | {"effective_scenario": "MultiStream"} | counts), None)
    assert (result.samples_per_query, result.work.samples) == (4, 4000)


def test_invalid_result_keeps_its_reason() -> None:
    result = parse_loadgen(
        detail(OFFLINE | {"result_validity": "INVALID", "result_invalid_reason": "too short "}), None
    )
    assert not result.valid
    assert result.invalid_reason == "too short"


def test_two_runs_in_one_log_use_the_last() -> None:
    first = detail(OFFLINE | {"result_samples_per_second": 1.0}).data
    both = SourceFile("d", first + detail(OFFLINE).data)
    result = parse_loadgen(both, None)
    assert result.throughput == Decimal("93371.4")
    assert "2 runs" in result.remarks[0]


def test_a_second_run_without_a_result_does_not_have_that_of_the_first() -> None:
    later = {"power_begin": "03-18-2021 22:00:00.000", "power_end": "03-18-2021 22:10:00.000"}
    both = SourceFile("d", detail(OFFLINE).data + detail(later).data)
    with pytest.raises(InputError, match="no result_samples_per_second"):
        parse_loadgen(both, None)


def test_torn_last_line_is_excluded() -> None:
    result = parse_loadgen(detail(OFFLINE, ':::MLLOG {"key": "result_min_la'), None)
    assert "cut off" in result.remarks[0]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({key: value for key, value in OFFLINE.items() if key != "power_begin"}, "no power_begin"),
        (OFFLINE | {"power_begin": "yesterday"}, "power_begin is 'yesterday'"),
        (OFFLINE | {"power_end": WINDOW["power_begin"]}, "is not after power_begin"),
        (OFFLINE | {"effective_scenario": "Batch"}, "the scenario is 'Batch'"),
        ({key: value for key, value in OFFLINE.items() if key != "result_samples_per_second"}, "no result_samples"),
        (OFFLINE | {"result_samples_per_second": "fast"}, "no result_samples"),
        (OFFLINE | {"result_samples_per_second": -3}, "no result_samples"),
        (OFFLINE | {"effective_scenario": "SingleStream"}, "neither a query count nor a query rate"),
        ({}, "no line begins with :::MLLOG"),
    ],
)
def test_log_that_cannot_give_window_and_work_is_refused(entries: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse_loadgen(detail(entries), None)
    assert str(caught.value).startswith("run_1/mlperf_log_detail.txt: ")
    assert caught.value.remedy


def test_broken_line_names_its_number() -> None:
    data = detail(OFFLINE).data.replace(b'{"key": "power_begin"', b'{"key: "power_begin"')
    with pytest.raises(InputError, match=r"d line 3: found ':::MLLOG"):
        parse_loadgen(SourceFile("d", data), None)


def check_message(error: InputError) -> None:
    assert "\n" not in str(error)
    assert error.remedy


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
keys = st.sampled_from([*OFFLINE, "result_query_count", "result_mean_latency_ns", "effective_samples_per_query"])


def test_more_samples_than_a_run_can_do_are_refused() -> None:
    changes = {"result_query_count": 1e15 + 1, "effective_samples_per_query": 1e15}
    with pytest.raises(InputError, match="samples are counted, more than any run can do") as caught:
        parse_loadgen(detail(OFFLINE | changes), None)
    assert "Restore" in caught.value.remedy


@settings(deadline=None)
@given(st.dictionaries(keys, scalars | st.lists(scalars, max_size=2)))
def test_no_values_break_the_reader(changes: dict[str, Any]) -> None:
    try:
        result = parse_loadgen(detail(OFFLINE | changes), None)
    except InputError as error:
        check_message(error)
        return
    json.dumps(result.facts)


@settings(deadline=None)
@given(st.binary(max_size=60), st.integers(0, 500))
def test_no_bytes_break_the_reader(damage: bytes, place: int) -> None:
    data = detail(OFFLINE).data
    file = SourceFile("d", data[:place] + damage + data[place + len(damage) :])
    try:
        parse_loadgen(file, SourceFile("s", damage))
    except InputError as error:
        check_message(error)
