"""Which limits of heat, power, current or clock a processor or GPU reached, and for which share of the window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    "power": "Power limits were not recorded: no limit with a readable power, and no GPU gave reasons for its clocks",
    "current": "Current limits were not recorded: no sensor with an alarm of current was read",
    "clock": "Clocks were not judged: no base clock is known or the load was never full, and no GPU gave reasons",
}
_NONE: Mapping[LimitKind, str] = {
    "heat": "Heat slowed nothing down",
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
    mean of several cores, whose episodes overlap, so that a gain does not say when it was.
    """

    device: str
    kind: LimitKind
    cause: str
    t_ns: NDArray[np.int64]
    total_ms: NDArray[np.float64]
    events: NDArray[np.float64]
    is_mean: bool = False

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
class LimitReadings:
    """What was recorded of limits around a window; ``events`` are throttle events in it where nothing tells a time."""

    states: tuple[SampledState, ...] = ()
    counted: tuple[CountedTime, ...] = ()
    events: float | None = None


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

    def __str__(self) -> str:
        share = "less than 0.01" if 0 < self.share_pct < 0.01 else format_number(self.share_pct, 3)
        return f"{self.device}: {self.cause} in {share} % of the window ({self.basis})"


def limit_shares(readings: LimitReadings, window: Window) -> tuple[LimitShare, ...]:
    """Compute for each state its share of the window [%]; one without a reading in it is excluded."""
    shares = [*(_sampled(state, window) for state in readings.states), *(_counted(c, window) for c in readings.counted)]
    return tuple(share for share in shares if share is not None)


def limit_verdicts(readings: LimitReadings, shares: Sequence[LimitShare], limits: Limits) -> tuple[Verdict, ...]:
    """Evaluate for each kind of limit the greatest share of a device [% of the window]."""
    return tuple(_verdict(kind, readings, [s for s in shares if s.kind == kind], limits.at_limit_pct) for kind in RULES)


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
    return LimitShare(state.device, state.kind, state.cause, share_pct, most_pct, basis, state.set_by_plan)


def _unseen_ns(t_ns: NDArray[np.int64], window: Window, *, counter: bool = False) -> int:
    """Return how much of the window no reading tells of; a counter tells with its next reading what was before."""
    inside = t_ns[(t_ns > window.begin_ns) & (t_ns <= window.end_ns)]
    steps_ns = np.diff(t_ns)
    longest_ns = LONGEST_STEPS * float(np.median(steps_ns)) if len(steps_ns) else 0.0
    gaps_ns = np.diff(np.concatenate(([window.begin_ns], inside, [window.end_ns])))
    if counter:
        gaps_ns = gaps_ns[-1:] if t_ns[-1] < window.end_ns else gaps_ns[:0]
    return int(gaps_ns[gaps_ns > longest_ns].sum())


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


def _verdict(kind: LimitKind, readings: LimitReadings, shares: Sequence[LimitShare], limit_pct: float) -> Verdict:
    rule = RULES[kind]
    if kind == "heat" and readings.events is not None and (readings.events > 0 or not shares):
        return _by_events(readings.events)  # a GPU that states reasons says nothing of the processors
    if not shares:
        return not_checked(rule, limit_pct, "%", f"{_NOT_RECORDED[kind]}.")
    worst_pct, most_pct = (max(getattr(share, name) for share in shares) for name in ("share_pct", "most_pct"))
    text = "; ".join(_listed(shares)) or f"{_NONE[kind]} ({shares[0].device}: {shares[0].basis})"
    if worst_pct > limit_pct:
        over = [share for share in shares if share.share_pct > limit_pct]
        return Verdict(rule, worst_pct, limit_pct, "%", "fail", f"{text}. {_remedy(kind, over)}")
    return Verdict(rule, worst_pct, limit_pct, "%", "pass" if most_pct <= limit_pct else "not-checked", f"{text}.")


def _remedy(kind: LimitKind, over: Sequence[LimitShare]) -> str:
    """Say what to do about devices over a limit; what the plan has set itself is no fault to be removed."""
    by_plan = dict.fromkeys(share.set_by_plan for share in over if share.set_by_plan)
    parts = [_REMEDY_OF_PLAN[kind].format(" and ".join(by_plan))] if by_plan else []
    if not all(share.set_by_plan for share in over):
        parts.append(_REMEDY[kind])
    return " ".join(parts)


def _listed(shares: Sequence[LimitShare]) -> Iterator[str]:
    """Describe the states that were on, the greatest share first."""
    reached = sorted((share for share in shares if share.most_pct > 0), key=lambda share: -share.share_pct)
    yield from map(str, reached[:NAMED])
    if len(reached) > NAMED:
        yield f"{len(reached) - NAMED} more"


def _by_events(events: float) -> Verdict:
    """Evaluate throttle events of processors whose kernel counts no time."""
    if events > 0:
        text = f"The CPUs were throttled {events:.0f} times in the window. {_REMEDY['heat']}"
        return Verdict(RULES["heat"], events, 0.0, "1", "fail", text)
    return Verdict(RULES["heat"], 0.0, 0.0, "1", "pass", "The kernel counted no throttle event in the window.")
