"""Whether a channel was beyond a limit of the bench in the window of a run."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.analysis.window import Window
from wattmark.runs.alarms import RunAlarm, RunAlarms, alarms_of
from wattmark.runs.record import RunRecord
from wattmark.runs.result import Verdict

RULE = "alarms"
SHOWN = 5


def limit_alarms(run: RunRecord, window: Window | None) -> tuple[Verdict, ...]:
    """Judge the limits that a run must keep and tell of the others; nothing where none concerned the run.

    The value is how long a channel was beyond such a limit, else beyond any [s of the window].
    """
    told = alarms_of(run)
    if told is None or window is None:
        return ()
    inside = [one for one in told.crossed if _span(one, window) is not None]
    binding = [one for one in inside if one.run_must_keep]
    seconds = beyond_s(binding or inside, window)
    if binding:
        others = [one for one in inside if not one.run_must_keep]
        also = f" Besides, {_named(others, window)}." if others else ""
        text = f"{_named(binding, window)}. By the bench file runs must keep this: repeat the run.{also}"
        return (_verdict(seconds, 0.0, "fail", text + _rest(told)),)
    if told.unwatched:
        text = f"No usable reading in the window for {', '.join(told.unwatched[:SHOWN])}{_more(told.unwatched)}"
        named = f" {_named(inside, window)}." if inside else ""
        return (_verdict(seconds if inside else None, None, "not-applicable", f"{text}.{named}{_rest(told)}"),)
    if inside:
        text = f"{_named(inside, window)}. The bench file does not say that runs must keep this."
        return (_verdict(seconds, None, "not-applicable", text + _rest(told)),)
    return (_verdict(0.0, 0.0, "pass", _kept(told)),)


def beyond_s(alarms: Sequence[RunAlarm], window: Window) -> float:
    """Compute for how long at least one alarm lasted [s of the window]."""
    spans = sorted(span for one in alarms if (span := _span(one, window)) is not None)
    total_ns, until_ns = 0, window.begin_ns
    for begin_ns, end_ns in spans:
        total_ns += max(0, end_ns - max(begin_ns, until_ns))
        until_ns = max(until_ns, end_ns)
    return total_ns / 1e9


def _span(alarm: RunAlarm, window: Window) -> tuple[int, int] | None:
    """Cut an alarm, as far as readings tell of it, to the window [UTC ns]; None where it lies outside."""
    begin_ns = max(alarm.begin_ns, window.begin_ns)
    end_ns = min(alarm.seen_ns if alarm.end_ns is None else alarm.end_ns, window.end_ns)
    return (begin_ns, end_ns) if begin_ns <= end_ns else None


def _named(alarms: Sequence[RunAlarm], window: Window) -> str:
    """Say of each limit once how long and how far it was exceeded."""
    groups: dict[tuple[str, str, str, float], list[RunAlarm]] = {}
    for one in alarms:
        groups.setdefault((one.source, one.channel, one.side, one.limit), []).append(one)
    said = [_one_limit(group, window) for group in groups.values()]
    return f"{', '.join(said[:SHOWN])}{_more(said)}"


def _one_limit(alarms: Sequence[RunAlarm], window: Window) -> str:
    first = alarms[0]
    high = first.side == "high"
    worst = (max if high else min)(one.worst for one in alarms)
    times = "" if len(alarms) == 1 else f" in {len(alarms)} alarms"
    return (
        f"{first.source} {first.channel} was {'above' if high else 'below'} {first.limit:g} {first.unit} "
        f"for {beyond_s(alarms, window):.3g} s of the window{times} ({'up' if high else 'down'} to {worst:.4g})"
    )


def _more(named: Sequence[str]) -> str:
    return f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""


def _rest(told: RunAlarms) -> str:
    return f" {told.left_out} further alarms were not recorded with the run." if told.left_out else ""


def _kept(told: RunAlarms) -> str:
    if told.limits == 1:
        return "The limit that the bench sets for its instruments was not crossed in the window."
    return f"None of the {told.limits} limits that the bench sets for its instruments was crossed in the window."


def _verdict(value: float | None, limit: float | None, outcome: str, text: str) -> Verdict:
    return Verdict.model_validate(
        {"rule": RULE, "value": value, "limit": limit, "unit": "s", "outcome": outcome, "text": text}
    )
