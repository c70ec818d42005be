"""Does LoadGen's log hold together? Its counts against its rates, its window against its shortest duration."""

from __future__ import annotations

from wattmark.core.numbers import format_number, signed_number
from wattmark.importers.mlperf.judged import SURVEY, at_least, at_most, not_told
from wattmark.importers.mlperf.mlperf_evidence import Evidence
from wattmark.runs.record import ImportedVerdict
from wattmark.workloads.loadgen.loadgen import LATENCY_SCENARIOS, LoadgenResult
from wattmark.workloads.loadgen.stamps import NS

RATE_PCT = 0.1
_RATE = f"LoadGen prints six digits; {SURVEY}: at most 0.009 %"
_STAMP_S = 0.001
_PERFORMANCE = "PerformanceOnly"
_UNCOMMITTED = "uncommitted"
_ERRORS = (
    "submission_checker.py of mlcommons/inference: a detail log with is_error is invalid, but for uncommitted changes"
)


def judge_work(evidence: Evidence) -> tuple[ImportedVerdict, ...]:
    """Evaluate LoadGen's log."""
    loadgen = evidence.loadgen
    window_s = (loadgen.end_ns - loadgen.begin_ns) / NS
    return (
        _mode(loadgen),
        _errors(loadgen),
        _duration(loadgen, window_s),
        _work_rate(loadgen, window_s),
        _stated_rate(loadgen, window_s),
    )


def stated_difference_pct(loadgen: LoadgenResult, window_s: float) -> float | None:
    """Compute how far the stated throughput lies above counted samples over the window [%]; None without a count."""
    if loadgen.throughput is None or loadgen.work.samples is None:
        return None
    return 100 * (float(loadgen.throughput) * window_s / loadgen.work.samples - 1)


def _mode(loadgen: LoadgenResult) -> ImportedVerdict:
    rule, source = "import-test-mode", "MLPerf Inference rules: performance is measured in mode PerformanceOnly"
    if loadgen.mode is None:
        return not_told(rule, 0, "modes", "LoadGen's log states no test mode.", source)
    text = f"LoadGen's mode is {loadgen.mode}, and its throughput is that of mode {_PERFORMANCE}."
    if loadgen.mode == _PERFORMANCE:
        text = f"LoadGen's mode is {_PERFORMANCE}."
    return at_most(rule, int(loadgen.mode != _PERFORMANCE), 0, "modes", text, source, contradiction=True)


def _errors(loadgen: LoadgenResult) -> ImportedVerdict:
    """Count what LoadGen reported as errors: a log with one is of no valid run, whatever it states behind."""
    errors = [error for error in loadgen.errors if _UNCOMMITTED not in error.lower()]
    text = f"LoadGen reports {len(errors)} errors" + (f", the first of them {errors[0][:120]!r}." if errors else ".")
    if left_out := len(loadgen.errors) - len(errors):
        text += f" Besides it says {left_out} times that it was built with changes of its own."
    return at_most("import-loadgen-errors", len(errors), 0, "errors", text, _ERRORS, contradiction=True)


def _duration(loadgen: LoadgenResult, window_s: float) -> ImportedVerdict:
    rule, least_s = "import-duration", loadgen.min_duration_s
    source = "effective_min_duration_ms of the log itself, its stamps being whole milliseconds"
    if least_s is None:
        return not_told(rule, None, "s", "LoadGen's log states no shortest duration.", source)
    text = f"The window is {format_number(window_s, 6)} s long; LoadGen was told to run for at least {least_s:g} s."
    return at_least(rule, window_s, least_s - _STAMP_S, "s", text, source)


def _work_rate(loadgen: LoadgenResult, window_s: float) -> ImportedVerdict:
    """Recompute the stated rate as LoadGen does: the counts and times of one log cannot give another one."""
    rule = "import-work-rate"
    compared = _latency_rate(loadgen, window_s) if loadgen.scenario in LATENCY_SCENARIOS else _rate(loadgen, window_s)
    if compared is None:
        text = "LoadGen's log lacks the count or the times needed to check its stated rate."
        return not_told(rule, RATE_PCT, "%", text, _RATE)
    off_pct, text = compared
    return at_most(rule, off_pct, RATE_PCT, "%", text, _RATE, contradiction=True)


def _rate(loadgen: LoadgenResult, window_s: float) -> tuple[float, str] | None:
    """Compare samples per second with the count over the time to the last answer, or over the schedule (Server)."""
    samples = loadgen.work.samples
    if samples is None or loadgen.throughput is None:
        return None
    schedule_ns = loadgen.numbers.get("generated_query_duration")
    over_s, over = window_s, "the window"
    if loadgen.throughput_key == "result_scheduled_samples_per_sec":
        if schedule_ns is None:
            return None
        over_s, over = schedule_ns / NS, "the schedule"
    expected = samples / over_s
    off_pct = 100 * (float(loadgen.throughput) / expected - 1)
    slack_pct = _slack_pct(loadgen, over_s)
    text = (
        f"LoadGen states {loadgen.throughput:g} samples/s; "
        f"{samples} samples in {format_number(over_s, 6)} s of {over} are {format_number(expected, 6)}/s."
    )
    return (max(abs(off_pct) - slack_pct, 0.0) if slack_pct else off_pct), text


def _slack_pct(loadgen: LoadgenResult, over_s: float) -> float:
    """Return what the longest latency explains [%]: completed rates end with the answer to the last query."""
    if loadgen.throughput_key != "result_completed_samples_per_sec":
        return 0.0
    return 100 * loadgen.numbers.get("result_max_latency_ns", 0.0) / NS / over_s


def _latency_rate(loadgen: LoadgenResult, window_s: float) -> tuple[float, str] | None:
    """Compare queries with the stated rate, or their mean latencies with the window: one follows the other."""
    numbers, queries = loadgen.numbers, loadgen.queries
    rate, counted = numbers.get("result_qps_with_loadgen_overhead"), numbers.get("result_query_count")
    if rate is not None and counted is not None:
        made = f"{counted:.0f} queries in {format_number(window_s, 6)} s are {format_number(counted / window_s, 6)}/s"
        text = f"LoadGen states {rate:g} queries/s; {made}."
        return 100 * (rate * window_s / counted - 1), text
    latency_ns = numbers.get("result_mean_query_latency_ns", numbers.get("result_mean_latency_ns"))
    if queries is None or latency_ns is None:
        return None
    busy_s = queries * latency_ns / NS
    text = (
        f"{queries} queries of {format_number(latency_ns / 1e6, 4)} ms on average, one after the other, "
        f"fill {format_number(busy_s, 6)} of {format_number(window_s, 6)} s."
    )
    return 100 * max(busy_s / window_s - 1, 0.0), text


def _stated_rate(loadgen: LoadgenResult, window_s: float) -> ImportedVerdict:
    """Return how far the rate of the source lies from counted work over its own window."""
    rule, off_pct = "import-stated-rate", stated_difference_pct(loadgen, window_s)
    source = "the window ends with the last response, at most the longest latency after the last query was due"
    longest_s = loadgen.numbers.get("result_max_latency_ns", 0.0) / NS
    slack_pct = 100 * longest_s / window_s if loadgen.scenario == "Server" else 0.0
    limit_pct = RATE_PCT + slack_pct
    if off_pct is None:
        text = "LoadGen states no rate, or no count to check it; the rate is used as stated."
        if loadgen.queries is not None:
            text = "The result of a latency scenario is energy per query; it is based on the count, not on a rate."
        return not_told(rule, limit_pct, "%", text, source)
    text = (
        f"Work per joule is based on {loadgen.work.samples} samples counted in {format_number(window_s, 6)} s; the "
        "stated "
        f"{loadgen.throughput:g} samples/s differs from that by {signed_number(off_pct, 2)} %."
    )
    return at_most(rule, off_pct, limit_pct, "%", text, source)
