"""A summary beside the data: the published figure, and job, core phase and idle as Unix time with local time.

Form: "Core:", then "- Start: 1713899524 = 2024-04-23 21:12:04+02:00", as in the example of the EE HPC working group.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

SUMMARY = "summary.txt"
_LONGEST = 4096
_SECTION = re.compile(r"(Job|Core|Idle)\b[^:]*:")
_EDGE = re.compile(r" *- (Start|End): ([0-9]{1,12}) = (\S+ \S+)")
_GREEN = re.compile(r"Green500: .* = ([0-9]{1,12}(?:\.[0-9]{1,12})?) GFLOPS/W(?:att)?")
_AVERAGE = re.compile(r" *- Average Power: ([0-9]{1,12}(?:\.[0-9]{1,12})?) (k|M)?W")
_WATTS = {None: 1.0, "k": 1e3, "M": 1e6}
_KNOWN = re.compile(r" *|using data from .*|\(\S+\) number of missing .*| *- (Runtime|Average Power)\b.*|Top500: .*")


@dataclass(frozen=True, slots=True)
class Span:
    """Begin and end [s since 1970], and how far local time was ahead of UTC [s]."""

    begin_s: int
    end_s: int
    ahead_s: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What a summary states; a part is missing where it does not."""

    published: float | None = None
    """[GFLOPS/W]"""
    published_text: str = ""
    spans: dict[str, Span] = field(default_factory=dict)
    """"Job", "Core" and "Idle"."""
    core_w: float | None = None
    """Average power of the core phase [W]."""
    note: SourceFileNote | None = None


def read_summary(path: Path, name: str, unread: Unread) -> Summary:
    """Read a summary; an absent file states nothing. Raises `InputError` for a span that cannot be."""
    if not path.is_file():
        return Summary()
    file = TextLines(path, name, _LONGEST)
    published: float | None = None
    published_text = ""
    core_w: float | None = None
    section = ""
    edges: dict[str, dict[str, tuple[int, float]]] = {}
    for number, line in file:
        text = line.rstrip()
        if match := _SECTION.fullmatch(text):
            section = match[1]
        elif section and (match := _EDGE.fullmatch(text)):
            edges.setdefault(section, {})[match[1]] = (int(match[2]), _ahead_s(name, number, int(match[2]), match[3]))
        elif match := _GREEN.fullmatch(text):
            published, published_text = float(match[1]), text
        elif section == "Core" and (match := _AVERAGE.fullmatch(text)):
            core_w = float(match[1]) * _WATTS[match[2]]
        elif _KNOWN.fullmatch(text) is None:
            unread.add(name, number, text, "it is not a known line of a summary")
    spans = {part: _span(name, part, edge) for part, edge in edges.items() if {"Start", "End"} <= edge.keys()}
    return Summary(published, published_text, spans, core_w, file.note)


def _span(name: str, part: str, edge: dict[str, tuple[int, float]]) -> Span:
    (begin_s, ahead_s), (end_s, ahead_at_end_s) = edge["Start"], edge["End"]
    if end_s <= begin_s or ahead_s != ahead_at_end_s:
        raise broken(name, None, f"the span {part!r} ends before it begins or changes its zone", "Restore the summary.")
    return Span(begin_s, end_s, ahead_s)


def _ahead_s(name: str, line: int, unix_s: int, local: str) -> float:
    """Return how far the local time is ahead of UTC [s], and check that it is the same instant."""
    try:
        stamp = datetime.fromisoformat(local)
        offset = stamp.utcoffset()
    except ValueError:
        offset = None
    if offset is None or stamp.timestamp() != unix_s:
        raise broken(name, line, f"{local[:40]!r} is not the instant {unix_s}", "Restore the summary.")
    return offset.total_seconds()
