"""An event loop whose time passes only when nothing is left to do, and whose threads are tasks of the same schedule."""

from __future__ import annotations

import asyncio
import random
import zlib
from collections.abc import Callable
from concurrent.futures import Future
from itertools import count
from typing import Any, TypeVar

from tests.year.network import Listener, Network, Socket

T = TypeVar("T")
USUAL_DELAY_S = (0.0, 0.001)
"""How long a thread waits for its turn, mostly."""
LONG_DELAY_S = (0.05, 2.0)
"""How long now and then, as on a machine under full load."""
LONG_DELAYS = 0.002


class NothingWillHappenError(Exception):
    """Somebody waits, and nothing is scheduled that could end it: a wait without a bound."""


class _Task(asyncio.Task[Any]):
    """A task whose place in a set does not depend on where it lies in memory, so that a seed repeats its run."""

    _numbers = count()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._number = next(self._numbers)
        super().__init__(*arguments, **named)

    def __hash__(self) -> int:
        return self._number


class _Future(asyncio.Future[Any]):
    """As `_Task`."""

    _numbers = count(1)

    def __init__(self, *, loop: asyncio.AbstractEventLoop) -> None:
        self._number = -next(self._numbers)
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self._number


class _Passing:
    """Stands for the selector: there is nothing to wait for but time."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise NothingWillHappenError
        if timeout > 0:
            self._loop.pass_s(timeout)
        return []

    def close(self) -> None:
        """Release nothing."""


class SimulatedLoop(asyncio.BaseEventLoop):
    """Runs callbacks in the order of simulated time. Work for threads runs in turns that ``chance`` draws."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.now_ns = 0
        """Since the start of the simulation."""
        self.turns = 0
        """Callbacks that time passed for: how much happened."""
        self.trace = 0
        """Checksum of every instant at which something happened."""
        self.network = Network(self, chance)
        self._chance = chance
        self._selector = _Passing(self)
        self._clock_resolution = 1e-9
        self._free_at_ns: dict[int, int] = {}
        """When the thread of each executor has done what it was asked for."""
        self._cost_ns: int | None = None
        """What the work that runs now has spent waiting for the disk; None: the event loop itself runs."""
        self.set_task_factory(lambda loop, work, **named: _Task(work, loop=loop, **named))

    def time(self) -> float:
        """Return the simulated time [s]."""
        return self.now_ns / 1e9

    def pass_s(self, seconds: float) -> None:
        """Let time pass: called by the selector, or by what blocks the thread that runs now."""
        self.turns += 1
        self.now_ns += max(1, round(seconds * 1e9))
        self.trace = zlib.crc32(self.now_ns.to_bytes(8, "big"), self.trace)

    def spend_s(self, seconds: float) -> None:
        """Let the thread that runs now wait: a thread of its own holds up nobody else, the event loop everybody."""
        if self._cost_ns is None:
            self.pass_s(seconds)
        else:
            self._cost_ns += round(seconds * 1e9)

    def create_future(self) -> asyncio.Future[Any]:
        """Create a future whose hash repeats."""
        return _Future(loop=self)

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """Run a function in its turn. The jobs of one executor follow one another; without one they overtake."""
        future: asyncio.Future[T] = self.create_future()
        self.in_turn(executor, lambda: func(*args), _Outcome(future))
        return future

    def in_turn(self, executor: object | None, work: Callable[[], T], outcome: _Outcome) -> None:
        """Schedule work as a thread of ``executor`` would come to it; ``outcome`` takes what becomes of it."""
        wanted_ns = self.now_ns + round(self._delay_s() * 1e9)
        key = id(executor)
        if executor is not None:
            wanted_ns = max(wanted_ns, self._free_at_ns.get(key, 0))
            self._free_at_ns[key] = wanted_ns + 1
        self.call_at(wanted_ns / 1e9, self._work, key if executor is not None else None, work, outcome)

    def _work(self, key: int | None, work: Callable[[], Any], outcome: _Outcome) -> None:
        value, error, self._cost_ns = None, None, 0
        try:
            value = work()
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as raised:
            error = raised
        cost_ns, self._cost_ns = self._cost_ns, None
        if key is not None:
            self._free_at_ns[key] = max(self._free_at_ns[key], self.now_ns + cost_ns)
        self.call_at((self.now_ns + cost_ns) / 1e9, outcome.settle, value, error)

    def _delay_s(self) -> float:
        return self._chance.uniform(*(LONG_DELAY_S if self._chance.random() < LONG_DELAYS else USUAL_DELAY_S))

    async def create_connection(self, protocol_factory: Any, host: Any = None, port: Any = None, **_: Any) -> Any:
        """Connect over the simulated network. Raises OSError."""
        return await self.network.connect(protocol_factory, str(host), int(port))

    async def create_unix_connection(
        self, protocol_factory: Any, path: Any = None, *, sock: Any = None, **_: Any
    ) -> Any:
        """Use a simulated connection that exists."""
        assert path is None
        assert isinstance(sock, Socket)
        return sock.attach(protocol_factory)

    async def sock_accept(self, sock: Any) -> Any:
        """Wait for a client of a simulated listener."""
        assert isinstance(sock, Listener)
        return await sock.accept()

    async def connect_accepted_socket(self, protocol_factory: Any, sock: Any, **_: Any) -> Any:
        """Give an accepted connection its protocol."""
        assert isinstance(sock, Socket)
        return sock.attach(protocol_factory)

    def add_reader(self, fd: Any, callback: Callable[..., Any], *args: Any) -> None:  # type: ignore[override]
        """Note nothing: nobody outside writes to a file that is listened to."""

    def remove_reader(self, fd: Any) -> bool:
        """Note nothing."""
        return False

    def _process_events(self, event_list: Any) -> None:
        """Process nothing: there are no files to wait for."""

    def _write_to_self(self) -> None:
        """Wake nobody: there is one thread."""


def outcome_of(future: asyncio.Future[Any] | Future[Any]) -> _Outcome:
    """Return what gives a future its value in the end."""
    return _Outcome(future)


class _Outcome:
    """What becomes of the work of a thread, for a future of either kind; a cancelled one takes nothing."""

    def __init__(self, future: asyncio.Future[Any] | Future[Any]) -> None:
        self._future = future

    def settle(self, value: Any, error: BaseException | None) -> None:
        future = self._future
        if future.cancelled() or future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)
