"""Stamps as CSV files have them: a form that a person declared, and what a text of that form is."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from wattmark.core.amounts import LATEST_NS

NS = 1_000_000_000
FORMATS = '"iso 8601", "unix s", "unix ms", "unix us", "unix ns", or one such as "%d.%m.%Y %H:%M:%S"'
_UNIX_NS = {"unix s": NS, "unix ms": 1_000_000, "unix us": 1_000, "unix ns": 1}
ISO = "iso 8601"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONE = r"(?P<z>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)"
_FIELDS = {
    "Y": r"(?P<Y>[0-9]{4})",
    "y": r"(?P<y>[0-9]{2})",
    "m": r"(?P<m>[0-9]{1,2})",
    "d": r"(?P<d>[0-9]{1,2})",
    "b": r"(?P<b>[A-Za-z]{3})",
    "H": r"(?P<H>[0-9]{1,2})",
    "I": r"(?P<I>[0-9]{1,2})",
    "M": r"(?P<M>[0-9]{2})",
    "S": r"(?P<S>[0-9]{2})(?:[.,](?P<f>[0-9]{1,9}))?",
    "p": r"(?P<p>[AaPp][Mm])",
    "z": _ZONE,
}
_ISO_PATTERN = re.compile(
    r"(?P<Y>[0-9]{4})-(?P<m>[0-9]{2})-(?P<d>[0-9]{2})[T ](?P<H>[0-9]{2}):(?P<M>[0-9]{2})"
    rf"(?::(?P<S>[0-9]{{2}})(?:[.,](?P<f>[0-9]{{1,9}}))?)? ?{_ZONE}?"
)
_UNIX = re.compile(r"([0-9]{1,19})(?:\.([0-9]{1,12}))?")
YEAR_2000_S = 946_684_800
_EXCEL_2000, _EXCEL_2100 = 36_526, 73_051
"""Days from 1900, as spreadsheets count them."""
_EPOCH = date(1970, 1, 1).toordinal()


class Stamp(NamedTuple):
    """An instant: UTC [ns] where ``aware``, else the wall clock as written, as if UTC [ns]."""

    t_ns: int
    aware: bool
    digits: int
    """Decimals of a second that were written; negative: seconds were not."""


def names_zone(form: str) -> bool:
    """Return whether every stamp of a form includes its time zone. Stamps of ISO 8601 may or may not."""
    return form in _UNIX_NS or "%z" in form


def problem_of(form: str) -> str | None:
    """Return why a form cannot be used; None where it can."""
    if form == ISO or form in _UNIX_NS:
        return None
    fields = re.findall(r"%(.?)", form)
    for name in fields:
        if name not in _FIELDS:
            return f"has %{name}"
        if fields.count(name) > 1:
            return f"has %{name} twice"
    for names, what in (("Yy", "year"), ("mb", "month"), ("d", "day"), ("HI", "hour"), ("M", "minute")):
        if sum(name in names for name in fields) != 1:
            return f"names no {what}, or two"
    return "has %I without %p" if ("I" in fields) != ("p" in fields) else None


@lru_cache(maxsize=64)
def _pattern(form: str) -> re.Pattern[str]:
    if form == ISO:
        return _ISO_PATTERN
    parts = re.split(r"(%.|\s+)", form)
    return re.compile(
        "".join(_FIELDS[p[1]] if p[:1] == "%" else r"\s+" if p.isspace() else re.escape(p) for p in parts)
    )


def parse_stamp(text: str, form: str) -> Stamp:
    """Read a stamp of a form for which `problem_of` is None. Raises ValueError."""
    if (unit_ns := _UNIX_NS.get(form)) is not None:
        return _unix(text, unit_ns)
    match = _pattern(form).fullmatch(text)
    if match is None:
        raise ValueError(text)
    get = match.groupdict().get
    hour = int(get("H") or _of_half_day(match["I"], match["p"]))
    minute, second = int(match["M"]), int(get("S") or 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(text)
    day_s = _day_s(get("Y") or f"20{match['y']}", get("m") or get("b") or "", match["d"])
    decimals, zone = get("f"), get("z")
    t_ns = (day_s + hour * 3600 + minute * 60 + second) * NS
    if decimals:
        t_ns += int(decimals.ljust(9, "0"))
    if zone:
        t_ns -= _offset_s(zone) * NS
    if not 0 <= t_ns < LATEST_NS:
        raise ValueError(text)
    return Stamp(t_ns, zone is not None, len(decimals or "") if get("S") else -1)


def _unix(text: str, unit_ns: int) -> Stamp:
    match = _UNIX.fullmatch(text)
    if match is None:
        raise ValueError(text)
    decimals = match[2] or ""
    t_ns = int(match[1]) * unit_ns + int(decimals or 0) * unit_ns // 10 ** len(decimals)
    if t_ns >= LATEST_NS:
        raise ValueError(text)
    return Stamp(t_ns, True, min(len(decimals) + len(str(NS // unit_ns)) - 1, 9))


def early_hint(text: str, form: str) -> str:
    """Return what a number of that form may be that lies too early for a date; empty for a date."""
    if form not in _UNIX_NS:
        return ""
    number = float(text)
    for other, unit_ns in _UNIX_NS.items():
        if YEAR_2000_S * NS <= number * unit_ns < LATEST_NS:
            return f"; in {other!r} it would be of our time"
    if _EXCEL_2000 <= number < _EXCEL_2100 and "." in text:
        return "; it may be a date of a spreadsheet in days: format the column as date and time, and export it again"
    return "; if stamps count from the start of the log, say with --begin when that was"


def _of_half_day(text: str, half: str) -> int:
    hour = int(text)
    if not 1 <= hour <= 12:
        raise ValueError(text)
    return hour % 12 + (12 if half.lower() == "pm" else 0)


@lru_cache(maxsize=1024)
def _day_s(year: str, month: str, day: str) -> int:
    """Return the seconds from 1970 to a day. Raises ValueError for what is none."""
    number = int(month) if month.isdecimal() else _MONTHS.index(month.lower()) + 1
    return (date(int(year), number, int(day)).toordinal() - _EPOCH) * 86400


def _offset_s(zone: str) -> int:
    if zone in "Zz":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[3:].lstrip(":") or 0)
    return (-60 if zone[0] == "-" else 60) * minutes
