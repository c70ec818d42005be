"""Runs of several servers that are made at the same time and begin their measured work on one barrier."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wattmark_drivers.clock import Clock

from wattmark.analysis.clocks import ClockFit
from wattmark.campaigns.clock_log import ClockLog
from wattmark.campaigns.companions import Start
from wattmark.remote.barrier import LEAD_S, spread, start_instants
from wattmark.results.together import TARGET_S, TOGETHER
from wattmark.runs.record import RunRecord
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.trigger import Disturbed

SPARE_S = 30.0
"""How long a load is held beyond its settling while the slowest server of the group gets ready [s]."""


class Group:
    """What the members of one group share. ``servers`` names them in the order of their rows."""

    def __init__(self, barrier_id: str, servers: Sequence[str], clock: Clock) -> None:
        self.barrier_id = barrier_id
        self.clock = clock
        self.clocks: dict[str, ClockFit] = {}
        self.began: dict[str, int] = {}
        self.steady: dict[str, bool] = dict.fromkeys(servers, False)
        self.starts: dict[str, Start] = {}
        self._meeting = asyncio.Barrier(len(servers))
        self._broken = asyncio.Event()
        self._cause = ""

    def members(self) -> dict[str, Member]:
        """Make what each server's run sees of the group."""
        return {server: Member(self, server) for server in self.steady}

    def known(self, records: Sequence[RunRecord]) -> dict[str, Any]:
        """Tell what the records disclose from the beginning: which runs form the group."""
        peers = [{"server": one.server, "configuration": one.configuration, "run_id": one.run_id} for one in records]
        return {TOGETHER: {"barrier": self.barrier_id, "runs": peers, "target_s": TARGET_S}}

    async def meet(self, at_last: Callable[[], None] = lambda: None) -> None:
        """Wait for all members; one of them does ``at_last`` before they go on. Raises `Disturbed`."""
        try:
            if await self._meeting.wait() == 0:
                at_last()
            await self._meeting.wait()
        except asyncio.BrokenBarrierError:
            self.raise_cause()

    def choose_start(self) -> None:
        """Choose the instant of the start and write it in the clock of each server."""
        now = mark_now(self.clock)
        lead_ns = round(LEAD_S * 1e9)
        mark = Mark(now.utc_ns + lead_ns, now.monotonic_ns + lead_ns)
        instants = start_instants(now.utc_ns, self.clocks, LEAD_S)
        self.starts = {server: Start(mark, there_ns) for server, there_ns in instants.items()}

    def facts(self) -> dict[str, Any]:
        """Compare the real starts; where nothing was started (active idle) there are none."""
        if not self.began:
            return {}
        found = spread(self.began, self.clocks)
        start_ns = next(iter(self.starts.values())).mark.utc_ns
        return {"start_ns": start_ns, "began_ns": dict(found.begun_ns), "spread_s": found.spread_s, "u_s": found.u_s}

    async def break_up(self, server: str, reason: str) -> None:
        """End the group because of one server; the first reason counts."""
        if not self._broken.is_set():
            self._cause = f"The run of {server}, which began together with this one, ended early: {reason}"
            self._broken.set()
            await self._meeting.abort()

    async def until_broken(self) -> None:
        """Wait for the end of the group. Raises `Disturbed`."""
        await self._broken.wait()
        self.raise_cause()

    def raise_cause(self) -> None:
        """Raise `Disturbed` with the reason for which the group ended."""
        raise Disturbed(self._cause)


class Member:
    """The group as one server's run sees it."""

    spare_s = SPARE_S

    def __init__(self, group: Group, server: str) -> None:
        self._group = group
        self._server = server

    async def meet(self) -> None:
        """Wait until all have come as far."""
        await self._group.meet()

    def all_steady(self, mine: bool | None) -> bool:
        """Tell whether every server of the group is steady now."""
        self._group.steady[self._server] = bool(mine)
        return all(self._group.steady.values())

    async def start(self, clocks: ClockLog) -> Start | None:
        """Ask the server's clock once more, and agree on the instant at which measured work begins."""
        await clocks.ask()
        self._group.clocks[self._server] = clocks.clock(self._server)
        await self._group.meet(self._group.choose_start)
        return self._group.starts[self._server]

    def began(self, there_ns: int | None) -> None:
        """Note when the measured work really began."""
        if there_ns is not None:
            self._group.began[self._server] = there_ns

    async def compare(self, clocks: ClockLog) -> Mapping[str, Any]:
        """Wait for all at the end, and compare the real starts by the clocks as they were over the whole run."""
        self._group.clocks[self._server] = clocks.clock(self._server)
        await self._group.meet()
        return self._group.facts()

    async def until_broken(self) -> None:
        """Wait for another to end early. Raises `Disturbed`."""
        await self._group.until_broken()

    async def leave(self, reason: str) -> None:
        """End early, and end the others with that."""
        await self._group.break_up(self._server, reason)
