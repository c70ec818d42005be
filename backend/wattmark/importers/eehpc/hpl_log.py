"""The output of HPL: performance, residual, and begin and end of the core phase on a clock without a zone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from wattmark.core.amounts import problem
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

LONGEST = 8192
_MARK = b"HPLinpack"
HEAD = 2**18
_NUMBER = r"([0-9.]+(?:e[+-]?[0-9]+)?)"
_RESULT = re.compile(rf"(W[RC]\S+) +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+) +{_NUMBER} +{_NUMBER}(?: +\( *{_NUMBER}\))?")
_VERSION = re.compile(r"(HPLinpack [0-9][0-9.]{0,19})(?: .*)?")
_EDGE = re.compile(r"HPL_pdgesv\(\) (start|end) time +(\S.*)")
_RESIDUAL = re.compile(r"\|\|Ax-b\|\|_oo/\(.*\)= *\S+ \.+ (PASSED|FAILED)")
_CLOCK = "%a %b %d %H:%M:%S %Y"
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_KNOWN = re.compile(
    r"[-=_ ]*|HPLinpack .*|(Written|Modified) by .*|An explanation .*|The following .*|- .*|T/V .*|Finished .*"
    r"|[A-Za-z0-9/]{1,8} +: .*| +\|\|Ax-b\|\|.*|\|\|.*| +[0-9]+ tests .*|End of Tests\."
    r"|.*\bProg=.*|.*: Column=[0-9]+ .*"
)
"""Parameters, progress and prose of HPL 2.x and of NVIDIA's."""


@dataclass(frozen=True, slots=True)
class HplResult:
    """One test of HPL; ``begin`` and ``end`` are wall clock without a zone."""

    variant: str
    order: int
    time_s: float
    gflops: float
    begin: datetime
    end: datetime
    passed: bool
    note: SourceFileNote
    program: str | None = None
    """What it calls itself in its first lines: "HPLinpack 2.3"."""


def begins(head: bytes) -> bool:
    """Return whether a file that begins with these bytes is HPL's output."""
    return _MARK in head


def read_hpl(path: Path, name: str, unread: Unread) -> HplResult:
    """Read the one test of an output. Raises `InputError` where it holds none or several."""
    file = TextLines(path, name, LONGEST)
    results: list[tuple[int, re.Match[str]]] = []
    edges: dict[str, list[tuple[int, datetime]]] = {"start": [], "end": []}
    residuals: list[str] = []
    programs: list[str] = []
    for number, line in file:
        text = _COLOURS.sub("", line).rstrip()
        if match := _RESULT.fullmatch(text):
            results.append((number, match))
        elif match := _EDGE.fullmatch(text):
            edges[match[1]].append((number, _time(name, number, match[2])))
        elif match := _RESIDUAL.fullmatch(text):
            residuals.append(match[1])
        elif match := _VERSION.fullmatch(text):
            programs.append(match[1])
        elif _KNOWN.fullmatch(text) is None:
            unread.add(name, number, text, "it is not a line that HPL writes")
    starts, ends = edges["start"], edges["end"]
    if (len(results), len(starts), len(ends)) != (1, 1, 1):
        raise broken(
            name,
            None,
            f"it holds {len(results)} results, {len(starts)} start times and {len(ends)} end times of HPL_pdgesv()",
            "Give the output of one test, by an HPL that prints start and end time.",
        )
    (line_of_result, result), begin, (line_of_end, end) = results[0], starts[0][1], ends[0]
    time_s, gflops = _amount(result[6]), _amount(result[7])
    if time_s is None or gflops is None or len(result[2]) > 12:
        raise broken(name, line_of_result, "its time or Gflops are not amounts", "Restore the output of HPL.")
    if end <= begin:
        raise broken(name, line_of_end, "the test ends before it begins", "Restore the output of HPL.")
    passed = bool(residuals) and set(residuals) == {"PASSED"}
    program = programs[0] if len(set(programs)) == 1 else None
    return HplResult(result[1][:40], int(result[2]), time_s, gflops, begin, end, passed, file.note, program)


def _amount(text: str) -> float | None:
    """Read a positive amount; None where it is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return None if problem(value) or value <= 0 else value


def _time(name: str, line: int, text: str) -> datetime:
    try:
        return datetime.strptime(text.strip()[:40], _CLOCK)  # noqa: DTZ007 - the log names no zone
    except ValueError:
        raise broken(
            name, line, f"{text[:40]!r} is not a time such as 'Tue Apr 23 21:12:04 2024'", "Run HPL with LC_ALL=C."
        ) from None
