"""A thousand Modbus TCP meters in one process, and one meter flat out, beside the same work by plain pymodbus.

The meters are libmodbus servers in processes of their own. Each figure is taken in a fresh process, so that its CPU
time is its own. Needs cc, libmodbus-dev and about 1,100 file descriptors.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from functools import partial
from pathlib import Path

from tests.benchmarks.ratio import tell

FOLDER = Path(__file__).parent
PROCESSES, PORTS_EACH = 4, 250
WARM_UP_S = 2.0
REGISTERS = 76
FLAT_OUT_REGISTERS = 80
SLICE = 100
MODEL = "eastron.sdm120"
Times = list[tuple[int, int, int, int]]
"""When a poll was due, began and ended [monotonic ns], and which meter it was."""


@contextlib.contextmanager
def meters() -> Iterator[list[int]]:
    """Serve a thousand meters and give their ports."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        program = Path(folder) / "modbus_meters"
        source = FOLDER / "modbus_meters.c"
        subprocess.run(["cc", "-O2", "-I/usr/include/modbus", "-o", program, source, "-lmodbus"], check=True)
        ports: list[int] = []
        for _ in range(PROCESSES):
            process = subprocess.Popen(
                [program, str(PORTS_EACH)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            stack.enter_context(process)
            assert process.stdin is not None
            assert process.stdout is not None
            stack.callback(process.stdin.close)
            ports += map(int, process.stdout.readline().split())
        yield ports


class Watched:
    """A meter whose reads are timed."""

    def __init__(self, meter, index: int, times: Times, due: Callable[[int], int]) -> None:
        self._meter, self._index, self._times, self._due = meter, index, times, due
        self.identity, self.channels, self.pushes = meter.identity, meter.channels, meter.pushes
        self.open, self.close = meter.open, meter.close

    async def read(self):
        began = time.monotonic_ns()
        readings = await self._meter.read()
        self._times.append((self._due(began), began, time.monotonic_ns(), self._index))
        return readings


def due_at(phase_ns: int, period_ns: int) -> Callable[[int], int]:
    """Tell which tick of a schedule was the latest one."""
    return lambda now_ns: (now_ns - phase_ns) // period_ns * period_ns + phase_ns


async def wattmark_many(
    ports: list[int], period_s: float, spread: bool, times: Times, options: dict[str, str] | None = None
) -> None:
    """Sample all meters as a bench does: samplers over meters of the catalogue, values decoded and judged."""
    from wattmark_drivers.factory import create_meter
    from wattmark_drivers.sampler import Sampler, staggered_phase_s
    from wattmark_drivers.settings import MeterSettings

    def poll(index: int, port: int) -> Sampler:
        phase_s = staggered_phase_s(index, len(ports), period_s) if spread else 0.0
        url = f"modbus-tcp://127.0.0.1:{port}/1"
        meter = create_meter(MeterSettings(f"m{index}", MODEL, url, period_s, options=options or {}))
        watched = Watched(meter, index, times, due_at(int(phase_s * 1e9), int(period_s * 1e9)))
        return Sampler(
            watched, period_s=period_s, phase_s=phase_s, on_readings=lambda *_: None, on_state=lambda _: None
        )

    samplers = [poll(index, port) for index, port in enumerate(ports)]
    await asyncio.gather(*(sampler.run() for sampler in samplers))


async def pymodbus_many(ports: list[int], period_s: float, spread: bool, times: Times) -> None:
    """Read and decode the same registers with pymodbus's own client; polls that are spread begin one by one."""
    from pymodbus.client import AsyncModbusTcpClient
    from pymodbus.exceptions import ModbusException

    period_ns = int(period_s * 1e9)

    async def poll(index: int, port: int) -> None:
        client = AsyncModbusTcpClient("127.0.0.1", port=port, retries=0)
        await client.connect()
        await client.read_input_registers(0, count=REGISTERS)
        phase_ns = int(period_s * index / len(ports) * 1e9) if spread else 0
        due = due_at(phase_ns, period_ns)(time.monotonic_ns())
        while True:
            due = max(due + period_ns, due_at(phase_ns, period_ns)(time.monotonic_ns()))
            await asyncio.sleep((due - time.monotonic_ns()) / 1e9)
            began = time.monotonic_ns()
            with contextlib.suppress(ModbusException):
                await pymodbus_read(client, REGISTERS)
                times.append((due, began, time.monotonic_ns(), index))

    await asyncio.gather(*(poll(index, port) for index, port in enumerate(ports)))


async def pymodbus_read(client, count: int) -> list[float]:
    """Read with pymodbus and decode the nine quantities of the meter."""
    answer = await client.read_input_registers(0, count=count)
    words = answer.registers
    places = (0, 6, 12, 18, 24, 30, 70, 72, 74)
    return [client.convert_from_registers(words[n : n + 2], client.DATATYPE.FLOAT32) for n in places]


async def wattmark_flat_out(port: int) -> Callable[[], Awaitable[object]]:
    """Read one meter by our driver: the block alone, as far as its registers."""
    from wattmark_drivers.clock import SystemClock
    from wattmark_drivers.modbus.address import TcpAddress
    from wattmark_drivers.modbus.line import ModbusLine
    from wattmark_drivers.modbus.request import Request

    line = ModbusLine(TcpAddress("127.0.0.1", port, 1), SystemClock())
    request = Request(1, 4, 0, FLAT_OUT_REGISTERS, timeout_s=1.0, request_gap_s=0.0, quiet_gap_s=0.5)
    return lambda: line.read(request)


async def wattmark_flat_out_decoded(port: int) -> Callable[[], Awaitable[object]]:
    """Read one meter by our driver, up to readings."""
    from wattmark_drivers.factory import create_meter
    from wattmark_drivers.settings import MeterSettings

    meter = create_meter(MeterSettings("m", MODEL, f"modbus-tcp://127.0.0.1:{port}/1"))
    await meter.open()
    return meter.read


async def pymodbus_flat_out(port: int) -> Callable[[], Awaitable[object]]:
    """Read one meter by pymodbus: the registers alone."""
    from pymodbus.client import AsyncModbusTcpClient

    client = AsyncModbusTcpClient("127.0.0.1", port=port, retries=0)
    await client.connect()
    return lambda: client.read_input_registers(0, count=FLAT_OUT_REGISTERS)


async def pymodbus_flat_out_decoded(port: int) -> Callable[[], Awaitable[object]]:
    """Read one meter by pymodbus, up to values."""
    from pymodbus.client import AsyncModbusTcpClient

    client = AsyncModbusTcpClient("127.0.0.1", port=port, retries=0)
    await client.connect()
    return lambda: pymodbus_read(client, FLAT_OUT_REGISTERS)


async def bare_flat_out(port: int) -> Callable[[], Awaitable[object]]:
    """Send a request and await its answer as the event loop does at least, without a look at the bytes."""
    loop = asyncio.get_running_loop()
    answers = asyncio.Queue[bytes]()

    class Receiver(asyncio.Protocol):
        def data_received(self, data: bytes) -> None:
            answers.put_nowait(data)

    transport, _ = await loop.create_connection(Receiver, "127.0.0.1", port)
    request = struct.pack(">HHHBBHH", 1, 0, 6, 1, 4, 0, FLAT_OUT_REGISTERS)

    async def exchange() -> bytes:
        transport.write(request)
        return await answers.get()

    return exchange


Many = Callable[[list[int], float, bool, Times], Coroutine[None, None, None]]
MANY: dict[str, Many] = {"wattmark": wattmark_many, "pymodbus": pymodbus_many}
FLAT_OUT = {
    "bare exchange": bare_flat_out,
    "wattmark": wattmark_flat_out,
    "pymodbus": pymodbus_flat_out,
    "wattmark decoded": wattmark_flat_out_decoded,
    "pymodbus decoded": pymodbus_flat_out_decoded,
}


async def measure_many(
    many: Many, ports: list[int], spread: bool, period_s: float, seconds: float, warm_up_s: float
) -> dict[str, float]:
    """Let all meters run, then count what falls into whole periods."""
    times: Times = []
    task = asyncio.create_task(many(ports, period_s, spread, times))
    await asyncio.sleep(warm_up_s)
    while len(times) < len(ports) and not task.done():
        await asyncio.sleep(0.1)
    gc.collect()
    begin, cpu = time.monotonic_ns(), time.process_time()
    reads = len(times)
    await asyncio.sleep(seconds)
    reads = len(times) - reads
    end, cpu = time.monotonic_ns(), time.process_time() - cpu
    await asyncio.sleep(min(period_s, 2.0))
    if task.done():
        task.result()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    inside = [item for item in times if begin <= item[0] < end]
    late = [(began - due) / 1e6 for due, began, _, _ in inside]
    took = [(ended - began) / 1e6 for _, began, ended, _ in inside]
    return {
        "reads": len(inside),
        "lost": lost(inside, int(period_s * 1e9)),
        "cpu_us": 1e6 * cpu / max(reads, 1),
        "cpu_pct": 100 * cpu / ((end - begin) / 1e9),
        **percentiles("late", late),
        **percentiles("took", took),
    }


def lost(times: Times, period_ns: int) -> int:
    """Count the ticks between a meter's first and last read at which it was not read."""
    ticks: dict[int, list[int]] = {}
    for due, _, _, index in times:
        ticks.setdefault(index, []).append(due // period_ns)
    return sum(max(own) - min(own) + 1 - len(own) for own in ticks.values())


async def measure_flat_out(who: str, port: int, seconds: float) -> dict[str, float]:
    """Read one meter again and again; its CPU time is that of the least slice of a hundred reads."""
    read = await FLAT_OUT[who](port)
    for _ in range(500):
        await read()
    begin, slices = time.perf_counter(), list[float]()
    while time.perf_counter() < begin + seconds:
        slices.append(await slice_cpu_us(read))
    spent = time.perf_counter() - begin
    return {"reads_per_s": SLICE * len(slices) / spent, "cpu_us": min(slices)}


async def measure_in_turn(names: Sequence[str], port: int, seconds: float) -> dict[str, float]:
    """Read one meter in each way, slice by slice, so that a busy machine slows all; the median of CPU times [us]."""
    reads = {who: await FLAT_OUT[who](port) for who in names}
    begin, slices = time.perf_counter(), {who: list[float]() for who in names}
    while time.perf_counter() < begin + seconds:
        for who, read in reads.items():
            slices[who].append(await slice_cpu_us(read))
    return {who: statistics.median(times) for who, times in slices.items()}


async def slice_cpu_us(read: Callable[[], Awaitable[object]]) -> float:
    """Measure the CPU time of a read in a hundred of them [us]."""
    began = time.process_time()
    for _ in range(SLICE):
        await read()
    return 1e6 * (time.process_time() - began) / SLICE


def percentiles(name: str, values: list[float]) -> dict[str, float]:
    """Give median, 99th percentile and maximum."""
    cuts = statistics.quantiles(values, n=100)
    return {f"{name}_p50_ms": cuts[49], f"{name}_p99_ms": cuts[98], f"{name}_max_ms": max(values)}


def in_fresh_process(arguments: list[str], ports: list[int]) -> dict[str, float]:
    """Take one figure in a process of its own."""
    argv = [sys.executable, "-m", "tests.benchmarks.drivers.bench_modbus", "--child", *arguments]
    done = subprocess.run(argv, input=json.dumps(ports), stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def child(arguments: argparse.Namespace) -> None:
    """Take one figure and print it."""
    ports = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    factory = None
    if arguments.uvloop:
        import uvloop

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        work: Coroutine[None, None, dict[str, float]]
        if arguments.what == "in-turn":
            work = measure_in_turn(arguments.who.split(","), ports[0], arguments.seconds)
        elif arguments.what == "flat-out":
            work = measure_flat_out(arguments.who, ports[0], arguments.seconds)
        else:
            many = MANY[arguments.who]
            if arguments.channels:
                many = partial(wattmark_many, options={"channels": arguments.channels})
            spread, times = arguments.what == "staggered", (arguments.period, arguments.seconds, arguments.warm_up)
            work = measure_many(many, ports, spread, *times)
        print(json.dumps(runner.run(work)))  # noqa: T201


MOST_LATE_MS = 2.5
"""What the 99th of 100 polls may be late."""


def show(title: str, rows: dict[str, dict[str, float]]) -> None:
    """Print the figures side by side."""
    print(title)  # noqa: T201
    for who, figures in rows.items():
        print(f"  {who:24}" + "  ".join(f"{key} {value:.4g}" for key, value in figures.items()))  # noqa: T201
    if "wattmark" not in rows or "pymodbus" not in rows:
        return
    ours, peer = rows["wattmark"], rows["pymodbus"]
    tell(f"{title}: CPU of a read", ours["cpu_us"], peer["cpu_us"], "us", "pymodbus", "<= 0.33")
    if "late_p99_ms" in ours:
        tell(f"{title}: lateness, p99", ours["late_p99_ms"], MOST_LATE_MS, "ms", "its limit", "<= 1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--who", help=argparse.SUPPRESS)
    parser.add_argument("--channels", help=argparse.SUPPRESS)
    parser.add_argument(
        "--what", choices=["staggered", "aligned", "flat-out", "in-turn"], help="this measurement alone"
    )
    parser.add_argument("--uvloop", action="store_true", help="on uvloop instead of asyncio's own loop")
    parser.add_argument("--period", type=float, default=1.0, help="time between two polls of a meter [s]")
    parser.add_argument("--warm-up", type=float, default=WARM_UP_S, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=10.0, help="length of each measurement [s]")
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments)
        return
    options = ["--period", str(arguments.period), "--seconds", str(arguments.seconds)]
    options += ["--uvloop"] if arguments.uvloop else []
    with meters() as ports:
        for what in [arguments.what] if arguments.what else ["staggered", "aligned", "flat-out"]:
            names = FLAT_OUT if what == "flat-out" else MANY
            title = (
                f"one meter, {what}"
                if what == "flat-out"
                else f"{len(ports)} meters each {arguments.period:g} s, {what}"
            )
            show(title, {who: in_fresh_process(["--who", who, "--what", what, *options], ports) for who in names})


if __name__ == "__main__":
    main()
