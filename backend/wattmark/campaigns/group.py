"""Runs of several servers that are made at the same time and begin their measured work on one barrier.

A single run is a group of one: it waits for no other run, and its measured work starts at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wattmark_drivers.clock import Clock

from wattmark.analysis.clocks.clocks import ClockFit
from wattmark.campaigns.planning.planned import LEAD_S
from wattmark.campaigns.watch.clock_log import ClockLog
from wattmark.core.errors import Disturbed
from wattmark.results.verdicts import TARGET_S
from wattmark.runs.disclosure import Peer, StartGroup, disclosing
from wattmark.runs.record import RunRecord
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.ssh.barrier import spread, start_instants

SPARE_S = 30.0
"""How long a load is held beyond its settling while the slowest server of the group gets ready [s]."""


@dataclass(frozen=True, slots=True)
class Start:
    """The instant at which measured work is to begin: by the clocks here, and by the server's own [ns since 1970]."""

    mark: Mark
    there_ns: int


class BarrierGroup:
    """State shared by the members of one group. ``servers`` names them in the order of their rows."""

    def __init__(self, servers: Sequence[str], clock: Clock) -> None:
        self.clock = clock
        self.alone = len(servers) == 1
        self.clocks: dict[str, ClockFit] = {}
        self.began: dict[str, int] = {}
        self.steady: dict[str, bool] = dict.fromkeys(servers, False)
        self.starts: dict[str, Start] = {}
        self._meeting = asyncio.Barrier(len(servers))
        self._broken = asyncio.Event()
        self._cause = ""

    def members(self) -> dict[str, GroupMember]:
        """Create each server run's view of the group."""
        return {server: GroupMember(self, server) for server in self.steady}

    async def meet(self, at_last: Callable[[], None] = lambda: None) -> None:
        """Wait for all members; one of them does ``at_last`` before they go on. Raises `Disturbed`."""
        try:
            if await self._meeting.wait() == 0:
                at_last()
            await self._meeting.wait()
        except asyncio.BrokenBarrierError:
            raise Disturbed(self._cause) from None

    def choose_start(self) -> None:
        """Choose the instant of the start and write it in the clock of each server."""
        now = mark_now(self.clock)
        lead_ns = round(LEAD_S * 1e9)
        mark = Mark(now.utc_ns + lead_ns, now.monotonic_ns + lead_ns)
        instants = start_instants(now.utc_ns, self.clocks, LEAD_S)
        self.starts = {server: Start(mark, there_ns) for server, there_ns in instants.items()}

    @disclosing()
    def compared(self, group: StartGroup) -> StartGroup:
        """Add how far apart the real starts were; where nothing was started (active idle) there are none."""
        if not self.began:
            return group
        starts = spread(self.began, self.clocks)
        start_ns = next(iter(self.starts.values())).mark.utc_ns
        began_ns = dict(starts.begun_ns)
        return group.changed(start_ns=start_ns, began_ns=began_ns, spread_s=starts.spread_s, u_s=starts.u_s)

    async def break_up(self, server: str, reason: str) -> None:
        """Stop the group because of one server; the first reason counts."""
        if not self._broken.is_set():
            self._cause = f"The run of {server}, which started together with this one, ended early: {reason}"
            self._broken.set()
            await self._meeting.abort()

    async def until_broken(self) -> None:
        """Wait for the end of the group. Raises `Disturbed`."""
        await self._broken.wait()
        raise Disturbed(self._cause)


class GroupMember:
    """The group as one server's run sees it. Waiting raises `Disturbed` when another run ended early."""

    def __init__(self, group: BarrierGroup, server: str) -> None:
        self._group = group
        self._server = server
        self.spare_s = 0.0 if group.alone else SPARE_S
        """How much longer than planned a load must be held, because others are waited for [s]."""

    async def meet(self) -> None:
        """Wait until all members reach the same point."""
        await self._group.meet()

    def all_steady(self, own: bool | None) -> bool:
        """Return whether every server is steady, this one's state being ``own`` (None: not known)."""
        self._group.steady[self._server] = bool(own)
        return all(self._group.steady.values())

    async def start(self, clocks: ClockLog) -> Start | None:
        """Ask the server's clock once more, and agree on the instant at which measured work begins. None: at once."""
        if self._group.alone:
            return None
        await clocks.ask()
        self._group.clocks[self._server] = clocks.clock(self._server)
        await self._group.meet(self._group.choose_start)
        return self._group.starts[self._server]

    def began(self, there_ns: int | None) -> None:
        """Note when the measured work really began, by the server's own clock [ns since 1970]."""
        if there_ns is not None:
            self._group.began[self._server] = there_ns

    async def compare(self, clocks: ClockLog, group: StartGroup) -> StartGroup:
        """Wait for all at the end, and compare the real starts by the clocks as they were over the whole run."""
        self._group.clocks[self._server] = clocks.clock(self._server)
        await self._group.meet()
        return self._group.compared(group)

    async def until_broken(self) -> None:
        """Wait for another to end early. Raises `Disturbed`; never returns."""
        await self._group.until_broken()

    async def leave(self, reason: str) -> None:
        """End early, and end the others with that; who came to the end need not leave."""
        await self._group.break_up(self._server, reason)


def disclosed(records: Sequence[RunRecord], barrier_id: str) -> list[RunRecord]:
    """Disclose from the start, in the records of a group, which runs form it."""
    peers = tuple(Peer(server=run.server, configuration=run.configuration, run_id=run.run_id) for run in records)
    group = StartGroup(barrier=barrier_id, runs=peers, target_s=TARGET_S)
    return [run.changed(disclosure=run.disclosure.changed(together=group)) for run in records]
