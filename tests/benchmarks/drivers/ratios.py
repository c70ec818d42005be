"""CPU time of polling Modbus TCP meters, beside the same reads by plain pymodbus."""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks.drivers.bench_modbus import in_fresh_process, meters
from tests.benchmarks.ratio import Ratio, best

POLLED = 300
"""Of the thousand meters of the full benchmark."""


def flat_out() -> Iterator[Ratio]:
    """Compare reading one meter as fast as it answers, up to values."""
    with meters() as ports:

        def measure() -> Ratio:
            us = [
                in_fresh_process(["--who", f"{who} decoded", "--what", "flat-out", "--seconds", "1"], ports)["cpu_us"]
                for who in ("wattmark", "pymodbus")
            ]
            return Ratio("drivers: one read", us[0], us[1], "us", "pymodbus")

        yield best(measure)


def staggered() -> Iterator[Ratio]:
    """Compare polling many meters at 1 Hz, each at its own moment."""
    with meters() as ports:

        def measure() -> Ratio:
            share = [
                in_fresh_process(["--who", who, "--what", "staggered", "--seconds", "4"], ports[:POLLED])["cpu_pct"]
                for who in ("wattmark", "pymodbus")
            ]
            return Ratio("drivers: 300 meters at 1 Hz", share[0], share[1], "%", "pymodbus")

        yield best(measure, times=1)
