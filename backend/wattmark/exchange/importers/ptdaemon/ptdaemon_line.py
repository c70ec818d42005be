"""One line of a PTDaemon log (its -l file): stamp, the sum group, further channels, mark.

Format as observed in published logs: ``Time,<stamp>,Watts,<w>,Volts,<v>,Amps,<a>,PF,<pf>,Mark,<mark>`` and, on
multichannel analyzers, ``,Ch1,Watts,...,Ch2,Watts,...`` with the same column names again; the first group is the sum.
Replies of the RL command lack the mark and the ``Ch<k>`` words; the older temperature log lacks ``Time``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import nan

from wattmark.core.amounts import MOST
from wattmark.workloads.loadgen.stamps import parse_stamp

CHANNEL = re.compile(r"Ch[0-9]+")
"""A word without a value that begins the group of a channel."""
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_NOT_A_NUMBER = re.compile(r"[+-]?(nan|inf|infinity|1\.#(QNAN|SNAN|IND|INF)[0-9]*)", re.IGNORECASE)
"""As C libraries print it; the second form is that of Windows."""


_SCPI_SPECIAL = (9.9e37, 9.91e37)
"""How SCPI writes "infinite" and "not a number" (SCPI-99, volume 1, 7.2.1.4 and 7.2.1.5)."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A parsed line: values as written, sentinels included."""

    t_ns: int
    """Wall clock as written, as if UTC [ns]."""
    total: dict[str, float]
    """First group: the only channel, or the sum of all."""
    channels: tuple[dict[str, float], ...]
    mark: str | None


def parse_line(line: str) -> LogLine:
    """Read one line. Raises ValueError with the part that cannot be read."""
    fields = line.split(",")
    if fields[0] == "Time":
        fields = fields[1:]
    if not fields or not fields[0].strip():
        raise ValueError("no stamp")
    t_ns = parse_stamp(fields[0])
    groups, mark = _groups(fields[1:])
    if not groups[0]:
        raise ValueError("no measured value")
    return LogLine(t_ns, groups[0], tuple(groups[1:]), mark)


def _groups(fields: list[str]) -> tuple[list[dict[str, float]], str | None]:
    groups: list[dict[str, float]] = [{}]
    mark = None
    rest = iter(fields)
    for name in rest:
        if CHANNEL.fullmatch(name):
            groups.append({})
            continue
        value = next(rest, None)
        if value is None or not name.isidentifier():
            raise ValueError(f"no column with a value: {name!r}")
        if name == "Mark":
            mark = value.strip()
            continue
        if name in groups[-1]:
            groups.append({})
        groups[-1][name] = _number(value)
    return groups, mark


def _number(text: str) -> float:
    if _NOT_A_NUMBER.fullmatch(text.strip()):
        return nan
    if _NUMBER.fullmatch(text.strip()) is None:
        raise ValueError(f"{text!r} is not a number")
    if abs(number := float(text)) in _SCPI_SPECIAL:
        return nan
    if abs(number) > MOST:
        raise ValueError(f"{text[:40]!r} is not a plausible measured value")
    return number
