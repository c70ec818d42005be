"""The clock of the server that carries a run's load, asked before, during and after the run."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from wattmark_drivers.clock import Clock

from wattmark.analysis.clocks.clocks import ClockFit, Exchange, fit_server_clock
from wattmark.core.errors import Disturbed, WorkloadFailed
from wattmark.runs.disclosure import ClockFacts, StampedLoad, disclosing
from wattmark.workloads.ssh.barrier import OUR_CLOCK

if TYPE_CHECKING:
    from wattmark.workloads.ssh.stamps import ServerStamps

BURST = 8
"""Exchanges between two phases."""
EVERY_S, MOST = 10.0, 200
"""One exchange alone every so often, but at most about so many in a window: a line there and back, no program."""
SURVIVORS = (
    "The server has neither a cgroup nor perl or python3 to track the processes of a load. A process that left the "
    "load's process group and environment would have kept running during later runs."
)


class ClockLog:
    """Exchanges stamps with a server over a run. ``stamps`` None: the load runs under the clock of the readings."""

    def __init__(self, stamps: ServerStamps | None, clock: Clock, window_s: float) -> None:
        self._stamps = stamps
        self._clock = clock
        self._every_s = max(EVERY_S, window_s / MOST)
        self._exchanges: list[Exchange] = []
        self._loads: list[StampedLoad] = []
        self._problem: str | None = None
        self._asking: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Ask for the first time, and from now on every now and then."""
        if self._stamps is not None:
            self._stamps.loads()
            await self.ask()
            self._asking = asyncio.create_task(self._now_and_then())

    async def ask(self, count: int = BURST) -> None:
        """Ask between two phases. A clock that does not answer is a fact about the run, not its end."""
        if self._stamps is None:
            return
        try:
            self._exchanges += await self._stamps.ask(count)
        except WorkloadFailed as error:
            self._problem = str(error)

    async def end(self) -> None:
        """Ask for the last time."""
        if self._stamps is None:
            return
        await self.ask()
        await self.stop()
        self._loads += self._stamps.loads()

    async def stop(self) -> None:
        """Ask no more."""
        if self._asking is not None:
            self._asking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._asking
            self._asking = None
        if self._stamps is not None:
            await self._stamps.close()

    def clock(self, server: str) -> ClockFit:
        """Return the server's clock against ours, as far as it is known. Raises `Disturbed` when it told nothing."""
        if self._stamps is None:
            return OUR_CLOCK
        server_clock = fit_server_clock(self._exchanges)
        if server_clock is None:
            cause = (
                f"The clock offset of {server} is not known, so it cannot start together with other servers: "
                f"{self._problem}"
            )
            raise Disturbed(cause, "Check that its clock can be read.")
        return server_clock.fit

    @disclosing()
    def facts(self) -> ClockFacts:
        """Disclose the exchanges, the fit and the marks of the server's own clock; or that there is only one clock."""
        if self._stamps is None:
            return ClockFacts(remark="The same clock stamps the load and the readings.")
        facts = ClockFacts(
            problem=self._problem,
            exchanges=tuple((stamps.t0_ns, stamps.t1_ns, stamps.t2_ns, stamps.t3_ns) for stamps in self._exchanges),
            loads=tuple(self._loads),
            load_survivors=SURVIVORS if any(load.held_by == "marker" for load in self._loads) else None,
        )
        server_clock = fit_server_clock(self._exchanges)
        if server_clock is None:
            return facts.changed(
                problem=self._problem or "The server's clock is too coarse to be compared with this machine's."
            )
        return facts.changed(
            offset_s=server_clock.fit.offset_s,
            at_ns=server_clock.fit.at_ns,
            drift_ppm=server_clock.fit.drift * 1e6,
            u_offset_s=server_clock.fit.u_s,
            u_marks_s=server_clock.u_marks_s,
            used=server_clock.fit.used,
            rejected=server_clock.fit.rejected,
            stepped=server_clock.fit.stepped,
        )

    def require_steady(self, server: str) -> None:
        """Raise `Disturbed` when the server's clock was set during the run."""
        server_clock = fit_server_clock(self._exchanges)
        if server_clock is not None and server_clock.fit.stepped:
            cause = f"The clock of {server} was changed during the run, so its markers do not match the readings."
            raise Disturbed(cause, "Wait until its time service has settled, or stop that service during campaigns.")

    async def _now_and_then(self) -> None:
        while True:
            await self._clock.sleep(self._every_s)
            await self.ask(1)
