"""Logs whose watts cannot belong to their volts and amperes: marked where they are a part, judged in any case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from wattmark.importers.csv_mapping.csv_import import csv_run
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.importer import Choices, ImportedRun
from wattmark.importers.kinds import KINDS
from wattmark_drivers.reading import Quality

T = 1_732_800_000
COUNT = 120
IMPOSSIBLE = Quality.EXCEEDS_VA | Quality.IMPLAUSIBLE
UNITS = {"power": "W", "voltage": "V", "current": "A", "apparent power": "VA", "power factor": "1"}


def csv_log(path: Path, quantities: Sequence[str], rows: Sequence[Sequence[float]]) -> ImportedRun:
    """Import a log of one meter with a reading each second."""
    mapping = CsvMapping.model_validate(
        {
            "name": "any",
            "time": {"columns": ["time"], "format": "unix s"},
            "columns": [{"column": name, "quantity": name, "unit": UNITS[name]} for name in quantities],
        }
    )
    lines = [",".join(("time", *quantities)), *(",".join(map(str, (T + i, *row))) for i, row in enumerate(rows))]
    file = path / "log.csv"
    file.write_text("\n".join(lines) + "\n")
    return csv_run(file, mapping, Choices(zone=UTC))


def wattsup(path: Path, records: Sequence[tuple[int, int, int]]) -> ImportedRun:
    """Import serial records of tenths of watts and volts, and thousandths of amperes."""
    file = path / "serial.raw"
    file.write_text("".join(f"#d,-,18,{w},{v},{a},{','.join('_' * 15)};\n" for w, v, a in records))
    choices = Choices(zone=UTC, begin=datetime(2024, 11, 28, 13, 20))  # noqa: DTZ001 - a wall clock
    (pending,) = KINDS["wattsup"].find(file, choices)
    item = pending.read()
    assert isinstance(item, ImportedRun)
    return item


def marked(item: ImportedRun) -> np.ndarray:
    """Return which readings of power are marked as impossible."""
    quality = [s.quality for block in item.blocks() for key, s in block if key.channel == "power"]
    return np.concatenate(quality) & np.uint16(IMPOSSIBLE | Quality.NO_VALUE)


def judged(item: ImportedRun) -> tuple[str, str]:
    verdict = next(v for v in item.record.evidence if v.rule == "import-volts-amps")
    return verdict.outcome, verdict.text


def test_a_reading_in_four_above_its_volt_amperes_is_marked_and_the_others_are_not(tmp_path: Path) -> None:
    rows = [(2950 if i % 4 == 0 else 119 + i % 2, 230.1, 0.526) for i in range(COUNT)]
    item = csv_log(tmp_path, ("power", "voltage", "current"), rows)
    assert (marked(item) != 0).tolist() == [i % 4 == 0 for i in range(COUNT)]
    outcome, text = judged(item)
    assert outcome == "fail"
    assert "In 30 of 120 lines meter shows more watts than volts times amperes, up to 24 times" in text


@pytest.mark.parametrize(
    ("quantities", "row", "words"),
    [
        (("power", "voltage", "current"), (3200, 227.2, 9.15), "120 of 120 lines .* up to 1.5 times"),
        (("power", "apparent power"), (350, 310), "120 of 120 lines .* up to 1.1 times"),
        (("power", "voltage", "current"), (40, 0, 0.3), "more watts than volts times amperes"),
        (("power", "voltage", "current"), (119, 230.1, 526), "less than a hundredth of its volt-amperes"),
        (("power", "power factor"), (300, 97.5), "power factor of meter is above 1, up to 97.5"),
    ],
    ids=["watts above volts times amperes", "above apparent power", "no volts", "milliamperes", "percent"],
)
def test_a_log_that_contradicts_itself_in_every_line_fails(
    tmp_path: Path, quantities: tuple[str, ...], row: tuple[float, ...], words: str
) -> None:
    outcome, text = judged(csv_log(tmp_path, quantities, [row] * COUNT))
    assert outcome == "fail"
    assert re.search(words, text)


@pytest.mark.parametrize(
    ("quantities", "row", "words"),
    [
        (("power", "voltage", "current", "power factor"), (219, 230.0, 0.952, 0.95), "watts of meter are .* more"),
        (("power", "voltage", "current", "power factor"), (20.8, 230.0, 0.952, 0.95), "watts of meter are .* less"),
        (("power", "apparent power", "power factor"), (219, 219, 0.95), "120 of 120 lines the watts of meter are not"),
        (("power", "voltage", "current", "apparent power"), (208, 230.0, 0.952, 187), "than the volt-amperes beside"),
    ],
    ids=["volt-amperes", "tenths", "volt-amperes as logged", "above logged volt-amperes"],
)
def test_watts_are_held_against_power_factor_and_logged_volt_amperes(
    tmp_path: Path, quantities: tuple[str, ...], row: tuple[float, ...], words: str
) -> None:
    """208 W of 230 V, 0.952 A and a power factor of 0.95 are one load."""
    outcome, text = judged(csv_log(tmp_path, quantities, [row] * COUNT))
    assert outcome == "fail"
    assert re.search(words, text)
    right = {"power": 208, "voltage": 230.0, "current": 0.952, "apparent power": 219, "power factor": 0.95}
    item = csv_log(tmp_path, quantities, [[right[name] for name in quantities]] * COUNT)
    assert judged(item)[0] == "pass"
    assert not marked(item).any()


def test_amperes_that_come_later_than_watts_do_not_deny_the_power_factor(tmp_path: Path) -> None:
    """A load that moves by 20 % all the time, whose amperes are those of the line before."""
    random = np.random.default_rng(1)
    watts = (200 * random.uniform(0.8, 1.2, COUNT + 1)).round(1).tolist()
    rows = [(now, 230.0, round(before / 230 / 0.95, 3), 0.95) for before, now in pairwise(watts)]
    assert judged(csv_log(tmp_path, ("power", "voltage", "current", "power factor"), rows))[0] == "pass"


@pytest.mark.parametrize(
    "row",
    [(300, 230, 1.31), (612, 118.9, 5), (0.4, 230.1, 0.03), (0, 231, 0), (-300.0, 230, 1.31)],
    ids=["a server", "whole amperes", "standby", "nothing", "current transformer turned"],
)
def test_loads_that_exist_pass(tmp_path: Path, row: tuple[float, ...]) -> None:
    item = csv_log(tmp_path, ("power", "voltage", "current"), [row] * COUNT)
    assert not marked(item).any()
    assert judged(item)[0] == "pass"


def test_moments_of_a_rising_load_in_which_amperes_come_later_are_no_contradiction(tmp_path: Path) -> None:
    rows = [(100.0 if i < 60 else 400.0, 230.0, 0.5 if i < 62 else 1.8) for i in range(COUNT)]
    item = csv_log(tmp_path, ("power", "voltage", "current"), rows)
    assert np.flatnonzero(marked(item)).tolist() == [60]  # 400 W beside 115 VA before and after it


def test_the_end_of_an_integer_format_far_above_the_rest_is_no_reading(tmp_path: Path) -> None:
    rows = [(6553.5 if i % 20 == 7 else 300 + i % 3,) for i in range(COUNT)]
    quality = marked(csv_log(tmp_path, ("power",), rows))
    assert (quality & np.uint16(Quality.NO_VALUE) != 0).tolist() == [i % 20 == 7 for i in range(COUNT)]
    assert not marked(csv_log(tmp_path, ("power",), [(3276.7 if i % 2 else 3000,) for i in range(COUNT)])).any()


def test_records_of_a_watts_up_are_held_against_their_volts_and_amperes(tmp_path: Path) -> None:
    records = [(32_000 if i == 50 else 612 + i % 3, 1190, 600) for i in range(COUNT)]
    item = wattsup(tmp_path, records)
    assert np.flatnonzero(marked(item)).tolist() == [50]
    assert judged(item)[0] == "fail"
    assert judged(wattsup(tmp_path, [(612 + i % 3, 1190, 600) for i in range(COUNT)]))[0] == "pass"
