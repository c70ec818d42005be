"""Which limits of heat, power, current or clock a processor or GPU reached, and for which share of the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.verdict import Limits, Verdict, not_checked
from wattmark.core.numbers import format_number
from wattmark.core.texts import first_of

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
"""A state is not known for longer than this many usual steps before its reading, unless the reading is a mean."""
OVER_S = 10.0
"""Heat that still throttled so long after the load would be counted by then."""
NAMED = 5
_NOT_RECORDED: Mapping[LimitKind, str] = {
    "heat": "Heat was not recorded: no kernel counted throttling, and no GPU gave reasons for its clocks. Linux counts "
    "it for Intel processors, but not in a virtual machine; elsewhere compare clocks and temperatures on the trace",
    "power": "Power limits were not recorded: no limit in force with a readable power (over SSH also where answers "
    "take more than 0.3 s), and no GPU gave reasons for its clocks",
    "current": "Current limits were not recorded: no sensor of a processor or GPU with an alarm of current was read. "
    "Few have one, as curr*_alarm under /sys/class/hwmon; elsewhere compare clocks on the trace",
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
    "Not checked for throttling of {} that stood through the whole recording: no count shows it, and no temperature "
    "there was recorded below every limit at which the processor may throttle itself"
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
    mean_ns: int | None = None
    """The longest time that a reading is the mean of [ns]; None: it is that of an instant."""
    unread_ns: NDArray[np.int64] | None = None
    """Where no mean reaches across [ns]: ends of times without any reading of the machine, and unusable readings."""
    tells: NDArray[np.bool_] | None = None
    """Which readings tell whether the state was on; None: all do."""

    def spans(self) -> list[Span]:
        """Return where the state was on: the time from the reading before to each such reading."""
        return self._until(self.on)

    def known(self) -> list[Span]:
        """Return where the state was read, on or off."""
        return self._until(self.telling)

    @property
    def telling(self) -> NDArray[np.bool_]:
        """Return which readings tell whether the state was on."""
        return np.ones(len(self.t_ns), dtype=np.bool_) if self.tells is None else self.tells

    def _until(self, chosen: NDArray[np.bool_]) -> list[Span]:
        """Return the time that each chosen reading tells of, which ends with it."""
        steps_ns = np.diff(self.t_ns)
        usual_ns = int(np.median(steps_ns)) if len(steps_ns) else 0
        longest_ns = np.full(len(self.t_ns), round(LONGEST_STEPS * usual_ns))
        if self.mean_ns is not None:
            passed = np.searchsorted(np.zeros(0) if self.unread_ns is None else self.unread_ns, self.t_ns, side="right")
            longest_ns = np.where(np.diff(passed, prepend=passed[:1]) == 0, self.mean_ns, longest_ns)
        before_ns = np.minimum(np.concatenate(([usual_ns], steps_ns))[: len(self.t_ns)], longest_ns)
        return joined((self.t_ns - before_ns)[chosen], self.t_ns[chosen])


@dataclass(frozen=True, slots=True)
class CountedTime:
    """Time that the kernel counted a device in a state [ms], at stamps [ns]; each episode is added when it ends.

    ``events`` counts the begins of episodes, also of those that are too slight for a time. ``is_mean``: the time is the
    mean of several cores, whose episodes overlap, so that a gain does not say when it was. ``was_below``: a temperature
    of the same package says that it was not throttled all the time.
    """

    device: str
    kind: LimitKind
    cause: str
    t_ns: NDArray[np.int64]
    total_ms: NDArray[np.float64]
    events: NDArray[np.float64]
    is_mean: bool = False
    was_below: bool = False

    @property
    def may_have_stood(self) -> bool:
        """Return whether nothing contradicts an episode from before the first reading until after the last."""
        return not (self.was_below or np.any(np.diff(self.total_ms)) or np.any(np.diff(self.events)))

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
    was_below: bool = False

    @property
    def may_have_stood(self) -> bool:
        """Return whether nothing contradicts an episode from before the first reading until after the last."""
        return not (self.was_below or np.any(np.diff(self.count)))


@dataclass(frozen=True, slots=True)
class LimitReadings:
    """What was recorded of limits around a window; ``events`` where nothing tells a time."""

    states: tuple[SampledState, ...] = ()
    counted: tuple[CountedTime, ...] = ()
    events: CountedEvents | None = None

    def may_have_stood(self) -> list[str]:
        """Name what heat may have throttled from before the recording until after it."""
        of_events = ["the CPUs"] if self.events is not None and self.events.may_have_stood else []
        return [*of_events, *(counted.device for counted in self.counted if counted.may_have_stood)]


@dataclass(frozen=True, slots=True)
class LimitShare:
    """For which share of the window a device was at a limit [%]; ``most_pct`` is what it may have been at most."""

    device: str
    kind: LimitKind
    cause: str
    share_pct: float
    most_pct: float
    basis: str
    """What the share is based on: "292 s by 300 readings", "5.3 s by the count of the kernel"."""
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
    of = int(np.count_nonzero(state.telling & (state.t_ns > window.begin_ns) & (state.t_ns <= window.end_ns)))
    if not of:
        return None
    on_ns, known_ns = _inside_ns(state.spans(), window), _inside_ns(state.known(), window)
    window_ns = window.end_ns - window.begin_ns
    missing_ns = window_ns - known_ns
    unseen_ns = missing_ns if missing_ns > _longest_ns(state.t_ns) else 0
    share_pct, most_pct = (100 * part_ns / window_ns for part_ns in (on_ns, on_ns + unseen_ns))
    basis = f"{format_number(on_ns / 1e9, 3)} s by {of} readings{_unseen(unseen_ns)}"
    until_end = state.on[state.t_ns <= window.end_ns]
    stood_before = state.is_alarm and bool(until_end.all())
    if stood_before:
        basis = f"raised in all {len(until_end)} readings until the end of the window, so it says nothing of this load"
    elif state.is_alarm and on_ns == known_ns:
        basis += ", and clear before"
    return LimitShare(
        state.device, state.kind, state.cause, share_pct, most_pct, basis, state.set_by_plan, stood_before
    )


def _inside_ns(spans: Sequence[Span], window: Window) -> int:
    """Return how much of spans that do not overlap lies in the window."""
    return sum(max(0, min(end, window.end_ns) - max(begin, window.begin_ns)) for begin, end in spans)


def gap_ends(t_ns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the readings before which there is a gap, of readings in their order [ns]."""
    ends_ns: NDArray[np.int64] = t_ns[1:][np.diff(t_ns) > _longest_ns(t_ns)]
    return ends_ns


def _longest_ns(t_ns: NDArray[np.int64]) -> float:
    """Return from how far on two readings have a gap between them."""
    steps_ns = np.diff(t_ns)
    return LONGEST_STEPS * float(np.median(steps_ns)) if len(steps_ns) else 0.0


def _unseen_ns(t_ns: NDArray[np.int64], window: Window) -> int:
    """Return how much of the window no counter tells of; between two readings the next one tells what was."""
    outside_ns = np.array([t_ns[0] - window.begin_ns, window.end_ns - t_ns[-1]])
    gaps_ns = outside_ns.clip(0, window.end_ns - window.begin_ns)
    return int(gaps_ns[gaps_ns > _longest_ns(t_ns)].sum())


def _unseen(unseen_ns: int) -> str:
    return f"; nothing was read for {format_number(unseen_ns / 1e9, 3)} s" if unseen_ns else ""


def _counted(counted: CountedTime, window: Window) -> LimitShare | None:
    if not np.any((counted.t_ns > window.begin_ns) & (counted.t_ns <= window.end_ns)):
        return None
    inside_ns, late_ns = _of_cores(counted, window) if counted.is_mean else (_inside_ns(counted.spans(), window), 0.0)
    since_ns = counted.open_since(window)
    open_ns = 0 if since_ns is None else window.end_ns - max(since_ns, window.begin_ns)
    unseen_ns = 0 if open_ns else _unseen_ns(counted.t_ns, window)
    share_pct, most_pct = (
        min(100.0, 100 * part_ns / (window.end_ns - window.begin_ns))
        for part_ns in (inside_ns, inside_ns + late_ns + open_ns + unseen_ns)
    )
    basis = f"{format_number(inside_ns / 1e9, 3)} s by the count of the kernel"
    if open_ns:
        basis += f", and perhaps the last {format_number(open_ns / 1e9, 3)} s, which no later reading shows ended"
    basis += _unseen(unseen_ns)
    return LimitShare(counted.device, counted.kind, counted.cause, share_pct, most_pct, basis)


def _of_cores(counted: CountedTime, window: Window) -> tuple[float, float]:
    """Return what was counted from begin to end [ns], and soon after it, which may have been in the window too."""
    at_ns = (window.begin_ns, window.end_ns, window.end_ns + round(OVER_S * 1e9))
    before, last, late = (max(0, int(np.searchsorted(counted.t_ns, t_ns, side="right")) - 1) for t_ns in at_ns)
    total_ns = 1e6 * counted.total_ms
    return float(total_ns[last] - total_ns[before]), float(total_ns[late] - total_ns[last])


def _verdict(kind: LimitKind, shares: Sequence[LimitShare], limit_pct: float) -> Verdict:
    """Evaluate the shares of a kind; alarms that stood before are in no share of this load."""
    rule, telling = RULES[kind], [share for share in shares if not share.stood_before]
    if not telling:
        return not_checked(rule, limit_pct, "%", f"{'; '.join(map(str, shares)) or _NOT_RECORDED[kind]}.")
    worst_pct, most_pct = (max(getattr(share, name) for share in telling) for name in ("share_pct", "most_pct"))
    text = _listed(telling) or f"{_NONE[kind]} ({telling[0].device}: {telling[0].basis})"
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
    if verdict.outcome == "pass" and (devices := readings.may_have_stood()):
        text = _MAY_HAVE_STOOD.format(" and ".join(devices))
        return replace(verdict, outcome="not-checked", text=f"{verdict.text} {text}.")
    return verdict


def _listed(shares: Sequence[LimitShare]) -> str:
    """Describe the states that were on, the greatest share first; empty where none was."""
    reached = sorted((share for share in shares if share.most_pct > 0), key=lambda share: -share.share_pct)
    return first_of([str(share) for share in reached], NAMED, "; ")


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
    unseen_ns = _unseen_ns(events.t_ns, window)
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
