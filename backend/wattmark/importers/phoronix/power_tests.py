"""Tests of a result file with the power that was read during them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wattmark.core.amounts import problem
from wattmark.importers.phoronix.result_xml import ResultFile, XmlResult
from wattmark.importers.unread import Unread

SYSTEM_POWER = "System Power Consumption"
_MONITOR = re.compile(r"(.{1,80}) Monitor")
_PER_WATT = " Per Watt"
_WATTS = {"Watts": 1.0, "Milliwatts": 1e-3}
_SECONDS = {"Seconds": 1.0, "Milliseconds": 1e-3, "ms": 1e-3, "Minutes": 60.0}
"""Scales of results of which less is better: the time of one run."""
_SUMMARY = "Phoronix Test Suite System Monitoring"
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?")


@dataclass(slots=True)
class PowerTest:
    """A test on a system, with what sensors showed during it."""

    system: str
    result: XmlResult
    throughput: float
    """Work or runs per second."""
    unit: str
    sensors: dict[str, tuple[str, NDArray[np.float64]]] = field(default_factory=dict)
    """Samples of each sensor in its unit; they have no times."""
    printed_per_watt: float | None = None

    @property
    def title(self) -> str:
        """Return test and options."""
        return ", ".join(part for part in (self.result["Title"], self.result["Description"]) if part)

    @property
    def power_w(self) -> NDArray[np.float64] | None:
        """Return the samples of the whole system's power [W]; None where there are none."""
        unit, samples = self.sensors.get(SYSTEM_POWER, ("", np.zeros(0)))
        return samples * _WATTS[unit] if unit in _WATTS and len(samples) else None


def find_tests(file: ResultFile, name: str, unread: Unread) -> list[PowerTest]:
    """List the tests with their sensors, in the order of the file; entries that are not results are counted."""
    tests: dict[tuple[str, str, str], PowerTest] = {}
    for result in file.results:
        if result["Identifier"]:
            for each in _tests(result, name, unread):
                tests.setdefault((each.system, result["Title"], result["Arguments"]), each)
        elif monitor := _MONITOR.fullmatch(result["Description"]):
            _add_sensor(tests, result, monitor[1], name, unread)
        elif result["Scale"].endswith(_PER_WATT):
            for system, value in result.entries.items():
                test = tests.get((system, result["Title"], result["Arguments"]))
                number = _number(value)
                if test is not None and number is not None:
                    test.printed_per_watt = number
        elif result["Description"] != _SUMMARY:
            unread.add(name, result.line, result["Title"], "the result names no test and is of no known sensor")
    return list(tests.values())


def _tests(result: XmlResult, name: str, unread: Unread) -> Iterator[PowerTest]:
    """Read the results of one test; those of which less is better are turned into runs per second."""
    scale = result["Scale"]
    for system, value in result.entries.items():
        number = _number(value)
        if number is None or number <= 0:
            unread.add(name, result.line, f"{result['Title']}: {value}", "the value is not an amount of work or time")
        elif result["Proportion"] == "HIB":
            yield PowerTest(system, result, number, scale)
        elif result["Proportion"] == "LIB" and scale in _SECONDS:
            yield PowerTest(system, result, 1 / (number * _SECONDS[scale]), "runs/s")
        else:
            unread.add(name, result.line, f"{result['Title']}: {value} {scale}", "it is neither a rate nor a time")


def _add_sensor(
    tests: dict[tuple[str, str, str], PowerTest], result: XmlResult, sensor: str, name: str, unread: Unread
) -> None:
    """Add samples to the test during which they were read: of its title, its arguments behind the sensor's name."""
    arguments = result["Arguments"].removeprefix(sensor).strip()
    for system, value in result.entries.items():
        test = tests.get((system, result["Title"], arguments))
        samples = [_number(part) for part in value.split(",")]
        good = [sample for sample in samples if sample is not None]
        if test is None or len(good) < len(samples):
            why = (
                "no test of this title and these arguments precedes it" if test is None else "a sample is not a number"
            )
            unread.add(name, result.line, f"{result['Title']}: {result['Description']}", why)
        else:
            test.sensors.setdefault(sensor, (result["Scale"], np.array(good)))


def _number(text: str) -> float | None:
    """Read a plain number; None where it is none, or none that an amount may be."""
    text = text.strip()
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return None if not math.isfinite(number) or problem(abs(number)) else number
