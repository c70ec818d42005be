"""The raw file of a result (.rsf): "spec.cpu2017.<key>: <value>", a key for each run and each of its figures."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from wattmark.importers.speccpu.cpu_result import BENCHMARK, METRIC, REMEDY, BenchmarkRun, CpuResult, printed
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.workloads.loadgen.source_file import broken

LONGEST = 2**16
_LINE = re.compile(r"spec\.cpu2017\.([A-Za-z0-9_.]{1,120}): ?(.*)")
_RESULT = re.compile(r"results\.([A-Za-z0-9_]{1,40})\.(base|peak)\.([0-9]{3})\.([a-z_]{1,30})")
_FIGURES = frozenset(
    {"benchmark", "selected", "reported_time", "ratio", "copies", "threads", "energy", "energy_ratio", "avg_power"}
    | {"max_power", "valid"}
)
_MEANS = (("basemean", "baseunits"), ("baseenergymean", "baseenergyunits"))
_MOST_RUNS, _MOST_FIELDS, _MOST_TEXT = 2000, 400, 1000
_FIELDS = {
    "hw_vendor": "Hardware Vendor",
    "hw_model": "Hardware Model",
    "hw_cpu_name": "CPU Name",
    "hw_ncores": "Enabled",
    "hw_ncpuorder": "Orderable",
    "test_date": "Test date",
    "test_sponsor": "Test sponsor",
    "hw_avail": "Hardware availability",
}
_ERROR = re.compile(r"errors[0-9]{1,4}")
_MEMORY = re.compile(r"hw_memory[0-9]{0,3}")


def read_raw_file(path: Path, name: str) -> CpuResult:
    """Read a raw file. Raises `InputError` for a file, or the run of a benchmark, that cannot be read."""
    file, unread = TextLines(path, name, LONGEST), Unread()
    result = CpuResult(file.note, unread)
    runs: defaultdict[tuple[str, str, str], dict[str, str]] = defaultdict(dict)
    stated: dict[str, str] = {}
    for number, line in file:
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            unread.add(name, number, line, "it is not a key with a value")
        elif figure := _RESULT.fullmatch(match[1]):
            if figure[4] in _FIGURES and (len(runs) < _MOST_RUNS or figure.groups()[:3] in runs):
                _take_figure(result, runs[figure[1], figure[2], figure[3]], figure[4], match)
        elif len(stated) < _MOST_FIELDS or match[1] in dict(_MEANS):
            stated[match[1]] = match[2].strip()[:_MOST_TEXT]
    for (_, tuning, _), figures in runs.items():
        if figures.get("selected") != "1":
            continue
        run = _run(figures)
        if run is None:
            raise broken(name, None, f"the run of {figures.get('benchmark', 'a benchmark')} cannot be read", REMEDY)
        result.take_status(run.benchmark, figures.get("valid", ""))
        result.take_run(tuning, run)
    _take_stated(result, stated)
    result.note = file.note
    return result


def _take_figure(result: CpuResult, figures: dict[str, str], figure: str, match: re.Match[str]) -> None:
    """Keep a figure of a run; a second one of the key has to say the same."""
    value = match[2][:_MOST_TEXT]
    if (first := figures.setdefault(figure, value)) != value:
        result.contradictions.append(f"{match[1]} is {first[:40]} and {value[:40]}.")


def _take_stated(result: CpuResult, stated: dict[str, str]) -> None:
    """Take overall metrics and what describes the machine."""
    for mean, unit in _MEANS:
        units = stated.get(unit, "").replace("(R)", "")
        if METRIC.fullmatch(units) and (value := printed(stated.get(mean, ""))) is not None:
            result.take_metric(units, value)
    if stated.get("valid") == "0" or stated.get("invalid") == "1":
        result.invalid += [text for key, text in sorted(stated.items()) if _ERROR.fullmatch(key)] or ["valid is 0"]
    memory = " ".join(text for key, text in sorted(stated.items()) if _MEMORY.fullmatch(key))
    result.fields = {title: stated[key] for key, title in _FIELDS.items() if key in stated} | (
        {"Memory": memory[:_MOST_TEXT]} if memory else {}
    )


def _run(figures: dict[str, str]) -> BenchmarkRun | None:
    benchmark = figures.get("benchmark", "")
    time_s, ratio = printed(figures.get("reported_time", "")), printed(figures.get("ratio", ""))
    if BENCHMARK.fullmatch(benchmark) is None or time_s is None or ratio is None:
        return None
    copies = figures.get("copies") or figures.get("threads") or ""
    energy = printed(figures.get("energy", ""))
    return BenchmarkRun(
        benchmark,
        int(copies) if copies.isascii() and copies.isdigit() and len(copies) < 7 else None,
        time_s,
        ratio,
        energy.scaled(1e-3) if energy else None,
        printed(figures.get("max_power", "")),
        printed(figures.get("avg_power", "")),
        printed(figures.get("energy_ratio", "")),
    )
