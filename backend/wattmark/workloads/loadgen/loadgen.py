"""LoadGen's logs: what ran, when its measured part began and ended, how much work it did, whether it counts.

``mlperf_log_detail.txt`` holds one ``:::MLLOG {json}`` per line and decides; ``mlperf_log_summary.txt`` is the
cross-check and carries the throughput with more digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from wattmark.workloads.loadgen.loadgen_work import LoadgenWork, positive, read_work, samples_per_query
from wattmark.workloads.loadgen.source_file import SourceFile, broken, parse_json
from wattmark.workloads.loadgen.stamps import NS, parse_stamp

PREFIX = ":::MLLOG"
LATENCY_SCENARIOS = ("SingleStream", "MultiStream")
_THROUGHPUT_KEYS = {
    "Offline": ("result_samples_per_second",),
    "Server": ("result_scheduled_samples_per_sec", "result_completed_samples_per_sec"),
}
_SUMMARY_KEYS = {
    "result_samples_per_second": "Samples per second",
    "result_scheduled_samples_per_sec": "Scheduled samples per second",
    "result_completed_samples_per_sec": "Completed samples per second",
}
_RESTORE = "Restore the file from its source."
_SUMMARY_LINE = re.compile(r"\s*([^:]+?)\s*:\s*(.*?)\s*")
_DISCLOSED = (
    "loadgen_version",
    "loadgen_git_commit_date",
    "sut_name",
    "test_datetime",
    "requested_scenario",
    "effective_scenario",
    "effective_test_mode",
    "effective_samples_per_query",
    "effective_min_duration_ms",
    "effective_min_query_count",
    "generated_query_count",
    "result_validity",
    "result_invalid_reason",
)


@dataclass(frozen=True, slots=True)
class LoadgenResult:
    """One LoadGen run. Stamps are the wall clock as written, as if UTC [ns]."""

    scenario: str
    """The scenario that really ran (effective), spelled as LoadGen does."""
    valid: bool
    invalid_reason: str
    begin_ns: int
    end_ns: int
    throughput: Decimal | None
    """Samples per second as stated; None for the latency scenarios."""
    throughput_key: str | None
    queries: int | None
    """Queries of a latency scenario inside the window; None for the throughput scenarios."""
    samples_per_query: int
    work: LoadgenWork
    """The work that LoadGen counted, and the rates that it states."""
    mode: str | None
    """LoadGen's test mode, such as PerformanceOnly; None: not stated."""
    min_duration_s: float | None
    """Shortest duration set for LoadGen; None: not stated."""
    numbers: dict[str, float]
    """Every positive number of the log, by key."""
    facts: dict[str, str | int | float]
    """Facts for the disclosure: versions, scenario, mode, latencies."""
    remarks: tuple[str, ...] = field(default=())
    errors: tuple[str, ...] = field(default=())
    """What LoadGen reported as errors, by key and text."""


def parse_loadgen(detail: SourceFile, summary: SourceFile | None) -> LoadgenResult:
    """Parse the logs of one run. Raises `InputError` naming file and line when they give no window or no work."""
    remarks: list[str] = []
    errors: list[str] = []
    values = _values(detail, remarks, errors)
    stated = _summary(summary) if summary else {}
    scenario = _scenario(detail, values)
    begin, end = _window(detail, values)
    queries, throughput, key = None, None, None
    if scenario in LATENCY_SCENARIOS:
        queries = _queries(detail, values, (end - begin) / NS, remarks)
    else:
        throughput, key = _throughput(detail, values, scenario)
        throughput = _finer(throughput, stated.get(_SUMMARY_KEYS[key]), remarks)
    _cross_check(values, stated, scenario, remarks)
    try:
        work = read_work(scenario, values, (end - begin) / NS)
    except (ValueError, OverflowError) as error:
        raise broken(detail.name, None, str(error), _RESTORE) from None
    numbers = {name: float(number) for name, value in values.items() if (number := positive(value)) is not None}
    least_ms = numbers.get("effective_min_duration_ms")
    return LoadgenResult(
        scenario,
        values.get("result_validity") == "VALID",
        str(values.get("result_invalid_reason", "no reason given")).strip(),
        begin,
        end,
        throughput,
        key,
        queries,
        _samples_per_query(detail, scenario, values),
        work,
        None if values.get("effective_test_mode") is None else str(values["effective_test_mode"]),
        None if least_ms is None else least_ms / 1000,
        numbers,
        _facts(values),
        tuple(remarks),
        tuple(errors),
    )


def _samples_per_query(detail: SourceFile, scenario: str, values: dict[str, Any]) -> int:
    """Return how many samples a query has; one, unless it is of MultiStream. Raises `InputError`."""
    each = samples_per_query(values)
    if each is None and scenario == "MultiStream":
        raise broken(detail.name, None, "no samples per query for scenario MultiStream", _RESTORE)
    return int(each or 1)


def _values(file: SourceFile, remarks: list[str], errors: list[str]) -> dict[str, Any]:
    """Collect the last value of each key; of several runs in a file, no result of an earlier one."""
    values: dict[str, Any] = {}
    begins = 0
    rows = file.text.split("\n")
    for number, row in enumerate(rows, start=1):
        if not row.startswith(PREFIX):
            continue
        entry = _entry(row)
        if entry is None:
            if number == len(rows):
                remarks.append(f"The last line of {file.name.rpartition('/')[2]} was cut off and is excluded.")
                continue
            raise broken(file.name, number, f"found {row[:80]!r}, which is not a LoadGen entry", _RESTORE)
        if _is_error(entry):
            errors.append(f"{entry['key']}: {entry['value']}"[:200])
        if entry["key"] == "power_begin":
            begins += 1
            values = {key: value for key, value in values.items() if key != "power_end" and key[:7] != "result_"}
        values[entry["key"]] = entry["value"]
    if not values:
        raise broken(file.name, None, f"no line begins with {PREFIX}", "Use the detail log of LoadGen 0.7 or newer.")
    if begins > 1:
        remarks.append(f"The detail log holds {begins} runs; the last one is used.")
    return values


def _entry(row: str) -> dict[str, Any] | None:
    try:
        entry = parse_json(row[len(PREFIX) :], Decimal)
    except (ValueError, ArithmeticError):
        return None
    readable = isinstance(entry, dict) and isinstance(entry.get("key"), str) and "value" in entry
    return entry if readable else None


def _is_error(entry: dict[str, Any]) -> bool:
    metadata = entry.get("metadata")
    return isinstance(metadata, dict) and metadata.get("is_error") is True


def _scenario(file: SourceFile, values: dict[str, Any]) -> str:
    scenario = values.get("effective_scenario", values.get("requested_scenario"))
    scenarios = (*_THROUGHPUT_KEYS, *LATENCY_SCENARIOS)
    match = next((name for name in scenarios if str(scenario).replace(" ", "").lower() == name.lower()), None)
    if match is None:
        raise broken(file.name, None, f"the scenario is {scenario!r}, expected one of {', '.join(scenarios)}", _RESTORE)
    return match


def _window(file: SourceFile, values: dict[str, Any]) -> tuple[int, int]:
    edges = []
    for key in ("power_begin", "power_end"):
        if key not in values:
            raise broken(file.name, None, f"it contains no {key}: the run was aborted or is not a power run", _RESTORE)
        try:
            edges.append(parse_stamp(str(values[key])))
        except ValueError as error:
            raise broken(file.name, None, f"{key} is {values[key]!r}, not a MM-DD-YYYY time stamp", _RESTORE) from error
    if edges[1] <= edges[0]:
        raise broken(file.name, None, f"power_end {values['power_end']} is not after power_begin", _RESTORE)
    return edges[0], edges[1]


def _throughput(file: SourceFile, values: dict[str, Any], scenario: str) -> tuple[Decimal, str]:
    for key in _THROUGHPUT_KEYS[scenario]:
        stated = positive(values.get(key))
        if stated is not None:
            return stated, key
    raise broken(file.name, None, f"no {' or '.join(_THROUGHPUT_KEYS[scenario])} for scenario {scenario}", _RESTORE)


def _finer(detail: Decimal, stated: str | None, remarks: list[str]) -> Decimal:
    """Return the figure with more digits where the other is the same one rounded: to six digits or as printed."""
    try:
        summary = positive(Decimal(stated or ""))
    except ArithmeticError:
        summary = None
    if summary is None:
        return detail
    if abs(summary - detail) > max(_rounding(detail), _rounding(summary)):
        remarks.append(f"The summary states {summary} samples/s, the detail log {detail}; the detail log is used.")
        return detail
    return max(detail, summary, key=lambda number: len(number.normalize().as_tuple().digits))


def _rounding(number: Decimal) -> Decimal:
    """Return what rounding may have changed: a unit of the sixth digit, or half a unit of the last one printed."""
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)  # noqa: S101 - `positive` lets finite numbers through only
    return max(Decimal(1).scaleb(number.adjusted() - 5), Decimal(5).scaleb(exponent - 1))


def _queries(file: SourceFile, values: dict[str, Any], window_s: float, remarks: list[str]) -> int:
    """Count the queries inside the window; older LoadGen states a rate and the mean latency, but no count.

    LoadGen's rate is (n - 1) queries over the time up to the last issue, which is one mean latency before the end.
    """
    counted = positive(values.get("result_query_count"))
    if counted is not None:
        return int(counted)
    rate = positive(values.get("result_qps_with_loadgen_overhead"))
    latency_ns = positive(values.get("result_mean_latency_ns"))
    if rate is None or latency_ns is None:
        raise broken(file.name, None, "neither a query count nor a query rate with mean latency in it", _RESTORE)
    queries = round(1 + float(rate) * (window_s - float(latency_ns) / NS))
    remarks.append(f"LoadGen states no query count; {queries} follows from its query rate and mean latency.")
    return queries


def _summary(file: SourceFile) -> dict[str, str]:
    stated: dict[str, str] = {}
    for row in file.text.split("\n"):
        match = _SUMMARY_LINE.fullmatch(row.rstrip("\r"))
        if match:
            stated.setdefault(match[1], match[2])
    return stated


def _cross_check(values: dict[str, Any], stated: dict[str, str], scenario: str, remarks: list[str]) -> None:
    if "Scenario" in stated and stated["Scenario"].replace(" ", "").lower() != scenario.lower():
        remarks.append(f"The summary states scenario {stated['Scenario']}, the detail log {scenario}.")
    if "Result is" in stated and stated["Result is"] != values.get("result_validity"):
        remarks.append(f"The summary says {stated['Result is']}, the detail log {values.get('result_validity')}.")
    requested = values.get("requested_scenario")
    if isinstance(requested, str) and requested.replace(" ", "").lower() != scenario.lower():
        remarks.append(f"Scenario {requested} was requested, {scenario} was run.")


def _facts(values: dict[str, Any]) -> dict[str, str | int | float]:
    keys = [*_DISCLOSED, *(key for key in values if key.startswith("result_") and key not in _DISCLOSED)]
    scalars = {key: values[key] for key in keys if isinstance(values.get(key), (str, int, Decimal))}
    return {key: float(value) if isinstance(value, Decimal) else value for key, value in scalars.items()}
