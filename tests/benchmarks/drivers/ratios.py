"""CPU time of reading a Modbus TCP meter, beside plain pymodbus, and of watching what it shows.

Polling many meters a second is left to `bench_modbus.py`: on a busy machine its waking up costs more than the polls.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.watch import ReadingWatch

from tests.benchmarks.drivers.bench_modbus import MODEL, in_fresh_process
from tests.benchmarks.ratio import Pair, side_by_side


def flat_out(ports: list[int]) -> Iterator[Pair]:
    """Compare what reading one meter costs, up to values, beyond sending a request and receiving bytes.

    That is the same for both, and from machine to machine it is a third to two thirds of pymodbus's whole cost.
    """
    ways = ("wattmark decoded", "pymodbus decoded", "bare exchange")
    arguments = ["--who", ",".join(ways), "--what", "in-turn", "--seconds", "1"]
    latest: list[dict[str, float]] = []

    def beyond_exchange(way: str) -> float:
        return latest[0][way] - latest[0][ways[2]]

    def ours() -> float:
        latest[:] = [in_fresh_process(arguments, ports)]
        return beyond_exchange(ways[0])

    yield Pair("drivers: one read", "us", "pymodbus", ours, lambda: beyond_exchange(ways[1]), in_turn=True)


def watching() -> Iterator[Pair]:
    """Compare marking the readings of polls in which everything moves with building these readings once."""
    meter = create_meter(MeterSettings("m", MODEL, "modbus-tcp://127.0.0.1:1/1"))
    watch = ReadingWatch(meter.identity, meter.channels, 1.0)
    stamps = itertools.count(10**18, 10**9)

    def poll(t_ns: int) -> list[Reading]:
        step = t_ns / 10**9 % 1000
        shown = {"voltage": 230 + step / 1000, "current": 1 + step / 1000}
        shown["apparent_power"] = shown["voltage"] * shown["current"]
        shown["power"] = 0.95 * shown["apparent_power"]
        return [
            Reading(channel.id, shown.get(channel.id, step), channel.unit, t_ns, 10**6, channel.kind)
            for channel in meter.channels
        ]

    polls = [poll(next(stamps)) for _ in range(1000)]
    yield side_by_side(
        "drivers: watching a poll",
        "building its readings",
        lambda: [watch.mark(readings) for readings in polls],
        lambda: [[Reading(*reading) for reading in readings] for readings in polls],
        10,
    )
