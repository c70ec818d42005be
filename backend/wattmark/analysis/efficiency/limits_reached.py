"""Which limits of heat, power, current or clock a processor or GPU reached, and for which share of the window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.verdict import Limits, Verdict, not_checked
from wattmark.core.numbers import format_number

LimitKind = Literal["heat", "power", "current", "clock", "alarm"]
RULES: Mapping[LimitKind, str] = {
    "heat": "thermal-limit",
    "power": "power-limit",
    "current": "current-limit",
    "clock": "clock-limit",
}
"""The rule of each kind; an alarm of a sensor says that somebody's limit was passed, not that anything was slowed."""
LIMIT_RULES = tuple(RULES.values())
HEAT_RULE = RULES["heat"]
AT_LIMIT = 0.98
"""A power this close to its limit is at it, a clock below this share is below: RAPL's limits are in steps of 1/8 W,
and what it regulates scatters about the limit from one second to the next."""
LONGEST_STEPS = 2.5
"""A state is not known for longer than this many usual steps before its reading."""
OVER_S = 10.0
"""Heat that still throttled so long after the load would be counted by then."""
NAMED = 5
_NOT_RECORDED: Mapping[LimitKind, str] = {
    "heat": "Heat was not recorded: no kernel counted throttling, and no GPU gave reasons for its clocks",
    "power": "Power limits were not recorded: no limit in force with a readable power, and no GPU gave reasons for its "
    "clocks",
    "current": "Current limits were not recorded: no sensor with an alarm of current was read",
    "clock": "Clocks were not judged: no base clock is known or the load was never full, and no GPU gave reasons",
}
_NONE: Mapping[LimitKind, str] = {
    "heat": "No throttling by heat was recorded",
    "power": "No power limit was reached",
    "current": "No limit of current was reached",
    "clock": "No clock was below its limit",
}
_REMEDY: Mapping[LimitKind, str] = {
    "heat": "Improve the cooling, then repeat the run.",
    "power": "The limit decided the clock: raise it, or state it with the result.",
    "current": "Check the power supplies and the voltage regulators.",
    "clock": "What held it is not stated: compare governor, set clocks and the other limits.",
}
_REMEDY_OF_PLAN: Mapping[LimitKind, str] = {
    "power": "The plan set {}: state it with the result.",
    "clock": "What held it is not stated; the plan set {}.",
}
"""What is said instead of a device whose limit the plan itself has set."""
_MAY_HAVE_STOOD = (
    "Not checked for throttling that stood through the whole recording: no count shows it, and no temperature was "
    "recorded with the limit at which the processor throttles itself"
)
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SampledState:
    """A state of a device at the stamps of its readings [ns since 1970 UTC]."""

    device: str
    kind: LimitKind
    cause: str
    t_ns: NDArray[np.int64]
    on: NDArray[np.bool_]
    set_by_plan: str = ""
    """The settings of the plan that bring the state about, in words; empty: none does."""
    is_alarm: bool = False
    """Whether it is the flag of a sensor, which may stand for years: that of an open input, for example."""

    def spans(self) -> list[Span]:
        """Return where the state was on: the time from the reading before to each such reading."""
        if not self.on.any():
            return []
        steps_ns = np.diff(self.t_ns)
        usual_ns = int(np.median(steps_ns)) if len(steps_ns) else 0
        before_ns = np.minimum(np.concatenate(([usual_ns], steps_ns)), round(LONGEST_STEPS * usual_ns))
        return joined((self.t_ns - before_ns)[self.on], self.t_ns[self.on])


@dataclass(frozen=True, slots=True)
class CountedTime:
    """Time that the kernel counted a device in a state [ms], at stamps [ns]; each episode is added when it ends.

    ``events`` counts the begins of episodes, also of those that are too slight for a time. ``is_mean``: the time is the
    mean of several cores, whose episodes overlap, so that a gain does not say when it was. ``has_state``: a state of
    the same machine says whether it was throttled all the time.
    """

    device: str
    kind: LimitKind
    cause: str
    t_ns: NDArray[np.int64]
    total_ms: NDArray[np.float64]
    events: NDArray[np.float64]
    is_mean: bool = False
    has_state: bool = False

    @property
    def may_have_stood(self) -> bool:
        """Return whether nothing contradicts an episode from before the first reading until after the last."""
        return not (self.has_state or np.any(np.diff(self.total_ms)) or np.any(np.diff(self.events)))

    def spans(self) -> list[Span]:
        """Return the episodes that ended: each began its duration before the reading that shows it."""
        gained_ns = np.round(np.diff(self.total_ms) * 1e6).astype(np.int64)
        ended = np.flatnonzero(gained_ns > 0)
        end_ns = self.t_ns[ended + 1]
        return joined(end_ns - gained_ns[ended], end_ns)

    def open_since(self, window: Window) -> int | None:
        """Return since when an episode may go on that no later reading shows ended; None where there is none."""
        if not len(self.t_ns) or self.t_ns[-1] >= window.end_ns + OVER_S * 1e9:
            return None
        ended = np.flatnonzero(np.diff(self.total_ms) > 0)
        begun = np.flatnonzero(np.diff(self.events) > 0)
        after = begun[begun > ended[-1]] if len(ended) else begun
        return int(self.t_ns[after[0]]) if len(after) and self.t_ns[after[0]] < window.end_ns else None


@dataclass(frozen=True, slots=True)
class CountedEvents:
    """Throttle events of all processors of a machine whose kernel counts no time, at stamps [ns]."""

    t_ns: NDArray[np.int64]
    count: NDArray[np.float64]
    has_state: bool = False

    @property
    def may_have_stood(self) -> bool:
        """Return whether nothing contradicts an episode from before the first reading until after the last."""
        return not (self.has_state or np.any(np.diff(self.count)))


@dataclass(frozen=True, slots=True)
class LimitReadings:
    """What was recorded of limits around a window; ``events`` where nothing tells a time."""

    states: tuple[SampledState, ...] = ()
    counted: tuple[CountedTime, ...] = ()
    events: CountedEvents | None = None

    @property
    def may_have_stood(self) -> bool:
        """Return whether a processor may have been throttled by heat from before the recording until after it."""
        of_events = self.events is not None and self.events.may_have_stood
        return of_events or any(counted.may_have_stood for counted in self.counted)


@dataclass(frozen=True, slots=True)
class LimitShare:
    """For which share of the window a device was at a limit [%]; ``most_pct`` is what it may have been at most."""

    device: str
    kind: LimitKind
    cause: str
    share_pct: float
    most_pct: float
    basis: str
    """What the share is based on: "292 of 300 readings", "5.3 s by the count of the kernel"."""
    set_by_plan: str = ""
    """As of its state."""
    stood_before: bool = False
    """Whether it is an alarm that was raised from the first reading on, so that it says nothing of this load."""

    def __str__(self) -> str:
        share = "less than 0.01" if 0 < self.share_pct < 0.01 else format_number(self.share_pct, 3)
        return f"{self.device}: {self.cause} in {share} % of the window ({self.basis})"


def limit_shares(readings: LimitReadings, window: Window) -> tuple[LimitShare, ...]:
    """Compute for each state its share of the window [%]; one without a reading in it is excluded."""
    shares = [*(_sampled(state, window) for state in readings.states), *(_counted(c, window) for c in readings.counted)]
    return tuple(share for share in shares if share is not None)


def limit_verdicts(
    readings: LimitReadings, shares: Sequence[LimitShare], window: Window, limits: Limits
) -> tuple[Verdict, ...]:
    """Evaluate for each kind of limit the greatest share of a device [% of the window]."""
    by_kind = {kind: [share for share in shares if share.kind == kind] for kind in RULES}
    verdicts = {kind: _verdict(kind, of_kind, limits.at_limit_pct) for kind, of_kind in by_kind.items()}
    verdicts["heat"] = _with_counters(verdicts["heat"], readings, window)
    return tuple(verdicts.values())


def joined(begin_ns: NDArray[np.int64], end_ns: NDArray[np.int64], apart_ns: int = 0) -> list[Span]:
    """Join ordered spans that touch, or are no further apart than ``apart_ns``."""
    if not len(begin_ns):
        return []
    first = np.flatnonzero(np.concatenate(([True], begin_ns[1:] - end_ns[:-1] > apart_ns)))
    last = np.append(first[1:] - 1, len(end_ns) - 1)
    return list(zip(begin_ns[first].tolist(), end_ns[last].tolist(), strict=True))


def _sampled(state: SampledState, window: Window) -> LimitShare | None:
    inside = (state.t_ns > window.begin_ns) & (state.t_ns <= window.end_ns)
    of = int(np.count_nonzero(inside))
    if not of:
        return None
    on = int(np.count_nonzero(state.on & inside))
    share_pct = 100 * on / of
    unseen_ns = _unseen_ns(state.t_ns, window)
    most_pct = min(100.0, share_pct + 1e-7 * unseen_ns / window.duration_s)
    basis = f"{on} of {of} readings{_unseen(unseen_ns)}"
    until_end = state.on[state.t_ns <= window.end_ns]
    stood_before = state.is_alarm and bool(until_end.all())
    if stood_before:
        basis = f"raised in all {len(until_end)} readings until the end of the window, so it says nothing of this load"
    elif state.is_alarm and on == of:
        basis += ", and clear before"
    return LimitShare(
        state.device, state.kind, state.cause, share_pct, most_pct, basis, state.set_by_plan, stood_before
    )


def _longest_ns(t_ns: NDArray[np.int64]) -> float:
    """Return from how far on two readings have a gap between them."""
    steps_ns = np.diff(t_ns)
    return LONGEST_STEPS * float(np.median(steps_ns)) if len(steps_ns) else 0.0


def _unseen_ns(t_ns: NDArray[np.int64], window: Window, *, counter: bool = False) -> int:
    """Return how much of the window no reading tells of; a counter tells with its next reading what was between."""
    inside = t_ns[(t_ns > window.begin_ns) & (t_ns <= window.end_ns)]
    gaps_ns = np.diff(np.concatenate(([window.begin_ns], inside, [window.end_ns])))
    if counter:
        outside_ns = np.array([t_ns[0] - window.begin_ns, window.end_ns - t_ns[-1]])
        gaps_ns = outside_ns.clip(0, window.end_ns - window.begin_ns)
    return int(gaps_ns[gaps_ns > _longest_ns(t_ns)].sum())


def _unseen(unseen_ns: int) -> str:
    return f"; nothing was read for {format_number(unseen_ns / 1e9, 3)} s" if unseen_ns else ""


def _counted(counted: CountedTime, window: Window) -> LimitShare | None:
    if not np.any((counted.t_ns > window.begin_ns) & (counted.t_ns <= window.end_ns)):
        return None
    if counted.is_mean:
        return _counted_mean(counted, window)
    inside_ns = sum(max(0, min(end, window.end_ns) - max(begin, window.begin_ns)) for begin, end in counted.spans())
    since_ns = counted.open_since(window)
    open_ns = 0 if since_ns is None else window.end_ns - max(since_ns, window.begin_ns)
    unseen_ns = 0 if open_ns else _unseen_ns(counted.t_ns, window, counter=True)
    share_pct, most_pct = (
        1e-7 * part_ns / window.duration_s for part_ns in (inside_ns, inside_ns + open_ns + unseen_ns)
    )
    basis = f"{format_number(inside_ns / 1e9, 3)} s by the count of the kernel"
    if open_ns:
        basis += f", and perhaps the last {format_number(open_ns / 1e9, 3)} s, which no later reading shows ended"
    basis += _unseen(unseen_ns)
    return LimitShare(counted.device, counted.kind, counted.cause, share_pct, most_pct, basis)


def _counted_mean(counted: CountedTime, window: Window) -> LimitShare:
    """Take what was counted from begin to end; what is counted soon after it may have been in the window too."""
    at_ns = (window.begin_ns, window.end_ns, window.end_ns + round(OVER_S * 1e9))
    before, last, late = (max(0, int(np.searchsorted(counted.t_ns, t_ns, side="right")) - 1) for t_ns in at_ns)
    share_pct, most_pct = (
        min(100.0, 0.1 * float(counted.total_ms[i] - counted.total_ms[before]) / window.duration_s)
        for i in (last, late)
    )
    since_ns = counted.open_since(window)
    open_ns = 0 if since_ns is None else window.end_ns - max(since_ns, window.begin_ns)
    unseen_ns = 0 if open_ns else _unseen_ns(counted.t_ns, window, counter=True)
    most_pct = min(100.0, most_pct + 1e-7 * (open_ns + unseen_ns) / window.duration_s)
    basis = f"{format_number(share_pct * window.duration_s / 100, 3)} s by the count of the kernel{_unseen(unseen_ns)}"
    return LimitShare(counted.device, counted.kind, counted.cause, share_pct, most_pct, basis)


def _verdict(kind: LimitKind, shares: Sequence[LimitShare], limit_pct: float) -> Verdict:
    """Evaluate the shares of a kind; alarms that stood before are in no share of this load."""
    rule, telling = RULES[kind], [share for share in shares if not share.stood_before]
    if not telling:
        return not_checked(rule, limit_pct, "%", f"{'; '.join(map(str, shares)) or _NOT_RECORDED[kind]}.")
    worst_pct, most_pct = (max(getattr(share, name) for share in telling) for name in ("share_pct", "most_pct"))
    text = "; ".join(_listed(telling)) or f"{_NONE[kind]} ({telling[0].device}: {telling[0].basis})"
    if worst_pct > limit_pct:
        over = [share for share in telling if share.share_pct > limit_pct]
        return Verdict(rule, worst_pct, limit_pct, "%", "fail", f"{text}. {_remedy(kind, over)}")
    return Verdict(rule, worst_pct, limit_pct, "%", "pass" if most_pct <= limit_pct else "not-checked", f"{text}.")


def _remedy(kind: LimitKind, over: Sequence[LimitShare]) -> str:
    """Say what to do about devices over a limit; what the plan has set itself is no fault to be removed."""
    by_plan = dict.fromkeys(share.set_by_plan for share in over if share.set_by_plan)
    parts = [_REMEDY_OF_PLAN[kind].format(" and ".join(by_plan))] if by_plan else []
    if not all(share.set_by_plan for share in over):
        parts.append(_REMEDY[kind])
    return " ".join(parts)


def _with_counters(verdict: Verdict, readings: LimitReadings, window: Window) -> Verdict:
    """Evaluate heat also by what is counted as events alone, and by what no counter shows.

    A GPU that states reasons says nothing of the processors, so the worse of both counts.
    """
    if readings.events is not None and verdict.outcome != "fail":
        by_events = _by_events(readings.events, window)
        if by_events.outcome != "pass" or verdict.value is None:
            verdict = by_events
    if verdict.outcome == "pass" and readings.may_have_stood:
        return replace(verdict, outcome="not-checked", text=f"{verdict.text} {_MAY_HAVE_STOOD}.")
    return verdict


def _listed(shares: Sequence[LimitShare]) -> Iterator[str]:
    """Describe the states that were on, the greatest share first."""
    reached = sorted((share for share in shares if share.most_pct > 0), key=lambda share: -share.share_pct)
    yield from map(str, reached[:NAMED])
    if len(reached) > NAMED:
        yield f"{len(reached) - NAMED} more"


def _by_events(events: CountedEvents, window: Window) -> Verdict:
    """Evaluate throttle events of processors whose kernel counts no time.

    An event lies between two readings, so the last reading before the window and the first one after it count too.
    Where they are further away than usual, an event between may have been in the window or not.
    """
    first = max(0, int(np.searchsorted(events.t_ns, window.begin_ns, side="right")) - 1)
    t_ns, count = events.t_ns[first:], events.count[first:]
    until = int(np.searchsorted(t_ns, window.end_ns)) + 1
    t_ns, count = t_ns[:until], count[:until]
    longest_ns = _longest_ns(events.t_ns)
    near = count[(t_ns >= window.begin_ns - longest_ns) & (t_ns <= window.end_ns + longest_ns)]
    throttled = float(near[-1] - near[0]) if len(near) else 0.0
    perhaps = float(count[-1] - count[0])
    unseen_ns = _unseen_ns(events.t_ns, window, counter=True)
    rule = RULES["heat"]
    if not np.any((t_ns > window.begin_ns) & (t_ns <= window.end_ns)):
        return not_checked(rule, 0.0, "1", f"{_NOT_RECORDED['heat']}.")
    if throttled > 0:
        text = f"Throttle events of the CPUs between the readings around the window: {throttled:.0f}. {_REMEDY['heat']}"
        return Verdict(rule, throttled, 0.0, "1", "fail", text)
    if perhaps > 0:
        text = f"Throttle events of the CPUs, perhaps in the window: {perhaps:.0f}. Nothing was read at its edge."
        return Verdict(rule, 0.0, 0.0, "1", "not-checked", text)
    text = f"The kernel counted no throttle event in the window{_unseen(unseen_ns)}."
    return Verdict(rule, 0.0, 0.0, "1", "not-checked" if unseen_ns else "pass", text)
