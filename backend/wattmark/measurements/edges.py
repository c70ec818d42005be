"""Where a window lies whose begin and end were said over the network."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.workloads.marks import Mark

CLOCKS_AGREE = 1e-3
"""By how much of a duration the clocks of two machines may differ: ten times the worst crystal."""
LATENESS_S = 1e-3
MATTERS = 0.01
"""Share of the window above which a person is told of the time that its edges are unknown by."""


@dataclass(frozen=True, slots=True)
class MarkedWindow:
    """A window by the clock here, and the standard uncertainty of its place [s]; None: nobody said how it was known."""

    begin: Mark
    end: Mark
    u_s: float | None

    def at(self, elapsed_s: float) -> int:
        """Return an instant of the window by the time since its begin [UTC ns]."""
        return min(self.begin.utc_ns + round(elapsed_s * 1e9), self.end.utc_ns)

    @property
    def remark(self) -> str | None:
        """Say what would place the window better, where that matters."""
        half_s = 0.0 if self.u_s is None else self.u_s * math.sqrt(3.0)
        duration_s = self.end.since(self.begin)
        if half_s <= MATTERS * duration_s:
            return None
        return (
            f"The window of {format_number(duration_s, 3)} s is known to ±{format_number(half_s, 2)} s, from how long "
            f"the requests about it took. Let the work last {format_number(half_s / MATTERS, 2)} s."
        )


def place_window(begun: Mark, ended: Mark, elapsed_s: float | None, round_trip_s: float | None) -> MarkedWindow:
    """Place the window of work between the arrivals of the two requests about it.

    The work began at most ``round_trip_s`` after its first request arrived, took ``elapsed_s`` by the clock of who did
    it, and was over when the second one arrived. Its length is then known, and its place is a rectangle; without
    ``round_trip_s`` it is anywhere between the requests. Without ``elapsed_s`` the window is from arrival to arrival.
    A clock that was set meanwhile shows as the difference of both clocks between begin and end. Raises `InputError` for
    a duration that does not fit.
    """
    between_s = ended.since(begun)
    if elapsed_s is None:
        return MarkedWindow(begun, ended, None)
    slack_s = between_s - elapsed_s
    if slack_s < -(CLOCKS_AGREE * between_s + LATENESS_S):
        raise InputError(
            f"elapsed_s is {format_number(elapsed_s, 6)} s, and only {format_number(between_s, 6)} s passed here.",
            "Take the time after the answer to begin, and again before the request to end.",
        )
    half_s = max(0.0, slack_s if round_trip_s is None else min(round_trip_s, slack_s)) / 2
    before_end_s = between_s - half_s - min(elapsed_s, between_s)
    return MarkedWindow(_later(begun, half_s), _later(ended, -before_end_s), half_s / math.sqrt(3.0))


def _later(mark: Mark, seconds: float) -> Mark:
    step_ns = round(seconds * 1e9)
    return Mark(mark.utc_ns + step_ns, mark.monotonic_ns + step_ns)
