"""Is the power log the one that the daemon wrote? Against the daemon's console, the declared rate, and itself."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from wattmark.core.numbers import format_number, signed_number
from wattmark.importers.held_maximum import held_maximum
from wattmark.importers.mlperf.judged import CHECKER, SURVEY, at_most, not_told
from wattmark.importers.mlperf.mlperf_evidence import Evidence
from wattmark.importers.ptdaemon.ptdaemon_console import Measurement
from wattmark.runs.record import ImportedVerdict
from wattmark.workloads.loadgen.stamps import NS

MOST_MISSING = 1
_FEWEST_RISES = 3
_MEAN_DIGIT_W = 1e-6
_SPAN_PERIODS = 3.0
_GAP_PERIODS = 2.5
_IDENTITY_PCT = 0.2
_COUNT_PCT = 0.5
_COUNT_EDGES = 2
_SPACING_PCT = 1.0
_ABOVE_LIMIT_PCT = 5.0
_NO_CONSOLE = "There is no daemon console for this pass (power/ptd_logs.txt)"
_NO_SUM = "The console of the daemon has no summary of this pass"
_DAEMON = f"PTDaemon writes log and console itself; one line may be lost when it stops ({SURVEY}: 0 or 1)"
_HARNESS = "SPEC CPU 2017 harness, power validity constants: at most 5 % of samples above 1 % uncertainty"
_COMMON_IN_RANGING = (
    "Can't evaluate uncertainty of this sample!",
    "Bad ",
    "Current appears to be too high for set range",
)
_COMMON_IN_TESTING = ("USB.",)


def judge_log(evidence: Evidence) -> tuple[ImportedVerdict, ...]:
    """Evaluate the power log of the measured pass."""
    return (
        _daemon_count(evidence),
        _daemon_bad_samples(evidence),
        _daemon_mean(evidence),
        _daemon_times(evidence),
        _volts_amps(evidence),
        _held_maximum(evidence),
        _sample_count(evidence),
        _sample_spacing(evidence),
        _clock_steps(evidence),
        _errors(evidence),
        _errors_in_ranging(evidence),
        _uncertainty(evidence),
    )


def above_limit_pct(evidence: Evidence) -> float | None:
    """Compute the share of samples in the window whose uncertainty the daemon found above 1 % [%]."""
    if evidence.console is None:
        return None
    begin, end = evidence.window_in_log
    warnings = [line for line in evidence.console.lines if "Uncertainty" in line.text and "above" in line.text]
    inside = sum(line.t_ns is None or begin < line.t_ns < end for line in warnings)
    samples = max(int(np.count_nonzero(_in_window(evidence))), 1)
    return min(100.0, 100 * inside / evidence.log.channels / samples)


def _in_pass(evidence: Evidence) -> NDArray[np.bool_]:
    return evidence.log.of_mark(evidence.mark)


def _good(evidence: Evidence) -> NDArray[np.bool_]:
    return np.asarray(evidence.log.columns["Watts"].quality == 0)


def _in_window(evidence: Evidence) -> NDArray[np.bool_]:
    begin, end = evidence.window_in_log
    return np.asarray((evidence.log.t_ns > begin) & (evidence.log.t_ns < end))


def _daemon_count(evidence: Evidence) -> ImportedVerdict:
    rule, console, logged = "import-daemon-count", evidence.console, int(np.count_nonzero(_in_pass(evidence)))
    if console is None or console.samples is None:
        return not_told(rule, MOST_MISSING, "samples", f"{_missing(console)}: its sample count is not known.", _DAEMON)
    text = f"The daemon counted {console.samples} samples; the log contains {logged}."
    return at_most(rule, logged - console.samples, MOST_MISSING, "samples", text, _DAEMON, contradiction=True)


def _daemon_bad_samples(evidence: Evidence) -> ImportedVerdict:
    rule, console = "import-daemon-bad-samples", evidence.console
    logged = int(np.count_nonzero(_in_pass(evidence) & ~_good(evidence)))
    if console is None or console.errors is None:
        return not_told(rule, 0, "samples", f"{_missing(console)}: its count of bad samples is not known.", _DAEMON)
    text = f"The daemon counted {console.errors} bad samples; the log contains {logged}."
    return at_most(rule, logged - console.errors, 0, "samples", text, _DAEMON, contradiction=True)


def _daemon_mean(evidence: Evidence) -> ImportedVerdict:
    """Compare the means; a line that the log lacks may have been any power that the daemon saw."""
    rule, console = "import-daemon-mean", evidence.console
    source = "PTDaemon prints its mean with six decimals; a line missing from the log is bounded by the extremes"
    watts = evidence.log.columns["Watts"].value[_in_pass(evidence) & _good(evidence)]
    if console is None or not console.average_w or not len(watts):
        return not_told(rule, None, "%", f"{_missing(console)}: its mean power is not known.", source)
    lowest, highest = console.lowest_w or float(watts.min()), console.highest_w or float(watts.max())
    missing = min(max((console.samples or len(watts)) - len(watts), 0), MOST_MISSING)
    limit_w = _MEAN_DIGIT_W + missing * max(highest - lowest, 0.0) / len(watts)
    difference_w = float(watts.mean()) - console.average_w
    text = (
        f"The daemon reported a mean of {console.average_w:g} W; the log gives "
        f"{format_number(float(watts.mean()), 6)} W."
    )
    return at_most(
        rule,
        100 * difference_w / console.average_w,
        100 * limit_w / console.average_w,
        "%",
        text,
        source,
        contradiction=True,
    )


def _daemon_times(evidence: Evidence) -> ImportedVerdict:
    """Compare the log's first and last stamp with the daemon's own begin and end, which are of the same clock."""
    rule, console, limit_s = "import-daemon-times", evidence.console, _SPAN_PERIODS * evidence.period_s
    source = f"three sampling periods; {SURVEY}: at most 1.9 s"
    if console is None or console.begin_ns is None or console.end_ns is None:
        return not_told(rule, limit_s, "s", f"{_missing(console)}: its start and end are not known.", source)
    stamps = evidence.log.t_ns[_in_pass(evidence)]
    first_s, last_s = (int(stamps[0]) - console.begin_ns) / NS, (console.end_ns - int(stamps[-1])) / NS
    text = (
        f"The log starts {format_number(first_s, 3)} s after the start and ends {format_number(last_s, 3)} s "
        "before the end recorded by the daemon."
    )
    value = max(first_s, last_s, key=abs)
    return at_most(rule, value, limit_s, "s", text, source, contradiction=console.end_ns > console.begin_ns)


def _volts_amps(evidence: Evidence) -> ImportedVerdict:
    rule, source = "import-volts-amps", f"{SURVEY}: at most 0.054 %"
    watts, product = evidence.log.columns["Watts"].value, evidence.log.product_w
    usable = _in_window(evidence) & _good(evidence) & (watts > 0) & (product > 0)
    if not usable.any():
        text = (
            "The log does not contain voltage, current and power factor of every channel, so watts cannot be checked."
        )
        return not_told(rule, _IDENTITY_PCT, "%", text, source)
    ratio = watts[usable] / product[usable] - 1
    rms_pct = 100 * math.sqrt(float(np.mean(ratio**2)))
    text = (
        f"Watts differ from volts x amps x power factor by {format_number(rms_pct, 2)} % (root mean square over "
        f"{np.count_nonzero(usable)} samples), by {signed_number(100 * float(ratio.mean()), 2)} % on average."
    )
    return at_most(rule, rms_pct, _IDENTITY_PCT, "%", text, source, contradiction=True)


def _held_maximum(evidence: Evidence) -> ImportedVerdict:
    """Compute the share of falling steps: in MAX hold an analyzer shows its highest reading, which never falls."""
    steps = np.diff(evidence.log.columns["Watts"].value[_in_pass(evidence) & _good(evidence)])
    rises, falls = int(np.count_nonzero(steps > 0)), int(np.count_nonzero(steps < 0))
    return held_maximum(len(steps) + 1, rises, falls, fewest_rises=_FEWEST_RISES, steps=len(steps))


def _sample_count(evidence: Evidence) -> ImportedVerdict:
    begin, end = evidence.window_in_log
    expected, logged = (end - begin) / NS / evidence.period_s, int(np.count_nonzero(_in_window(evidence)))
    limit_pct = _COUNT_PCT + 100 * _COUNT_EDGES / expected
    text = f"The window contains {logged} samples; at one every {evidence.period_s:g} s there should be {expected:.0f}."
    source = f"declared period, two samples at the edges and {_COUNT_PCT} %; {SURVEY}: at most 0.16 %"
    return at_most("import-sample-count", 100 * (logged / expected - 1), limit_pct, "%", text, source)


def _sample_spacing(evidence: Evidence) -> ImportedVerdict:
    rule, source = "import-sample-spacing", f"{SURVEY}: at most 0.3 %"
    steps_s = np.diff(evidence.log.t_ns[_in_window(evidence)]) / NS
    if not len(steps_s):
        return not_told(rule, _SPACING_PCT, "%", "The window contains fewer than two samples.", source)
    odd = int(np.count_nonzero(np.abs(steps_s - evidence.period_s) > 0.5 * evidence.period_s))
    text = (
        f"{odd} of {len(steps_s)} intervals between samples differ from the declared {evidence.period_s:g} s by more "
        "than half."
    )
    return at_most(rule, 100 * odd / len(steps_s), _SPACING_PCT, "%", text, source)


def _clock_steps(evidence: Evidence) -> ImportedVerdict:
    """Count steps back and leaps of the stamps: a clock that was set, or lines that were cut out."""
    stamps = evidence.log.t_ns[_in_pass(evidence)]
    ahead_s = np.diff(stamps) / NS
    leaps = ahead_s[ahead_s > _GAP_PERIODS * evidence.period_s]
    back = evidence.log.backward_s
    worst_s = max([0.0, *back, *leaps.tolist()])
    text = f"The time stamps run backwards {len(back)} times and jump ahead {len(leaps)} times" + (
        f", by up to {format_number(worst_s, 3)} s." if worst_s else "."
    )
    source = f"a jump is more than {_GAP_PERIODS} periods; {SURVEY}: none"
    return at_most("import-clock-steps", len(back) + len(leaps), 0, "steps", text, source)


def _errors(evidence: Evidence) -> ImportedVerdict:
    rule, console, source = "import-errors", evidence.console, f"{CHECKER}: none outside the ranging pass"
    if console is None:
        return not_told(rule, 0, "lines", f"{_NO_CONSOLE}: its errors are not known.", source)
    errors = [line for line in console.lines if line.level == "ERROR" and not line.text.startswith(_COMMON_IN_TESTING)]
    text = f"The daemon wrote {len(errors)} errors in the measured pass{_example(errors[0].text if errors else None)}."
    return at_most(rule, len(errors), 0, "lines", text, source)


def _errors_in_ranging(evidence: Evidence) -> ImportedVerdict:
    rule, console = "import-ranging-errors", evidence.ranging_console
    source = f"{CHECKER}: unusual errors of the ranging pass are to be audited"
    if console is None:
        return not_told(rule, 0, "lines", "There is no daemon console for the ranging pass.", source)
    errors = [line for line in console.lines if line.level == "ERROR" and not line.text.startswith(_COMMON_IN_RANGING)]
    example = _example(errors[0].text if errors else None)
    text = f"The daemon wrote {len(errors)} unusual errors in the ranging pass{example}."
    return at_most(rule, len(errors), 0, "lines", text, source)


def _uncertainty(evidence: Evidence) -> ImportedVerdict:
    rule, share = "import-uncertainty", above_limit_pct(evidence)
    if share is None:
        return not_told(rule, _ABOVE_LIMIT_PCT, "%", f"{_NO_CONSOLE}: its warnings are not known.", _HARNESS)
    text = (
        f"For {format_number(share, 3)} % of the samples in the window, the uncertainty computed by the daemon "
        "exceeds its limit of "
        "1 %."
    )
    return at_most(rule, share, _ABOVE_LIMIT_PCT, "%", text, _HARNESS)


def _missing(console: Measurement | None) -> str:
    return _NO_CONSOLE if console is None else _NO_SUM


def _example(text: str | None) -> str:
    return "" if text is None else f", the first: {text[:80]!r}"
