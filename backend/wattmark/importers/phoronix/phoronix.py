"""Results of the Phoronix Test Suite with power become published results: work, watts and their quotient."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import NoReturn

import numpy as np

from wattmark.audits.audit import Audit, Finding
from wattmark.audits.each import each_audit
from wattmark.audits.findings import count_finding, printed_finding
from wattmark.comparison.published.published_result import (
    PublishedLevel,
    PublishedMemory,
    PublishedResult,
)
from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.core.version import version
from wattmark.importers.importer import Choices, ImportedFigures, Importer, Pending
from wattmark.importers.phoronix.power_tests import SYSTEM_POWER, PowerTest, find_tests
from wattmark.importers.phoronix.result_xml import HEAD, ResultFile, begins, read_result_file
from wattmark.importers.source_tree import files_of, files_that_begin
from wattmark.importers.specpower.memory_text import read_memory
from wattmark.importers.unread import Unread

RULE = (
    "The result over the plain mean of all samples of the system's power (Phoronix Test Suite, module system_monitor)."
)
NO_WINDOW = "The file holds no times of its samples, so no window can be cut."
_COMPOSITE = "composite.xml"
_PART = re.compile(r"(?:^|, )(Processor|Motherboard|Chipset|Memory|Disk|Graphics|Audio|Monitor|Network): ")
_CPUS = re.compile(r"([0-9]{1,2}) x (.+)")
_CORES = re.compile(r"\(([0-9]{1,4}) Cores?(?: / [0-9]{1,5} Threads?)?\)")
_CLOCK = re.compile(r"\s*(@.*|\([0-9]+ Cores?.*)$")
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}) [0-9:]{8}")
_ROUNDING = 0.00050001
"""The suite prints three decimals of work per watt; the rest is how floats round."""


def find_results(root: Path, _: Choices) -> list[Pending]:
    """List the tests with power of the result files of a folder, or of one. Raises `InputError` when there is none."""
    files = _listed(root)
    if not files:
        raise InputError(f"{root} holds no result file of the Phoronix Test Suite.", "Give its composite.xml.")
    pendings = []
    unread = Unread()
    for path in files:
        name = _name(path, root)
        unread = Unread()
        try:
            tests, file = _read(path, name, unread)
        except InputError as error:
            if len(files) == 1:
                raise
            pendings.append(Pending(name, path.stem, partial(_refuse, error)))
            continue
        first = next((index for index, test in enumerate(tests) if test.power_w is not None), None)
        for index, test in enumerate(tests):
            read = partial(_imported, test, file, index, name, unread if index == first else Unread())
            pendings.append(Pending(name, f"{test.title} on {test.system}"[:300], read))
    if not pendings:
        why = (
            f": {unread.first[0].text[:100]!r}, line {unread.first[0].line}: {unread.first[0].why}"
            if unread.count
            else ""
        )
        raise InputError(
            f"{root.name} holds no result of a test that is work per time, or the time of a run{why}.",
            "Give the composite.xml of a finished run with such a test.",
        )
    return pendings


def recognises(root: Path) -> bool:
    """Return whether a file, or a file of a folder, begins as a result file does."""
    return root.exists() and bool(_files(root)[0])


def audit_phoronix(root: Path, _: Choices) -> Iterator[Audit]:
    """Audit every test with power of the system. Raises `InputError` after the others where a file cannot be read."""
    return each_audit(_listed(root), lambda path: _audits(path, _name(path, root)))


def _audits(path: Path, name: str) -> Iterator[Audit]:
    tests, file = _read(path, name, Unread())
    for index, test in enumerate(tests):
        if test.power_w is not None:
            yield _audit(test, _result(test, file, index, name), name)


def _listed(root: Path) -> list[Path]:
    results, unreadable = _files(root)
    return sorted([*results, *unreadable])


def _files(root: Path) -> tuple[list[Path], list[Path]]:
    """Return the result files, and the files that cannot be read.

    Of a folder with a composite.xml that alone counts, as it holds the results of the others.
    """
    files = [root] if root.is_file() else [path for path in files_of(root) if path.suffix == ".xml"]
    chosen, unreadable = files_that_begin(files, begins, HEAD)
    whole = {path.parent for path in chosen if path.name == _COMPOSITE}
    return [path for path in chosen if path.name == _COMPOSITE or path.parent not in whole], unreadable


def _name(path: Path, root: Path) -> str:
    return path.name if path == root else str(path.relative_to(root))


def _read(path: Path, name: str, unread: Unread) -> tuple[list[PowerTest], ResultFile]:
    file = read_result_file(path, name, unread)
    return find_tests(file, name, unread), file


def _refuse(error: InputError) -> NoReturn:
    raise error


def _imported(test: PowerTest, file: ResultFile, index: int, name: str, unread: Unread) -> ImportedFigures:
    result = _result(test, file, index, name)
    notes = [
        "The file names no meter and holds no times; the suite excludes failed readings before it stores the others.",
        *result.contradictions,
        *_stated_once(test),
    ]
    return ImportedFigures(result, tuple(notes), unread)


def _result(test: PowerTest, file: ResultFile, index: int, name: str) -> PublishedResult:
    """Build the figures of a test. Raises `InputError` where the power of the system was not read."""
    power_w = test.power_w
    if power_w is None or not power_w.mean() > 0:
        what = f"{test.title[:120]} on {test.system[:60]!r}"
        if test.read_twice:
            raise InputError(
                f"{what} has two series of samples of {SYSTEM_POWER}.",
                "Give the composite.xml of one run of the suite.",
            )
        others = ", ".join(sensor for sensor, (unit, _) in test.sensors.items() if unit.lower().endswith("watts"))
        raise InputError(
            f"{what} has no samples of {SYSTEM_POWER}"
            + (f", only of {others[:120]}, which is not the power of the system." if others else "."),
            "Run the suite with MONITOR=sys.power.",
        )
    system = file.systems.get(test.system, {})
    parts = _parts(system.get("Hardware", ""))
    processor, memory = parts.get("Processor", ""), parts.get("Memory", "")
    cpus, cores = _CPUS.match(processor), _CORES.search(processor)
    mean_w = float(power_w.mean())
    day = _DAY.match(system.get("TimeStamp", ""))
    if file.note is None:
        raise InputError(f"{name} was not read to its end.", "Restore the file.")
    return PublishedResult(
        id=f"phoronix-{file.note.sha256[:16]}-{index}",
        kind="phoronix",
        collection="Phoronix Test Suite",
        title=f"{test.title} on {test.system}"[:300],
        source=f"{name}, result file of the Phoronix Test Suite",
        submitter=system.get("User", "")[:300],
        maker="",
        model=test.system[:300],
        tested_on=_iso(day[1]) if day else None,
        cpu=_CLOCK.sub("", cpus[2] if cpus else processor)[:300],
        cpus=int(cpus[1]) if cpus else 1 if processor else None,
        cores=int(cores[1]) if cores else None,
        memory=_memory(memory),
        workload=f"phoronix.{test.result['Identifier']} {test.result['Description']}".strip()[:300],
        unit=test.unit,
        program_version=_program(test),
        levels=(
            PublishedLevel(
                target_pct=100.0,
                actual_pct=None,
                ops_per_s=test.throughput,
                power_w=mean_w,
                printed_ratio=test.printed_per_watt,
            ),
        ),
        stated_overall=test.printed_per_watt,
        overall=test.throughput / mean_w,
        contradictions=tuple(f.text for f in _contradictions(test, test.throughput / mean_w)),
        disclosure={
            "sensors": {sensor: _shown(unit, samples) for sensor, (unit, samples) in test.sensors.items()},
            "hardware": parts,
            "software": system.get("Software", "")[:4000],
            "notes": system.get("Notes", "")[:4000],
            "suite": file.generated.get("TestClient", "")[:200],
        },
        file=file.note,
    )


def _program(test: PowerTest) -> str:
    """Return the program and its version, where the suite knows one: "7-Zip Compression 24.05"."""
    version = test.result["AppVersion"].strip()
    return f"{test.result['Title']} {version}"[:300] if version else ""


def _shown(unit: str, samples: np.ndarray) -> dict[str, float | int | str]:
    return {
        "unit": unit,
        "samples": len(samples),
        "min": float(samples.min()),
        "mean": float(samples.mean()),
        "max": float(samples.max()),
    }


def _parts(hardware: str) -> dict[str, str]:
    """Split "Processor: ..., Motherboard: ..." by its keys; values hold commas themselves."""
    pieces = _PART.split(hardware[:8000])
    return dict(zip(pieces[1::2], pieces[2::2], strict=False))


def _memory(text: str) -> PublishedMemory:
    memory = read_memory("", text, text)
    if memory.modules is None or memory.module_gib is None:
        return memory
    return memory.changed(total_gib=memory.modules * memory.module_gib)


def _iso(text: str) -> str | None:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _audit(test: PowerTest, result: PublishedResult, name: str) -> Audit:
    sensor = _shown(*test.sensors[SYSTEM_POWER])
    published = test.printed_per_watt
    return Audit(
        id=result.id,
        kind="phoronix",
        title=result.title,
        submitter=result.submitter,
        round=None,
        system=result.model,
        benchmark=test.title[:300],
        source=name,
        quantity="performance per watt",
        unit=f"{test.unit}/W"[:100],
        published=published,
        published_source=f"{name}, result in {test.result['Scale']} Per Watt" if published is not None else None,
        by_rule=result.overall,
        rule=RULE,
        over_window=None,
        window=NO_WINDOW,
        sentence=f"{sensor['samples']} samples of {SYSTEM_POWER} lie between {sensor['min']:g} and {sensor['max']:g} "
        f"{sensor['unit']}, mean {format_number(float(sensor['mean']), 5)}. They span all runs of the test with the "
        "pauses between them.",
        findings=(*_contradictions(test, result.overall), *_hidden(test)),
        software=version(),
    )


def _contradictions(test: PowerTest, overall: float) -> Iterator[Finding]:
    """Yield findings where the printed work per watt denies result and samples, and where samples are no power."""
    if len(impossible := test.impossible_samples):
        samples = 0 if test.power_w is None else len(test.power_w)
        text = (
            f"{len(impossible)} of {samples} samples of {SYSTEM_POWER}, such as {impossible[0]:g} W, are not the power "
            "of a running system; the suite's mean holds them."
        )
        yield count_finding("bad-readings", len(impossible), "samples", text, "a running system draws power")
    published = test.printed_per_watt
    if published is not None:
        text = f"Printed are {published:g}; result and samples give {format_number(overall, 6)}."
        limit_pct = 100 * _ROUNDING / overall
        if finding := printed_finding(published, overall, limit_pct, text, "half of the last digit printed"):
            yield finding


def _stated_once(test: PowerTest) -> list[str]:
    """Report that nothing in the file confirms result and samples by each other."""
    if test.printed_per_watt is not None:
        return []
    return ["The file prints no work per watt of this test: a changed result or sample cannot be seen."]


def _hidden(test: PowerTest) -> Iterator[Finding]:
    for text in _stated_once(test):
        yield Finding(rule="stated-once", severity="hides", text=text, source="the file itself")
    yield Finding(
        rule="no-times",
        severity="hides",
        text="The samples have no times, and failed readings were excluded: silences and pauses cannot be seen.",
        source="Phoronix Test Suite, module system_monitor",
    )


PHORONIX = Importer(
    kind="phoronix",
    title="Phoronix Test Suite result",
    takes="a composite.xml, or a folder of test-results",
    time_zone="not needed",
    recognises=recognises,
    find=find_results,
    audit=audit_phoronix,
)
