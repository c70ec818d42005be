"""A result of SPEC CPU2017 as its files print it: runs of the benchmarks, overall metrics, the machine."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from wattmark.core.amounts import problem
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import SourceFileNote

METRIC = re.compile(r"SPEC(rate|speed)2017_(int|fp)(_energy)?_(base|peak)")
BENCHMARK = re.compile(r"[5-6][0-9]{2}\.[A-Za-z0-9]{1,20}_[rs]")
REMEDY = "Restore the file of the result from its source."
_SUCCESS = "S"
_DECIMAL = re.compile(r"[0-9]{1,15}(?:\.([0-9]{1,12}))?")


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed number, and half of its last digit."""

    value: float
    half: float

    @property
    def share(self) -> float:
        """Return how far the number may lie off, as a share of it [1]."""
        return self.half / self.value

    def scaled(self, factor: float) -> Printed:
        """Return the number in another unit."""
        return Printed(self.value * factor, self.half * factor)


def printed(text: str) -> Printed | None:
    """Read a number above 0 as printed; None where it is none."""
    match = _DECIMAL.fullmatch(text.strip())
    if match is None or problem(float(text)) or float(text) == 0:
        return None
    return Printed(float(text), 0.5 * 10.0 ** -len(match[1] or ""))


@dataclass(frozen=True, slots=True)
class BenchmarkRun:
    """The run of a benchmark that counts; power is None where none was measured."""

    benchmark: str
    copies: int | None
    """Copies or threads."""
    time_s: Printed
    ratio: Printed
    energy_kj: Printed | None = None
    max_w: Printed | None = None
    mean_w: Printed | None = None
    energy_ratio: Printed | None = None

    @property
    def has_power(self) -> bool:
        """Return whether energy, mean power and energy ratio are printed."""
        return None not in (self.energy_kj, self.mean_w, self.energy_ratio)


@dataclass(slots=True)
class CpuResult:
    """A file, read. Keys of ``runs`` are tuning ("base", "peak") and benchmark."""

    note: SourceFileNote
    unread: Unread
    runs: dict[tuple[str, str], BenchmarkRun] = field(default_factory=dict)
    metrics: dict[str, Printed] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    """What else the file states, by its own keys."""
    estimated: bool = False
    """Not a result by SPEC's rules: it says "Est." of its metrics."""
    invalid: list[str] = field(default_factory=list)
    """Why the file calls itself invalid; empty where it does not."""
    failed: list[str] = field(default_factory=list)
    """Runs that count and did not succeed, with their status."""
    contradictions: list[str] = field(default_factory=list)
    """What the file states twice, and differently."""

    def take_run(self, tuning: str, run: BenchmarkRun) -> None:
        """Keep the run of a benchmark that counts; a second one has to say the same."""
        if self.runs.setdefault((tuning, run.benchmark), run) != run:
            self.contradictions.append(f"{run.benchmark}: two runs of {tuning} count, with other figures.")

    def take_metric(self, name: str, value: Printed) -> None:
        """Keep an overall metric; a second one has to say the same."""
        if (first := self.metrics.setdefault(name, value)) != value:
            self.contradictions.append(f"Printed are {name} = {first.value:g} and {value.value:g}.")

    def take_status(self, benchmark: str, status: str) -> None:
        """Note the status of a run that counts, "S" for success."""
        if status.strip() not in ("", _SUCCESS):
            self.failed.append(f"{benchmark} has the status {status.strip()[:20]}")

    @property
    def name(self) -> str:
        """Return the file."""
        return self.note.file

    def of(self, tuning: str) -> list[BenchmarkRun]:
        """List the runs of a tuning."""
        return [run for (name, _), run in sorted(self.runs.items()) if name == tuning]

    def metric(self, energy: bool, tuning: str = "base") -> tuple[str, Printed] | None:
        """Return the name and the value of an overall metric; None where it is not printed."""
        for name, value in self.metrics.items():
            match = METRIC.fullmatch(name)
            if match and match[4] == tuning and bool(match[3]) == energy:
                return name, value
        return None
