"""A named rule with its value, its limit and its outcome; and the limits, in one place, of method and standards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["pass", "fail", "not-checked"]
ONE_READING = 1.001
"""One period, but for rounding."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of one rule; ``value`` and ``limit`` are in ``unit``, None where they do not exist."""

    rule: str
    value: float | None
    limit: float | None
    unit: str
    outcome: Outcome
    text: str


def at_most(rule: str, value: float, limit: float, unit: str, text: str) -> Verdict:
    """Evaluate |value| <= limit."""
    return Verdict(rule, value, limit, unit, "pass" if abs(value) <= limit else "fail", text)


def not_checked(rule: str, limit: float | None, unit: str, text: str) -> Verdict:
    """Return a verdict "not checked" with its reason."""
    return Verdict(rule, None, limit, unit, "not-checked", text)


def each_rule(rules: Sequence[str], verdicts: Iterable[Verdict], reason: str) -> tuple[Verdict, ...]:
    """Return the verdicts of a stage, in the order of its rules; a rule that it did not reach is not checked.

    A stage names its rules once, so that none of them is ever absent. ``reason`` says why it did not come so far.
    """
    reached = tuple(verdicts)
    judged = {verdict.rule for verdict in reached}
    missing = (not_checked(rule, None, "1", reason) for rule in rules if rule not in judged)
    position = {rule: place for place, rule in enumerate(rules)}
    return tuple(sorted((*reached, *missing), key=lambda verdict: position.get(verdict.rule, len(rules))))


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits that a laboratory may tighten; the defaults are those of the method."""

    gap_bridged: float = 5.0
    """Gaps up to this many nominal intervals are bridged by the integration rule, longer ones are not."""
    gap_share_pct: float = 1.0
    """Cells without a good reading that add up to more than this share of the window refuse the result."""
    supply_efficiency: float = 0.7
    """Lowest efficiency of a supply at its rated load [1]; power above rating / this is impossible."""
    frozen_samples: int = 60
    """Power under load that repeats for more readings than this is not a measurement."""
    edge_hold: float = 1.5
    """The outermost value is held for at most this many nominal intervals to reach the edge of the window."""
    counter_share_pct: float = 0.5
    """A register whose q/sqrt(6) exceeds this share of the energy is too coarse for the window."""
    register_share_pct: float = 0.1
    """A register is preferred to the integral of power where its q/sqrt(6) is at most this share of the energy."""
    bad_samples_pct: float = 5.0
    """Share of bad samples in the window (SPEC CPU2017 harness)."""
    at_limit_pct: float = 1.0
    """Share of the window at a limit of heat or power that changes the mean by no more than a drift may."""
    drift_pct: float = 1.0
    half_split_pct: float = 1.0
    block_cv_pct: float = 1.0
    block_s: float = 30.0
    change_point_pct: float = 2.0
    n_eff: float = 10.0
    length_missing_s: float = 1.5
    """Allowed shortfall of a window from the requested length: a program that reports every second marks the begin with
    its first report, and takes a moment to start and to end."""
    length_missing_pct: float = 5.0
    """Allowed shortfall of a long window: as much as the rules of full load allow to other processes."""
    pause_usual: float = 5.0
    """A load that pauses for this many times its usual pause has stopped; work in random bursts stays below this."""
    pause_s: float = 2.0
    """A shorter pause is normal on a busy machine or network."""
    pause_pct: float = 5.0
    """A shorter pause, by the window, changes the mean by less than the rules of full load allow."""
    short_window_s: float = 60.0
    short_window_samples: int = 20
    """Below either of these two, steadiness is not judged."""

    def most_lost_s(self, duration_s: float, period_s: float) -> float:
        """Compute the longest time of a window without a good reading [s]; one reading may always be missing."""
        return max(self.gap_share_pct / 100 * duration_s, ONE_READING * period_s)

    def least_length_s(self, asked_s: float) -> float:
        """Compute the shortest window for a load of the requested duration [s]."""
        return max(0.0, asked_s - max(self.length_missing_s, self.length_missing_pct / 100 * asked_s))

    def longest_pause_s(self, usual_s: float, duration_s: float) -> float:
        """Compute the longest pause of a load that usually makes progress within ``usual_s`` [s]."""
        return max(self.pause_usual * usual_s, self.pause_s, self.pause_pct / 100 * duration_s)

    def too_short(self, duration_s: float, samples: int) -> bool:
        """Return whether a window is too short to judge steadiness."""
        return duration_s < self.short_window_s or samples < self.short_window_samples
