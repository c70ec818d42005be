"""The zoneless stamps of PTDaemon and LoadGen, and what they are in UTC."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from wattmark.core.errors import InputError

NS = 1_000_000_000
HOUR_NS = 3600 * NS
_QUARTER_HOUR_NS, _HALF_HOUR_NS = HOUR_NS // 4, HOUR_NS // 2
_SLACK_NS = 2 * NS
_LEAST_COVERAGE = 0.5
_MOST_HOURS = 14
_GO_TOLERANCE_NS = 60 * NS
_STAMP = re.compile(r"([0-9]{2})-([0-9]{2})-([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?")
_YEARS = range(1970, 2262)


def parse_stamp(text: str) -> int:
    """Read "MM-DD-YYYY HH:MM:SS.mmm" as nanoseconds, as if the wall clock were UTC [ns]. Raises ValueError."""
    match = _STAMP.fullmatch(text.strip())
    if match is None:
        raise ValueError(text)
    month, day, year, hour, minute, second = (int(part) for part in match.groups()[:6])
    if year not in _YEARS:
        raise ValueError(text)
    whole = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    return int(whole.timestamp()) * NS + int((match[7] or "0").ljust(9, "0"))


@dataclass(frozen=True, slots=True)
class ClockReading:
    """How the stamps of the power log relate to LoadGen's window and to UTC.

    ``window_shift_ns`` is added to LoadGen's stamps to bring them onto the power log's clock; ``utc_offset_ns`` is
    what the power log's clock is ahead of UTC.
    """

    window_shift_ns: int
    utc_offset_ns: int
    decided_by: str

    def window_to_utc(self, t_ns: int) -> int:
        """Convert a stamp of LoadGen's window [ns UTC]."""
        return t_ns + self.window_shift_ns - self.utc_offset_ns


def find_window_shift(first_ns: int, last_ns: int, begin_ns: int, end_ns: int) -> int:
    """Find the shift by hours that puts LoadGen's window [begin, end] inside the power log [first, last] [ns].

    No shift wins when it covers the window; otherwise exactly one other whole hour must (a daylight-saving or zone
    difference between the two machines). A log with lines missing at an end may cover half of the window. Where no
    whole hour does, a half hour must cover all of it: some zones are 5:30 or 9:30 ahead of UTC.
    Raises `InputError` when nothing fits or several shifts fit.
    """
    coverage = {
        halves * _HALF_HOUR_NS: _coverage(
            first_ns, last_ns, begin_ns + halves * _HALF_HOUR_NS, end_ns + halves * _HALF_HOUR_NS
        )
        for halves in sorted(range(-2 * _MOST_HOURS, 2 * _MOST_HOURS + 1), key=abs)
    }
    hours = {shift: share for shift, share in coverage.items() if shift % HOUR_NS == 0}
    whole = [shift for shift, share in hours.items() if share >= 1.0]
    if 0 in whole:
        return 0
    if len(whole) > 1:
        raise InputError(
            f"the power log fits LoadGen's window at {len(whole)} different whole-hour shifts.",
            "Cut the power log to the measured run, so that only one shift fits.",
        )
    best = whole[0] if whole else max(hours, key=lambda shift: hours[shift])
    if hours[best] >= _LEAST_COVERAGE:
        return best
    best = max(coverage, key=lambda shift: coverage[shift])
    if coverage[best] < 1.0:
        raise InputError(
            f"the power log ({_show(first_ns)} to {_show(last_ns)}) does not cover LoadGen's window "
            f"({_show(begin_ns)} to {_show(end_ns)}), even after a shift by hours or half hours.",
            "Check that spl.txt and mlperf_log_detail.txt belong to the same run.",
        )
    return best


def find_utc_offset(first_ns: int, go_epoch_s: float | None) -> int | None:
    """Compute by how much the power log's clock is ahead of UTC, from the Unix time of the measurement's start [ns].

    Zones are multiples of a quarter of an hour. None when no start is known or the log starts elsewhere.
    """
    if go_epoch_s is None:
        return None
    difference = first_ns - round(go_epoch_s * 1e9)
    offset = round(difference / _QUARTER_HOUR_NS) * _QUARTER_HOUR_NS
    near = abs(difference - offset) <= _GO_TOLERANCE_NS
    return offset if near and abs(offset) <= _MOST_HOURS * HOUR_NS else None


def read_clock(first_ns: int, last_ns: int, begin_ns: int, end_ns: int, go_epoch_s: float | None) -> ClockReading:
    """Choose how stamps convert to UTC and state on what grounds. Raises `InputError` as `find_window_shift` does."""
    shift = find_window_shift(first_ns, last_ns, begin_ns, end_ns)
    offset = find_utc_offset(first_ns, go_epoch_s)
    same = "the power log covers LoadGen's window as written"
    moved = f"LoadGen's window was shifted by {shift / HOUR_NS:+g} h to lie inside the power log"
    if offset is None:
        zone = "no start in Unix time is known, so the power log's stamps were taken as UTC"
    elif offset == 0:
        zone = "server.json shows that the stamps are UTC"
    else:
        zone = f"server.json shows that the stamps are local time, UTC{offset / HOUR_NS:+g} h; they were converted"
    return ClockReading(shift, offset or 0, f"{moved if shift else same}; {zone}")


def _coverage(first_ns: int, last_ns: int, begin_ns: int, end_ns: int) -> float:
    overlap = min(end_ns, last_ns + _SLACK_NS) - max(begin_ns, first_ns - _SLACK_NS)
    return max(overlap, 0) / max(end_ns - begin_ns, 1)


def _show(t_ns: int) -> str:
    return datetime.fromtimestamp(t_ns // NS, tz=UTC).strftime("%Y-%m-%d %H:%M:%S")
