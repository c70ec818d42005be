"""The text of a result (.txt): a table of the benchmarks, keys with values below HARDWARE and SOFTWARE, notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from wattmark.importers.speccpu.cpu_result import BENCHMARK, METRIC, REMEDY, BenchmarkRun, CpuResult, printed
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.workloads.loadgen.source_file import broken

LONGEST = 8192
_ROW = re.compile(rf"({BENCHMARK.pattern})(?: (.*))?")
_METRIC = re.compile(r" ?(Est\. )?(SPEC(?:rate|speed)(?:\(R\))?2017_\w+) +(\S.*)")
_KEY = re.compile(r" {0,30}([A-Z][^:]{1,30}): (.*)")
_TOP = re.compile(r"(CPU2017 License|Test date|Test sponsor|Hardware availability|Tested by|Software availability): *")
_HEAD = re.compile(
    r"[-=# ]*|.*SPEC CPU.* Result|Copyright .*|.*Standard Performance Evaluation Corporation.*|.*(Estimated|Base  ).*"
    r"|Benchmarks .*"
)
_INVALID = re.compile(r"INVALID RUN|SPEC has determined that this result (?:is|was|does|did) not")
"""A banner of SPEC's tools, whose other lines begin with # and give the reasons, and a mark of SPEC."""
_MARKS = {"*", "S", "NR"}
_SELECTED = "*"
_MOST_FIELDS, _MOST_TEXT = 400, 1000
_INDENT = " " * 20
"""Values follow a key of twenty columns."""
INFO = ("HARDWARE", "SOFTWARE", "POWER", "Power")


def read_text_file(path: Path, name: str) -> CpuResult:
    """Read a text. Raises `InputError` for a file, or the run of a benchmark, that cannot be read."""
    file, unread = TextLines(path, name, LONGEST), Unread()
    result = CpuResult(file.note, unread)
    heading, key = "", ""
    unknown: tuple[int, str] | None = None
    """A line that may turn out to be a heading: the next one underlines it."""
    for number, raw in file:
        line = raw.rstrip()
        text = line.strip()
        if unknown is not None and text and set(text) == {"-"} and len(text) == len(unknown[1].strip()):
            heading, unknown = unknown[1].strip(), None
            continue
        if unknown is not None and not heading:
            unread.add(name, *unknown, "it is neither a row nor a key with a value")
        unknown = None
        if _INVALID.search(text) or (result.invalid and text.startswith("#") and text.strip("# ")):
            result.invalid.append(text.strip("# ")[:200])
        elif match := _ROW.fullmatch(text):
            _take_row(result, match[1], match[2] or "", number)
        elif match := _METRIC.fullmatch(line):
            result.estimated |= match[1] is not None
            _take_metric(result, match[2].replace("(R)", ""), match[3].strip())
        elif heading.startswith(INFO) and (taken := _take_key(result, line, key)):
            key = taken
        elif heading or not _take_head(result, text):
            unknown = (number, line)
    if unknown is not None and not heading:
        unread.add(name, *unknown, "it is neither a row nor a key with a value")
    result.note = file.note
    return result


def _take_row(result: CpuResult, benchmark: str, rest: str, number: int) -> None:
    """Read the groups of a row: base, then peak, each closed by its mark. Raises `InputError` for a run that counts."""
    if not any(mark in rest.split() for mark in _MARKS):
        result.unread.add(result.name, number, f"{benchmark} {rest}", "it is not a row of the table")
    for tuning, group in zip(("base", "peak"), _groups(rest.split()), strict=False):
        *cells, mark = group
        if mark == _SELECTED:
            run = _run(benchmark, cells)
            if run is None:
                raise broken(result.name, number, f"the run of {benchmark} cannot be read: {' '.join(cells)}", REMEDY)
            result.take_run(tuning, run)


def _groups(cells: list[str]) -> Iterator[list[str]]:
    group: list[str] = []
    for cell in cells:
        group.append(cell)
        if cell in _MARKS:
            yield group
            group = []


def _run(benchmark: str, cells: list[str]) -> BenchmarkRun | None:
    if len(cells) not in (3, 7) or not cells[0].isascii() or not cells[0].isdigit() or len(cells[0]) > 6:
        return None
    numbers = [printed(cell) for cell in cells[1:]]
    time_s, ratio = numbers[:2]
    if time_s is None or ratio is None or None in numbers:
        return None
    return BenchmarkRun(benchmark, int(cells[0]), time_s, ratio, *numbers[2:])


def _take_metric(result: CpuResult, name: str, text: str) -> None:
    if METRIC.fullmatch(name) and (value := printed(text.split()[0])) is not None:
        result.take_metric(name, value)


def _take_key(result: CpuResult, line: str, key: str) -> str | None:
    """Read "CPU Name: ..." or a further line of the key before; return the key, None where the line is neither."""
    if match := _KEY.fullmatch(line):
        if len(result.fields) < _MOST_FIELDS:
            result.fields.setdefault(match[1].strip(), match[2].strip()[:_MOST_TEXT])
        return match[1].strip()
    if key in result.fields and line.startswith(_INDENT):
        result.fields[key] = f"{result.fields[key]} {line.strip()}"[:_MOST_TEXT]
        return key
    return None


def _take_head(result: CpuResult, text: str) -> bool:
    """Read a line above the first heading; return whether it is known."""
    return _take_top(result, text) or _HEAD.fullmatch(text) is not None or _take_system(result, text)


def _take_top(result: CpuResult, text: str) -> bool:
    """Read the keys above the table, two to a line."""
    pieces = _TOP.split(text)
    if len(pieces) < 3 or pieces[0].strip():
        return False
    for key, value in zip(pieces[1::2], pieces[2::2], strict=True):
        result.fields.setdefault(key, value.strip()[:_MOST_TEXT])
    return True


def _take_system(result: CpuResult, text: str) -> bool:
    """Keep the two lines that name maker and system, which come first and have no key."""
    if result.runs or "Test sponsor" in result.fields or text.startswith("#"):
        return False
    for key in ("Hardware Vendor", "Hardware Model"):
        if key not in result.fields:
            result.fields[key] = text[:_MOST_TEXT]
            return True
    return False
