"""A measured figure beside a limit or a peer of the same run, and the goal that it is held against."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

GOALS = Path(__file__).with_name("goals.toml")
SLACK = 1.25
"""A ratio may be worse than its goal by a quarter before the guard fails: machines differ."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """What ours costs beside a peer or a limit, both in the same unit; the smaller the better."""

    name: str
    ours: float
    peer: float
    unit: str
    beside: str
    """What the peer or limit is."""

    @property
    def value(self) -> float:
        """Return how many times the peer's cost ours is."""
        return self.ours / self.peer


def best(measure: Callable[[], Ratio], times: int = 3) -> Ratio:
    """Measure a few times and return the best: a busy machine only adds."""
    return min((measure() for _ in range(times)), key=lambda ratio: ratio.value)


def cpu_s(work: Callable[[], object], rounds: int = 3) -> float:
    """Measure the CPU time of this process for some work, the best of some rounds [s]."""
    taken = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def command_cpu_s(command: Sequence[str], rounds: int = 3) -> float:
    """Measure the CPU time of a command, user and system, the best of some rounds [s]."""
    taken = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


def goals() -> dict[str, float]:
    """Read the goals: a ratio is to be at most this."""
    stated: dict[str, float] = tomllib.loads(GOALS.read_text())
    return stated


def report(ratios: Iterable[Ratio], file: Path) -> list[str]:
    """Print a table and write it as JSON; return the names of the ratios that are worse than goal and slack allow."""
    limits, rows, worse = goals(), [], []
    sys.stdout.write(f"{'name':32} {'ours':>10} {'beside':>10}  {'ratio':>6} {'goal':>6}  what stands beside it\n")
    for ratio in ratios:
        goal = limits[ratio.name]
        failed = ratio.value > goal * SLACK
        worse += [ratio.name] if failed else []
        figures = f"{ratio.ours:7.3g} {ratio.unit:>2} {ratio.peer:7.3g} {ratio.unit:>2}"
        mark = "  WORSE" if failed else ""
        sys.stdout.write(f"{ratio.name:32} {figures}  {ratio.value:6.2f} {goal:6.2f}  {ratio.beside}{mark}\n")
        sys.stdout.flush()
        rows.append({"name": ratio.name, "ours": ratio.ours, "peer": ratio.peer, "unit": ratio.unit,
                     "beside": ratio.beside, "ratio": ratio.value, "goal": goal})  # fmt: skip
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(rows, indent=1))
    return worse
