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
_SECONDS = {"Seconds": 1.0, "Milliseconds": 1e-3, "ms": 1e-3, "Minutes": 60.0, "Hours": 3600.0}
"""Scales of results of which less is better: the time of one run, or a latency."""
_SHORTEST_RUN_S = 1.0
"""A shorter time is no run during which sensors were read, unless the suite notes that runs took it."""
_LEAST_OF_RUN = 0.5
"""Share of a run that its time is at least: the rest is setting up."""
FAR = 10.0
"""A sample above this many times the median of all is an overflow, or in another unit."""
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
    read_twice: bool = False
    """Whether the power of the system stands twice, and nothing tells which was read during it."""

    @property
    def title(self) -> str:
        """Return test and options."""
        return ", ".join(part for part in (self.result["Title"], self.result["Description"]) if part)

    @property
    def power_w(self) -> NDArray[np.float64] | None:
        """Return the samples of the whole system's power [W]; None where there are none, or two series of them."""
        unit, samples = self.sensors.get(SYSTEM_POWER, ("", np.zeros(0)))
        return samples * _WATTS[unit] if unit in _WATTS and len(samples) and not self.read_twice else None

    @property
    def impossible_samples(self) -> NDArray[np.float64]:
        """Return the samples of the system's power that no running system takes [W]: 0 and below, or far off."""
        power_w = np.zeros(0) if self.power_w is None else self.power_w
        usual_w = float(np.median(power_w)) if len(power_w) else 0.0
        return power_w[(power_w <= 0) | (power_w > FAR * usual_w)]


class _Tests:
    """The tests so far; a sensor, or a work per watt, belongs to those before it that ran together."""

    def __init__(self, name: str, unread: Unread) -> None:
        self.all: list[PowerTest] = []
        self._together: dict[tuple[str, str, str], list[PowerTest]] = {}
        """By system, title and arguments: the tests since the last sensor of earlier ones."""
        self._name, self._unread = name, unread

    def add(self, test: PowerTest) -> None:
        """Add a test; those before it that have sensors ran earlier."""
        key = test.system, test.result["Title"], test.result["Arguments"]
        together = self._together.setdefault(key, [])
        if any(earlier.sensors for earlier in together):
            together = self._together[key] = []
        together.append(test)
        self.all.append(test)

    def add_sensor(self, result: XmlResult, sensor: str) -> None:
        """Add samples to the tests that ran meanwhile: of its title, their arguments behind the sensor's name."""
        arguments = result["Arguments"].removeprefix(sensor).strip()
        for system, value in result.entries.items():
            tests = self._together.get((system, result["Title"], arguments), [])
            samples = [_number(part) for part in value.split(",")]
            good = [sample for sample in samples if sample is not None]
            if not tests:
                self._leave_out(result, "no test of this title and these arguments precedes it")
            elif len(good) < len(samples):
                self._leave_out(result, "a sample is not a number")
            elif any(sensor in test.sensors for test in tests):
                self._leave_out(result, "another reading of this sensor stands before")
                for test in tests:
                    test.read_twice |= sensor == SYSTEM_POWER
            else:
                for test in tests:
                    test.sensors[sensor] = result["Scale"], np.array(good)

    def add_per_watt(self, result: XmlResult) -> None:
        """Add a printed work per watt to the test whose unit and description it has."""
        unit = result["Scale"].removesuffix(_PER_WATT)
        for system, value in result.entries.items():
            tests = [
                test
                for test in self._together.get((system, result["Title"], result["Arguments"]), [])
                if test.result["Scale"] == unit
            ]
            tests = [test for test in tests if test.result["Description"] == result["Description"]] or tests
            number = _number(value)
            if len(tests) != 1 or number is None:
                self._leave_out(result, "it is of no test before it, or of several")
            elif tests[0].printed_per_watt not in (None, number):
                self._leave_out(result, "another work per watt of this test stands before")
            else:
                tests[0].printed_per_watt = number

    def _leave_out(self, result: XmlResult, why: str) -> None:
        self._unread.add(self._name, result.line, f"{result['Title']}: {result['Description']}", why)


def find_tests(file: ResultFile, name: str, unread: Unread) -> list[PowerTest]:
    """List the tests with their sensors, in the order of the file; entries that are not results are counted."""
    tests = _Tests(name, unread)
    for result in file.results:
        if result["Identifier"]:
            for test in _tests(result, name, unread):
                tests.add(test)
        elif monitor := _MONITOR.fullmatch(result["Description"]):
            tests.add_sensor(result, monitor[1])
        elif result["Scale"].endswith(_PER_WATT):
            tests.add_per_watt(result)
        elif result["Description"] != _SUMMARY:
            unread.add(name, result.line, result["Title"], "the result names no test and is of no known sensor")
    return tests.all


def _tests(result: XmlResult, name: str, unread: Unread) -> Iterator[PowerTest]:
    """Read the results of one test; those of which less is better are turned into runs per second."""
    scale = result["Scale"]
    for system, value in result.entries.items():
        number = _number(value)
        if number is None or number <= 0:
            unread.add(name, result.line, f"{result['Title']}: {value}", "the value is not an amount of work or time")
        elif result["Proportion"] == "HIB":
            yield PowerTest(system, result, number, scale)
        elif result["Proportion"] != "LIB" or scale not in _SECONDS:
            unread.add(name, result.line, f"{result['Title']}: {value} {scale}", "it is neither a rate nor a time")
        elif _is_time_of_run(number * _SECONDS[scale], result.run_times_s.get(system, ())):
            yield PowerTest(system, result, 1 / (number * _SECONDS[scale]), "runs/s")
        else:
            unread.add(
                name, result.line, f"{result['Title']}: {value} {scale}", "it is a latency, and no time of a run"
            )


def _is_time_of_run(time_s: float, run_times_s: tuple[float, ...]) -> bool:
    """Return whether a time can be that of a run, by how long the runs took where the suite noted it."""
    least_s = _LEAST_OF_RUN * min(run_times_s) if run_times_s else _SHORTEST_RUN_S
    return time_s >= least_s


def _number(text: str) -> float | None:
    """Read a plain number; None where it is none, or none that an amount may be."""
    text = text.strip()
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return None if not math.isfinite(number) or problem(abs(number)) else number
