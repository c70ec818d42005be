"""The server under test: its power, its loads as scripted programs, and what its kernel says of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wattmark.campaigns.watch.processes import Snapshot
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.trigger import OutputLine
from wattmark_drivers.simulators.server import SimulatedServer
from wattmark_drivers.simulators.spec import ServerSpec

from tests.year.clock import SimulatedClock

if TYPE_CHECKING:
    from tests.year.loop import SimulatedLoop

CPUS = 4
JIFFIES_PER_S = 100
LOAD = "/bin/true"
"""The program that bench files of the simulation name: one that is there, for that is checked. It is never run."""
LINE_S = 0.25
STAT = "/proc/stat"


@dataclass(frozen=True, slots=True)
class Misfortune:
    """What happens to the next load that runs for so long [s]."""

    after_s: float
    kind: str
    """"crash": it ends with an error; "silence": it prints nothing more."""


class Machine:
    """One server; the appliance runs on it, as in the smallest lab."""

    def __init__(self, loop: SimulatedLoop, clock: SimulatedClock, spec: ServerSpec, units_per_s: float) -> None:
        self.server = SimulatedServer(spec)
        self.units_per_s = units_per_s
        self.misfortunes: list[Misfortune] = []
        self.running: dict[ScriptedExecution, None] = {}
        """Loads that run now; a dict, for its order repeats."""
        self.before_change: Callable[[], None] = lambda: None
        """Called before its power changes."""
        self._loop = loop
        self.clock = clock
        self._busy_s = 0.0
        self._seen_ns = loop.now_ns

    @property
    def now_ns(self) -> int:
        """Return the time since the start, by no clock of the appliance."""
        return self._loop.now_ns

    @property
    def utilisation(self) -> float:
        """Return the share of its CPUs that loads take now [1]."""
        return 1.0 if any(execution.is_load for execution in self.running) else 0.01

    def catch_up(self) -> None:
        """Count CPU time at the utilisation up to now; called before that changes."""
        self.before_change()
        now_ns = self._loop.now_ns
        self._busy_s += (now_ns - self._seen_ns) / 1e9 * self.utilisation * CPUS
        self._seen_ns = now_ns

    def stat(self) -> str:
        """Write /proc/stat (proc_stat(5))."""
        self.catch_up()
        up_s = 1000.0 + self._loop.now_ns / 1e9
        busy, whole = round(self._busy_s * JIFFIES_PER_S), round(up_s * CPUS * JIFFIES_PER_S)
        rows = [("cpu", busy, whole), *((f"cpu{n}", busy // CPUS, whole // CPUS) for n in range(CPUS))]
        return "".join(f"{name} {used} 0 0 {total - used} 0 0 0 0 0 0\n" for name, used, total in rows)

    def snapshot(self) -> Snapshot:
        """List the processes: loads alone use CPU time."""
        self.catch_up()
        up_s = 1000.0 + self._loop.now_ns / 1e9
        return Snapshot({}, up_s=up_s, busy_s=self._busy_s, stolen_s=0.0, cpus=CPUS)


class MachineFiles:
    """Files of the server (`HostFiles`)."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    async def find(self, patterns: Sequence[str]) -> list[str]:
        return [STAT] if STAT in patterns else []

    async def read(self, paths: Sequence[str]) -> Mapping[str, str]:
        await asyncio.sleep(0)
        return {path: self._machine.stat() for path in paths if path == STAT}

    async def close(self) -> None:
        """Release nothing."""


class MachineProcesses:
    """Processes of the server (`Processes`)."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    async def snapshot(self) -> Snapshot:
        await asyncio.sleep(0)
        return self._machine.snapshot()


class ScriptedTrigger:
    """Starts scripted programs on the server (`Trigger`)."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    async def cpus(self) -> int:
        return CPUS

    async def clear(self) -> None:
        """End what an earlier wattmark left running."""
        for execution in list(self._machine.running):
            execution.kill()

    @contextlib.asynccontextmanager
    async def workspace(self, files: Mapping[str, bytes]) -> AsyncIterator[str]:
        assert not files
        yield str(Path("/nonexistent"))

    def start(
        self, argv: Sequence[str], on_line: Callable[[OutputLine], None], environment: Mapping[str, str] | None = None
    ) -> AbstractAsyncContextManager[ScriptedExecution]:
        return self.start_at(argv, on_line, environment, begin_ns=0)

    @contextlib.asynccontextmanager
    async def start_at(
        self,
        argv: Sequence[str],
        on_line: Callable[[OutputLine], None],
        environment: Mapping[str, str] | None = None,
        *,
        begin_ns: int,
    ) -> AsyncIterator[ScriptedExecution]:
        machine = self._machine
        if (left_s := (begin_ns - machine.clock.utc_ns()) / 1e9) > 0:
            await machine.clock.sleep(left_s)
        execution = ScriptedExecution(machine, argv, on_line)
        try:
            yield execution
        finally:
            execution.kill()
            await execution.gone()


class ScriptedExecution:
    """A scripted program that runs (`Execution`): a load prints its work four times a second, others print nothing."""

    def __init__(self, machine: Machine, argv: Sequence[str], on_line: Callable[[OutputLine], None]) -> None:
        self.started = mark_now(machine.clock)
        self.is_load = argv[0] == LOAD
        self.error_tail = ""
        self._machine = machine
        self._on_line = on_line
        self._exit: asyncio.Future[tuple[int, Mark]] = asyncio.get_running_loop().create_future()
        machine.catch_up()
        machine.running[self] = None
        self._script = asyncio.create_task(self._run(), name="scripted program")

    async def begun(self) -> int | None:
        return self.started.utc_ns

    def cpu_s(self) -> float | None:
        return (mark_now(self._machine.clock).since(self.started)) * CPUS if self.is_load else 0.0

    def kill(self) -> None:
        self._end(-9)

    async def wait(self) -> tuple[int, Mark]:
        return await asyncio.shield(self._exit)

    async def gone(self) -> None:
        """Wait until nothing of it runs any more."""
        self._script.cancel()
        await asyncio.wait([self._script])

    async def _run(self) -> None:
        if not self.is_load:
            await asyncio.sleep(0.002)
            self._end(0)
            return
        misfortune = self._machine.misfortunes.pop(0) if self._machine.misfortunes else None
        line, loop = 0, asyncio.get_running_loop()
        begun_s = loop.time()
        while not self._exit.done():
            if misfortune is not None and line * LINE_S >= misfortune.after_s:
                await self._suffer(misfortune)
                return
            self._say(f"{self._machine.units_per_s * LINE_S:.6f} units")
            line += 1
            await asyncio.sleep(max(0.0, begun_s + line * LINE_S - loop.time()))

    async def _suffer(self, misfortune: Misfortune) -> None:
        if misfortune.kind == "crash":
            self.error_tail = "Segmentation fault"
            self._end(139)
        elif misfortune.kind == "silence":
            await asyncio.sleep(3600.0)

    def _say(self, text: str) -> None:
        self._on_line(OutputLine("stdout", text, mark_now(self._machine.clock)))

    def _end(self, status: int) -> None:
        if self._exit.done():
            return
        self._machine.catch_up()
        self._machine.running.pop(self, None)
        self._exit.set_result((status, mark_now(self._machine.clock)))
