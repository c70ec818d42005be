"""Costs beside a limit or a peer of the same run, and the goals that their ratios are held against."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROWS = "WATTMARK_BENCH_ROWS"
"""Variable that names the file to which benchmarks add their rows, a JSON object a line."""
GOALS = Path(__file__).with_name("goals.toml")
SLACK = 1.25
"""A ratio may be worse than its goal by a quarter before the guard fails: machines differ."""
ROUNDS = 3
REPEATS = 4
"""How often as many rounds again may decide whether a bad ratio was the machine's: a shared CPU changes its speed by
two fifths for seconds at a time, and a command may meet only its slow spells in six rounds."""


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


@dataclass(frozen=True, slots=True)
class Pair:
    """How to measure what ours costs and what a peer or a limit does; both take turns."""

    name: str
    unit: str
    beside: str
    ours: Callable[[], float]
    peer: Callable[[], float]
    in_turn: bool = False
    """Whether both are measured together, slice by slice, so that the two figures of a round belong together."""

    def measure(self, enough: float | None = None) -> Ratio:
        """Compare the least cost of either in some rounds: a busy machine only adds.

        While the ratio is not good enough, as many rounds again decide whether it was the machine: a cost that is
        truly higher stays so in the best of any number of rounds.
        """
        rounds = [(self.ours(), self.peer()) for _ in range(ROUNDS)]
        for _ in range(REPEATS):
            if enough is None or self._least(rounds).value <= enough:
                break
            rounds += [(self.ours(), self.peer()) for _ in range(ROUNDS)]
        return self._least(rounds)

    def _least(self, rounds: Sequence[tuple[float, float]]) -> Ratio:
        if self.in_turn:
            ours, peer = min(rounds, key=lambda figures: figures[0] / figures[1])
        else:
            ours, peer = map(min, zip(*rounds, strict=True))
        return Ratio(self.name, ours, peer, self.unit, self.beside)


def tell(
    name: str, ours: float, peer: float, unit: str, beside: str, goal: str = "", *, ratio: float | None = None
) -> None:
    """Print a row of the table of `make bench`, and keep it for the table of all.

    ``ratio`` is that of rounds that belong together where it is not merely one of the two figures; ``goal`` is the
    least or the most that it is to be, such as ">= 0.85".
    """
    row = {"name": name, "ours": ours, "unit": unit, "peer": peer, "beside": beside, "goal": goal}
    row["ratio"] = ours / peer if ratio is None else ratio
    sys.stdout.write(f"{row_text(row)}\n")
    sys.stdout.flush()
    if kept := os.environ.get(ROWS):
        with Path(kept).open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(row)}\n")


def row_text(row: Mapping[str, Any]) -> str:
    """Write a row of the table: name, ours, peer or limit, ratio, goal, and what the peer is."""
    figures = f"{row['ours']:10.4g} {row['peer']:10.4g} {row['unit']:9} {row['ratio']:8.2f} {row['goal']:>8}"
    return f"{row['name']:62} {figures}  {row['beside']}"


def heading() -> str:
    """Write the heading of the table."""
    return f"{'name':62} {'ours':>10} {'beside':>10} {'unit':9} {'ratio':>8} {'goal':>8}  what stands beside it"


def cpu_s(work: Callable[[], object], slices: int = 1) -> float:
    """Measure the CPU time of this process for some work, all threads, user and system; of the least slice [s]."""
    taken = []
    for _ in range(slices):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def side_by_side(name: str, beside: str, ours: Callable[[], object], peer: Callable[[], object], slices: int) -> Pair:
    """Compare the CPU time of two kinds of work that take turns in short slices: what disturbs, disturbs both."""
    latest = [0.0, 0.0]

    def both() -> float:
        latest[:] = [0.0, 0.0]
        for _ in range(slices):
            latest[0] += cpu_s(ours)
            latest[1] += cpu_s(peer)
        return latest[0]

    return Pair(name, "s", beside, both, lambda: latest[1], in_turn=True)


def command_cpu_s(command: Sequence[str]) -> float:
    """Measure the CPU time of a command, user and system [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def goals() -> dict[str, float]:
    """Read the goals: a ratio is to be at most this."""
    stated: dict[str, float] = tomllib.loads(GOALS.read_text())
    return stated


def held(pairs: Iterable[Pair]) -> Iterator[Ratio]:
    """Measure each against its goal."""
    limits = goals()
    for pair in pairs:
        yield pair.measure(limits[pair.name] * SLACK)


def report(ratios: Iterable[Ratio], file: Path) -> list[str]:
    """Print a table and write it as JSON; return the names of the ratios that are worse than goal and slack allow."""
    limits, rows, worse = goals(), [], []
    sys.stdout.write(f"{'name':44} {'ours':>12} {'beside':>12} {'ratio':>7} {'goal':>6}  what stands beside it\n")
    for ratio in ratios:
        goal = limits.get(ratio.name)
        failed = goal is not None and ratio.value > goal * SLACK
        worse += [ratio.name] if failed else []
        figures = f"{ratio.ours:8.4g} {ratio.unit:>3} {ratio.peer:8.4g} {ratio.unit:>3}"
        stated = "" if goal is None else f"{goal:.2f}"
        mark = "  WORSE" if failed else ""
        sys.stdout.write(f"{ratio.name:44} {figures} {ratio.value:7.2f} {stated:>6}  {ratio.beside}{mark}\n")
        sys.stdout.flush()
        rows.append({**asdict(ratio), "ratio": ratio.value, "goal": goal})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(rows, indent=1) + "\n")
    return worse


def shortest_s(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Measure the shortest of some rounds [s]."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)
