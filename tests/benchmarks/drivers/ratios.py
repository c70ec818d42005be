"""CPU time of polling Modbus TCP meters, beside the same reads by plain pymodbus."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.benchmarks.drivers.bench_modbus import in_fresh_process
from tests.benchmarks.ratio import Pair

POLLED = 400
"""Of the thousand meters of the full benchmark, so that a busy machine still answers in time."""


def flat_out(ports: list[int]) -> Iterator[Pair]:
    """Compare reading one meter as fast as it answers, up to values; both in one process, slice by slice."""
    ways = ("wattmark decoded", "pymodbus decoded")
    arguments = ["--who", ",".join(ways), "--what", "in-turn", "--seconds", "1"]
    latest: list[dict[str, float]] = []

    def ours() -> float:
        latest[:] = [in_fresh_process(arguments, ports)]
        return latest[0][ways[0]]

    yield Pair("drivers: one read", "us", "pymodbus", ours, lambda: latest[0][ways[1]])


def staggered(ports: list[int]) -> Iterator[Pair]:
    """Compare polling many meters, each at its own moment: the CPU time of a poll in the least of some windows."""

    def us(who: str) -> Callable[[], float]:
        arguments = ["--who", who, "--what", "staggered", "--warm-up", "1", "--seconds", "2"]
        return lambda: in_fresh_process(arguments, ports[:POLLED])["least_cpu_us"]

    yield Pair("drivers: 400 meters at 1 Hz", "us", "pymodbus", us("wattmark"), us("pymodbus"))
