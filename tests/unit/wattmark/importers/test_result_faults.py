"""Random faults in published results of every kind: their figures stay what they were, or something is said.

WATTMARK_FAULTS sets how many faults are injected, WATTMARK_FAULT_SEED where they begin. Each strikes one text file of a
small result that is written as its format is.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.core.errors import InputError, WattmarkError
from wattmark.importers.choices import read_choices
from wattmark.importers.importer import ImportedFigures
from wattmark.importers.kinds import KINDS
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate

from .eehpc.conftest import write_example
from .mlperf_training.conftest import write_submission
from .phoronix.test_phoronix import CPU_POWER, PER_WATT, SYSTEM_POWER, TEST, composite
from .speccpu.test_speccpu import raw, table
from .speccpu.test_speccpu import text as cpu_text
from .specpower.test_specpower import text as power_text

FAULTS = int(os.environ.get("WATTMARK_FAULTS", "16"))
SEED = int(os.environ.get("WATTMARK_FAULT_SEED", "31"))
CLOSE = 0.004
"""How far the digits of these files leave a figure open, as in test_one_digit.py."""
CHOICES = read_choices("Europe/Berlin")
RUN_FIGURES = ("power", "throughput", "efficiency", "energy_per_op")
Source = tuple[str, Path]
"""Kind, and file or folder."""


@pytest.fixture
def sources(tmp_path: Path, make_result: Callable[..., Path]) -> dict[str, Source]:
    texts = {
        "specpower": ("specpower", "power_ssj2008-1.txt", power_text()),
        "cpu2017 text": ("speccpu2017", "cpu.txt", cpu_text()),
        "cpu2017 table": ("speccpu2017", "cpu.csv", table()),
        "cpu2017 raw": ("speccpu2017", "cpu.rsf", raw()),
        "phoronix": ("phoronix", "composite.xml", composite(TEST, SYSTEM_POWER, CPU_POWER, PER_WATT)),
    }
    written: dict[str, Source] = {}
    for name, (kind, file, text) in texts.items():
        path = tmp_path / name / file
        path.parent.mkdir()
        path.write_text(text)
        written[name] = kind, path.parent
    written["mlperf"] = "mlperf", make_result(zone_h=1).parents[6]
    written["mlperf-training"] = "mlperf-training", write_submission(tmp_path).parents[3]
    written["eehpc"] = "eehpc", write_example(tmp_path).parent
    return written


Fault = Callable[[list[str], random.Random], list[str]]


def place_of(lines: list[str], r: random.Random) -> int:
    return r.choice([place for place, line in enumerate(lines) if line.strip()])


def drop(lines: list[str], r: random.Random) -> list[str]:
    place = place_of(lines, r)
    return lines[:place] + lines[place + 1 :]


def drop_many(lines: list[str], r: random.Random) -> list[str]:
    place, count = place_of(lines, r), r.randrange(2, 8)
    return lines[:place] + lines[place + count :]


def repeat(lines: list[str], r: random.Random) -> list[str]:
    place = place_of(lines, r)
    return [*lines[:place], lines[place], *lines[place:]]


def swap(lines: list[str], r: random.Random) -> list[str]:
    place = min(place_of(lines, r), max(len(lines) - 2, 0))
    return lines[:place] + lines[place : place + 2][::-1] + lines[place + 2 :]


def tear_line(lines: list[str], r: random.Random) -> list[str]:
    place = place_of(lines, r)
    cut = lines[place][: r.randrange(len(lines[place]))]
    return [*lines[:place], cut + "".join(lines[place + 1 : place + 2]), *lines[place + 2 :]]


def cut_line(lines: list[str], r: random.Random) -> list[str]:
    place = place_of(lines, r)
    return [*lines[:place], lines[place][: r.randrange(len(lines[place]))], *lines[place + 1 :]]


def tear_file(lines: list[str], r: random.Random) -> list[str]:
    place = place_of(lines, r)
    return [*lines[:place], lines[place][: r.randrange(len(lines[place]))]]


def stacked(lines: list[str], _: random.Random) -> list[str]:
    return lines + lines


def decimal_comma(lines: list[str], r: random.Random) -> list[str]:
    if r.random() < 0.5:
        return [line.replace(".", ",") for line in lines]
    place = place_of(lines, r)
    return [*lines[:place], lines[place].replace(".", ","), *lines[place + 1 :]]


def digit(lines: list[str], r: random.Random) -> list[str]:
    place = place_of(lines, r)
    digits = [at for at, sign in enumerate(lines[place]) if sign.isdigit()]
    if not digits:
        return lines
    at = r.choice(digits)
    line = lines[place][:at] + str((int(lines[place][at]) + r.randrange(1, 10)) % 10) + lines[place][at + 1 :]
    return [*lines[:place], line, *lines[place + 1 :]]


def zeros(lines: list[str], r: random.Random) -> list[str]:
    place = place_of(lines, r)
    at = r.randrange(len(lines[place]) + 1)
    line = lines[place][:at] + "\0" * r.randrange(1, 9) + lines[place][at:]
    return [*lines[:place], line, *lines[place + 1 :]]


def garbage(lines: list[str], r: random.Random) -> list[str]:
    place = place_of(lines, r)
    line = "".join(r.choice("0123456789,;.:#xyz \N{DEGREE SIGN}") for _ in range(r.randrange(1, 60)))
    return [*lines[:place], line, *lines[place + 1 :]]


def negative(lines: list[str], r: random.Random) -> list[str]:
    place = place_of(lines, r)
    return [*lines[:place], lines[place].replace(" ", " -", 1), *lines[place + 1 :]]


def spaces(lines: list[str], r: random.Random) -> list[str]:
    place = place_of(lines, r)
    at = r.randrange(len(lines[place]) + 1)
    return [*lines[:place], lines[place][:at] + " " + lines[place][at:], *lines[place + 1 :]]


ALL: tuple[Fault, ...] = (
    *(drop, drop_many, repeat, swap, tear_line, cut_line, tear_file, stacked, decimal_comma),
    *(digit, zeros, garbage, negative, spaces),
)


def read(kind: str, path: Path, storage: Storage) -> tuple[dict[str, float], set[str]]:
    """Import and audit a result: its figures by name, and all that is said."""
    figures: dict[str, float] = {}
    said: set[str] = set()
    importer = KINDS[kind]
    try:
        for pending in importer.find(path, CHOICES):
            try:
                item = pending.read()
            except InputError as error:
                said.add(str(error))
                continue
            said |= {*item.notes, *(f"unread: {line.text}" for line in item.unread.first)}
            if isinstance(item, ImportedFigures):
                result = item.result
                said |= set(result.contradictions)
                figures[f"{pending.source} overall"] = result.overall
                figures[f"{pending.source} stated"] = result.stated_overall or 0
                for level in result.levels:
                    figures[f"{pending.source} {level.target_pct} ops"] = level.ops_per_s
                    figures[f"{pending.source} {level.target_pct} W"] = level.power_w
                continue
            run_id = item.record.run_id
            storage.samples.delete_run(run_id)
            for block in item.blocks():
                storage.samples.append([(storage.samples.series(key).id, part) for key, part in block])
            evaluated = evaluate(item.record, storage.samples)
            said |= {without_numbers(verdict.text) for verdict in evaluated.verdicts if verdict.outcome == "fail"}
            for name in RUN_FIGURES:
                if (quantity := getattr(evaluated, name)) is not None:
                    figures[f"{pending.source} {name}"] = quantity.value
        if importer.audit is not None:
            findings = [finding for audit in importer.audit(path, CHOICES) for finding in audit.findings]
            said |= {without_numbers(finding.text) for finding in findings if finding.severity != "notes"}
    except WattmarkError as error:
        said.add(str(error))
    return figures, said


def without_numbers(text: str) -> str:
    """Return what is said apart from its figures, which tell of no fault when they change."""
    return re.sub(r"[0-9.]+", "#", text)


def alike(before: dict[str, float], after: dict[str, float]) -> bool:
    return before.keys() == after.keys() and all(
        abs(after[name] - value) <= CLOSE * abs(value) for name, value in before.items()
    )


def test_no_fault_of_a_result_changes_its_figures_without_a_word(
    tmp_path: Path, sources: dict[str, Source], storage: Storage
) -> None:
    truth = {name: read(kind, path, storage) for name, (kind, path) in sources.items()}
    silent: list[str] = []
    counted: Counter[str] = Counter()
    for case in range(FAULTS):
        r = random.Random(f"{SEED} {case}")
        name = list(sources)[case % len(sources)]
        kind, path = sources[name]
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(path, copy / path.name)
        files = sorted(file for file in copy.rglob("*") if file.is_file() and file.suffix != ".parquet")
        file = r.choice(files)
        fault = r.choice(ALL)
        lines = file.read_text().split("\n")
        file.write_text("\n".join(fault(lines, r)))
        figures, said = read(kind, copy / path.name, storage)
        before, heard = truth[name]
        if said - heard:
            counted["said"] += 1
        elif alike(before, figures):
            counted["true"] += 1
        else:
            counted["silent"] += 1
            silent.append(f"{case} {name} {file.name} {fault.__name__}: {before} became {figures}")
    assert silent == [], f"seed {SEED}, {FAULTS} faults: {dict(counted)}"
