"""The table of a result (.csv): a row per run, a table of the runs that count, overall metrics, keys with values."""

from __future__ import annotations

import csv
from pathlib import Path

from wattmark.importers.speccpu.cpu_result import (
    BENCHMARK,
    METRIC,
    REMEDY,
    BenchmarkRun,
    CpuResult,
    Printed,
    printed,
)
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.workloads.loadgen.source_file import broken

LONGEST = 2**16
_MOST_FIELDS, _MOST_TEXT = 400, 1000
_SELECTED_TABLE, _ALL_TABLE = "Selected Results Table", "Full Results Table"
_VALID = "valid"
_WORK = ("Copies", "Threads")
_KJ_PER_J = 1e-3


def read_csv_file(path: Path, name: str) -> CpuResult:
    """Read a table. Raises `InputError` for a file, or the run of a benchmark, that cannot be read."""
    file, unread = TextLines(path, name, LONGEST), Unread()
    result = CpuResult(file.note, unread)
    table, columns, key = "", list[str](), ""
    for number, line in file:
        try:
            cells = next(csv.reader([line]), [])
        except csv.Error as error:
            unread.add(name, number, line, f"it is not a row of a table ({error})")
            continue
        first = cells[0].strip() if cells else ""
        if first in (_SELECTED_TABLE, _ALL_TABLE):
            table = first
        elif first == "Benchmark":
            columns = cells
            result.estimated |= any(cell.startswith("Est. ") for cell in cells)
        elif BENCHMARK.fullmatch(first):
            if table == _SELECTED_TABLE and not _take_row(result, columns, cells):
                raise broken(name, number, f"the run of {first} lacks a time or a ratio", REMEDY)
        elif METRIC.fullmatch(first):
            value = next((mean for cell in cells[1:] if (mean := printed(cell)) is not None), None)
            if value is not None:
                result.take_metric(first, value)
        elif first == _VALID:
            result.invalid += [f"{_VALID} is 0"] if cells[1:2] == ["0"] else []
        else:
            key = _take_key(result, cells, key)
    result.note = file.note
    return result


def _take_row(result: CpuResult, columns: list[str], cells: list[str]) -> bool:
    """Read the base and the peak run of a row; return whether both are whole, or not run."""
    values = {name.removeprefix("Est. "): cell for name, cell in zip(columns, cells, strict=False)}
    whole = True
    for tuning in ("base", "peak"):
        label = tuning.capitalize()
        if not values.get(f"{label} Run Time"):
            continue
        run = _run(cells[0], label, values)
        whole &= run is not None
        if run is not None:
            result.take_status(cells[0], values.get(f"{label} Status", ""))
            if values.get(f"{label} Selected", "") == "0":
                result.contradictions.append(
                    f"{cells[0]}: the table of the selected runs says that it is not selected."
                )
            result.take_run(tuning, run)
    return whole


def _run(benchmark: str, label: str, values: dict[str, str]) -> BenchmarkRun | None:
    copies = next((cell for unit in _WORK if (cell := values.get(f"{label} # {unit}", "")).isdecimal()), "")
    time_s = printed(values.get(f"{label} Run Time", ""))
    ratio = printed(values.get(f"{label} Rate", "") or values.get(f"{label} Ratio", ""))
    if time_s is None or ratio is None:
        return None
    energy: Printed | None = printed(values.get(f"{label} Energy", ""))
    return BenchmarkRun(
        benchmark,
        int(copies) if 0 < len(copies) < 7 else None,
        time_s,
        ratio,
        energy.scaled(_KJ_PER_J) if energy else None,
        printed(values.get(f"{label} Max Power", "")),
        printed(values.get(f"{label} Avg Power", "")),
        printed(values.get(f"{label} Energy Ratio", "")),
    )


def _take_key(result: CpuResult, cells: list[str], key: str) -> str:
    """Read a key with its value, or a further line of the key before; return the key in force."""
    first, rest = (cells[0].strip() if cells else ""), " ".join(cell for cell in cells[1:] if cell).strip()
    if first and rest and len(result.fields) < _MOST_FIELDS:
        key = first.removesuffix(":")
        result.fields.setdefault(key, rest[:_MOST_TEXT])
    elif not first and rest and key in result.fields:
        result.fields[key] = f"{result.fields[key]} {rest}"[:_MOST_TEXT]
    return key
