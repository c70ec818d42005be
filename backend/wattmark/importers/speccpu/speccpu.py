"""Results of SPEC CPU2017 with power become published results: score, mean power, and the energy metric recomputed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from wattmark.audits.audit import Audit, Finding, difference_pct
from wattmark.audits.each import each_audit
from wattmark.audits.findings import printed_finding
from wattmark.comparison.published.published_result import PublishedLevel, PublishedMemory, PublishedResult
from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.core.version import version
from wattmark.importers.importer import Choices, ImportedFigures, Importer, Pending
from wattmark.importers.source_tree import files_of, files_that_begin
from wattmark.importers.speccpu.cpu_result import BENCHMARK, BenchmarkRun, CpuResult, Printed
from wattmark.importers.speccpu.csv_file import read_csv_file
from wattmark.importers.speccpu.raw_file import read_raw_file
from wattmark.importers.speccpu.text_file import read_text_file
from wattmark.importers.specpower.memory_text import read_memory

RULE = (
    "Geometric mean of the energy ratios of the runs that count; an energy ratio is copies times the reference "
    "machine's energy over that of the run (SPEC CPU2017, result file fields)."
)
NO_WINDOW = "The file holds the energy of each benchmark and no readings, so no window can be cut."
_READERS = {".csv": read_csv_file, ".txt": read_text_file, ".rsf": read_raw_file}
"""By ending. Of one result in several forms the first is read: the table has the most digits of those to be read."""
_HEAD = 2**15
_MARK = re.compile(rb"SPEC(?:rate|speed)(?:\(R\))?2017|SPEC CPU(?:\(R\))? ?2017|spec\.cpu2017\.|CPU2017")
_ROW = re.compile(rf"^(?:{BENCHMARK.pattern}|spec\.cpu2017\.results\.)".encode(), re.MULTILINE)
_CPUS = re.compile(r"([0-9]{1,5}) cores?, ([0-9]{1,4}) chips?")
_MEMORY = re.compile(r"([0-9]{1,7}) (GB|TB)")
_EST = " (estimate)"
_MOST_CONTRADICTIONS = 5
_ROUND = 0.01
"""Share of a percent that printing floats may add."""


def find_results(root: Path, _: Choices) -> list[Pending]:
    """List the results of a folder, or the one file. Raises `InputError` when there is none."""
    files = _listed(root)
    if not files:
        raise InputError(f"{root} holds no result of SPEC CPU2017.", "Give a result as .txt, .csv or .rsf.")
    return [Pending(forms[0].name, forms[0].stem, partial(_imported, forms)) for forms in files]


def recognises(root: Path) -> bool:
    """Return whether a file, or a file of a folder, looks like a result."""
    return root.exists() and bool(_files(root)[0])


def audit_speccpu(root: Path, _: Choices) -> Iterator[Audit]:
    """Audit every result with power. Raises `InputError` after the others where a file is none."""
    return each_audit(_listed(root), lambda forms: [audit_file(*forms)])


def _listed(root: Path) -> list[tuple[Path, ...]]:
    results, unreadable = _files(root)
    return sorted([*results, *((path,) for path in unreadable)])


def _files(root: Path) -> tuple[list[tuple[Path, ...]], list[Path]]:
    """Return the forms of every result, that which is read first, and the files that cannot be read."""
    files = [path for path in ([root] if root.is_file() else files_of(root)) if path.suffix in _READERS]
    chosen, unreadable = files_that_begin(files, _is_result, _HEAD)
    results: dict[Path, tuple[Path, ...]] = {}
    for path in sorted(chosen, key=lambda path: list(_READERS).index(path.suffix)):
        name = path.with_suffix("")
        results[name] = (*results.get(name, ()), path)
    return list(results.values()), unreadable


def _is_result(head: bytes) -> bool:
    return bool(_ROW.search(head)) and bool(_MARK.search(head))


def _imported(forms: tuple[Path, ...]) -> ImportedFigures:
    path, *others = forms
    result = _read(path, *others)
    figures = _figures(path, result)
    notes = ["The file's energies are of whole benchmarks; it holds no readings.", *figures.contradictions]
    notes += _without_metric(result)
    if result.estimated:
        why = f" ({'; '.join(result.invalid)[:200]})" if result.invalid else ""
        notes.append(f"The file calls its metrics estimates: it is not a result by SPEC's rules{why}.")
    if result.unread.count:
        notes.append(f"{result.unread.count} lines were not understood.")
    return ImportedFigures(figures, tuple(notes), result.unread)


def _read(path: Path, *others: Path) -> CpuResult:
    """Read a file of any of the three forms, and hold its other forms against it.

    Raises `InputError` where it lacks power or a benchmark, and where it says that it does not count.
    """
    result = _READERS[path.suffix](path, path.name)
    _require_valid(path, result)
    for other in others:
        result.contradictions += _differences(result, other)
    runs, score = result.of("base"), result.metric(energy=False)
    if not runs:
        raise InputError(f"{path.name} holds no run of a benchmark that counts.", "Give the file of a finished result.")
    without = [run.benchmark for run in runs if not run.has_power]
    if len(without) == len(runs):
        known = f" It has run times and {score[0]} = {score[1].value:g}." if score else ""
        raise InputError(f"{path.name} was run without power, so it has no watts.{known}", "Give a result with power.")
    if without:
        raise InputError(f"{path.name} lacks the power of {', '.join(without)[:200]}.", "Give the complete result.")
    return result


def _require_valid(path: Path, result: CpuResult) -> None:
    """Refuse a result that calls itself invalid, and one of which a run that counts failed. Raises `InputError`."""
    remedy = "Give a result that SPEC's tools call valid."
    if result.failed:
        raise InputError(f"{path.name}: {result.failed[0]}, and it counts.", remedy)
    if result.invalid and not result.estimated:
        raise InputError(f"{path.name} is not valid by its own words: {'; '.join(result.invalid)[:200]}.", remedy)


def _differences(result: CpuResult, path: Path) -> list[str]:
    """Return what another form of a result says differently, beyond the digits printed."""
    try:
        other = _READERS[path.suffix](path, path.name)
    except InputError as error:
        return [f"{path.name}, of the same result, cannot be read ({error.cause.removesuffix('.')})."]
    differences = []
    for key, run in result.runs.items():
        same = other.runs.get(key)
        if same is None or not (
            _agree(run.time_s, same.time_s)
            and _agree(run.ratio, same.ratio)
            and _agree(run.energy_kj, same.energy_kj)
            and _agree(run.energy_ratio, same.energy_ratio)
        ):
            differences.append(f"{result.name} and {path.name} state other figures of {run.benchmark}, {key[0]}.")
    return differences


def _agree(first: Printed | None, second: Printed | None) -> bool:
    """Return whether two numbers are one within their digits; a form may leave out what it has no column for."""
    if first is None or second is None:
        return True
    return abs(first.value - second.value) <= (first.half + second.half) * (1 + _ROUND)


def _figures(path: Path, result: CpuResult) -> PublishedResult:
    runs, fields = result.of("base"), result.fields
    energy, score = result.metric(energy=True), result.metric(energy=False)
    count = _CPUS.search(fields.get("Enabled", ""))
    name, rate = score if score else ("geometric mean of ratios", _mean([run.ratio for run in runs]))
    return PublishedResult(
        id=f"speccpu2017-{result.note.sha256[:16]}",
        kind="speccpu2017",
        collection="SPEC CPU2017",
        title=" ".join(part for part in (fields.get("Hardware Vendor"), fields.get("Hardware Model")) if part)[:300]
        or path.stem,
        source=f"{path.name}, result of SPEC CPU2017, copyright Standard Performance Evaluation Corporation",
        submitter=fields.get("Test sponsor", "")[:300],
        maker=fields.get("Hardware Vendor", fields.get("Test sponsor", ""))[:300],
        model=fields.get("Hardware Model", path.stem)[:300],
        cpu=fields.get("CPU Name", "")[:300],
        cpus=int(count[2]) if count else None,
        cores=int(count[1]) if count else None,
        memory=_memory(fields.get("Memory", "")),
        workload=f"speccpu2017.{name}{_EST if result.estimated else ''}",
        unit=name,
        levels=(
            PublishedLevel(
                target_pct=100.0,
                actual_pct=None,
                ops_per_s=rate.value,
                power_w=_mean_power_w(runs),
                printed_ratio=None,
            ),
        ),
        stated_overall=energy[1].value if energy else None,
        overall=_energy_ratio(runs).value,
        contradictions=tuple(finding.text for finding in _contradictions(result, runs))[:_MOST_CONTRADICTIONS],
        disclosure={"benchmarks": [_shown(run) for run in runs], "fields": fields, "estimated": result.estimated},
        file=result.note,
    )


def _memory(text: str) -> PublishedMemory:
    total = _MEMORY.match(text)
    amount = str(int(total[1]) * (1024 if total[2] == "TB" else 1)) if total else ""
    return read_memory(amount, text, text)


def _shown(run: BenchmarkRun) -> dict[str, float | int | str | None]:
    return {
        "benchmark": run.benchmark,
        "copies": run.copies,
        "run time s": run.time_s.value,
        "ratio": run.ratio.value,
        "energy kJ": _value(run.energy_kj),
        "mean power W": _value(run.mean_w),
        "maximum power W": _value(run.max_w),
        "energy ratio": _value(run.energy_ratio),
    }


def _value(number: Printed | None) -> float | None:
    return None if number is None else number.value


def _mean(numbers: Sequence[Printed]) -> Printed:
    """Compute the geometric mean of printed numbers, and how far their last digits may move it."""
    value = math.exp(math.fsum(math.log(number.value) for number in numbers) / len(numbers))
    return Printed(value, value * math.fsum(number.share for number in numbers) / len(numbers))


def _energy_ratio(runs: Sequence[BenchmarkRun]) -> Printed:
    return _mean([run.energy_ratio for run in runs if run.energy_ratio is not None])


def _mean_power_w(runs: Sequence[BenchmarkRun]) -> float:
    """Compute the mean power over the runs that count: their energy over their time [W]."""
    energy_kj = math.fsum(run.energy_kj.value for run in runs if run.energy_kj is not None)
    return 1e3 * energy_kj / math.fsum(run.time_s.value for run in runs)


def audit_file(path: Path, *others: Path) -> Audit:
    """Audit one file, beside its other forms. Raises `InputError` where it is no result with power."""
    result = _read(path, *others)
    figures, runs = _figures(path, result), result.of("base")
    energy = result.metric(energy=True)
    recomputed = _energy_ratio(runs)
    off = difference_pct(energy[1].value if energy else None, recomputed.value)
    limit_pct = _metric_limit_pct(recomputed, energy)
    sentence = (
        "The file prints no energy metric."
        if off is None
        else f"The printed metric lies {off:+.2f} % from the geometric mean of the {len(runs)} printed energy ratios, "
        f"which determine it within {limit_pct:.2f} %."
    )
    return Audit(
        id=figures.id,
        kind="speccpu2017",
        title=figures.title,
        submitter=figures.submitter,
        round=None,
        system=figures.title,
        benchmark=energy[0] if energy else figures.unit,
        source=figures.source,
        quantity="energy metric",
        unit=energy[0] if energy else "1",
        published=energy[1].value if energy else None,
        published_source=figures.source if energy else None,
        by_rule=recomputed.value,
        rule=RULE,
        over_window=None,
        window=NO_WINDOW,
        sentence=sentence,
        findings=tuple(_findings(result, runs)),
        software=version(),
    )


def _metric_limit_pct(recomputed: Printed, metric: tuple[str, Printed] | None) -> float:
    """Compute how far a printed metric may lie from the mean of printed ratios [%]."""
    return 100 * (recomputed.share + (metric[1].share if metric else 0.0)) + _ROUND


def _without_metric(result: CpuResult) -> list[str]:
    """Say which overall metrics are not printed, so that their ratios are held against nothing."""
    return [
        f"The file prints no overall {name}: a changed {ratio} ratio cannot be seen."
        for energy, name, ratio in ((False, "score", "run time"), (True, "energy metric", "energy"))
        if result.metric(energy=energy) is None
    ]


def _findings(result: CpuResult, runs: Sequence[BenchmarkRun]) -> Iterator[Finding]:
    yield from _contradictions(result, runs)
    for text in _without_metric(result):
        yield Finding(rule="stated-once", severity="hides", text=text, source="the file itself")


def _contradictions(result: CpuResult, runs: Sequence[BenchmarkRun]) -> Iterator[Finding]:
    """Yield where printed figures deny those that they follow from."""
    digits = "what the last digits printed leave open"
    for text in result.contradictions:
        yield Finding(rule="stated-twice", severity="differs", text=text, source="the file itself")
    recomputed = _energy_ratio(runs)
    if (energy := result.metric(energy=True)) is not None:
        limit_pct = _metric_limit_pct(recomputed, energy)
        text = (
            f"Printed is {energy[0]} = {energy[1].value:g}; the energy ratios give "
            f"{format_number(recomputed.value, 5)}."
        )
        if finding := printed_finding(energy[1].value, recomputed.value, limit_pct, text, digits):
            yield finding
    if (score := result.metric(energy=False)) is not None:
        mean = _mean([run.ratio for run in runs])
        most_pct = 100 * (mean.share + score[1].share) + _ROUND
        text = f"Printed is {score[0]} = {score[1].value:g}; the ratios give {format_number(mean.value, 5)}."
        if finding := printed_finding(score[1].value, mean.value, most_pct, text, digits):
            yield finding
    for run in runs:
        if run.energy_kj is None or run.mean_w is None:
            continue
        if run.max_w is not None and run.max_w.value + run.max_w.half < run.mean_w.value - run.mean_w.half:
            text = f"{run.benchmark}: the mean of {run.mean_w.value:g} W is above the highest of {run.max_w.value:g} W."
            yield Finding(rule="max-power", severity="differs", text=text, source="no mean is above the highest value")
        seen_kj = run.mean_w.value * run.time_s.value / 1e3
        most_pct = 100 * (run.energy_kj.share + run.mean_w.share + run.time_s.share) + _ROUND
        off = difference_pct(run.energy_kj.value, seen_kj)
        if off is not None and abs(off) > most_pct:
            yield Finding(
                rule="energy",
                severity="differs",
                value=off,
                limit=most_pct,
                unit="%",
                text=f"{run.benchmark}: printed are {run.energy_kj.value:g} kJ; mean power times run time are "
                f"{format_number(seen_kj, 5)} kJ.",
                source=digits,
            )


SPECCPU = Importer(
    kind="speccpu2017",
    title="SPEC CPU2017 with power",
    takes="a result as .txt, .csv or .rsf, or a folder of them",
    time_zone="not needed",
    recognises=recognises,
    find=find_results,
    audit=audit_speccpu,
)
