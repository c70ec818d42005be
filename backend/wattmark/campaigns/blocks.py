"""Walk a run table: block by block, each with the configurations that are brought about first, step by step."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import groupby

from wattmark.campaigns.course import Course
from wattmark.campaigns.equipment import Equipment
from wattmark.campaigns.making import Making
from wattmark.campaigns.planned import Step, steps
from wattmark.campaigns.prepare import operator_request, renewal_request, run_prepare
from wattmark.campaigns.stopping import StopSwitch
from wattmark.errors import WattmarkError
from wattmark.inventory.configuration import Configuration
from wattmark.inventory.server import Server


class Blocks:
    """Makes all runs that are due, in their order."""

    def __init__(
        self, equipment: Equipment, course: Course, making: Making, stop: StopSwitch, operator: asyncio.Event
    ) -> None:
        self._equipment = equipment
        self._course = course
        self._making = making
        self._stop = stop
        self._operator = operator
        """Set when the operator has brought the server to the configuration that was asked for."""

    async def walk(self) -> None:
        """Make the runs. Raises `Stopped` and `StoreError`; everything else ends in the records."""
        for places, runs in groupby(self._course.table.planned, key=lambda run: run.places):
            block = steps(runs)
            if any(map(self._course.wanted, block)):
                await self._block(places, block)
            else:
                for step in block:
                    self._course.skip_if_due(step)

    async def _block(self, places: Sequence[str], block: Sequence[Step]) -> None:
        try:
            for place in places:
                await self._bring_about(*self._equipment.bench.configuration(place))
        except WattmarkError as error:
            for step in filter(self._course.due, block):
                await self._making.fail(step, str(error))
            return
        for step in block:
            if missing := await self._missing(step):
                if self._course.due(step):
                    await self._making.fail(step, missing)
                continue
            while self._course.due(step):
                if self._course.wanted(step):
                    await self._make(step)
                else:
                    self._course.skip_if_due(step)

    async def _make(self, step: Step) -> None:
        await self._stop.until_stopped(self._there_again(step))
        try:
            await self._renew(step)
        except WattmarkError as error:
            await self._making.fail(step, str(error))
            return
        await self._making.make(step)

    async def _renew(self, step: Step) -> None:
        """Have done what the plan wants between two repeats, on every server that a further repeat begins on."""
        how = self._equipment.plan.between_repeats
        for run in step if how != "nothing" else ():
            if self._making.installations.next_repeat(run):
                server, configuration = self._equipment.bench.configuration(run.place)
                await self._renewed(server, renewal_request(server, configuration, how))
                self._making.installations.renew(server, how)
                await self._making.look_at_memory(server)

    async def _renewed(self, server: Server, request: str) -> None:
        """Ask until it is done: a server elsewhere that is still in the same boot was not even started anew."""
        before, wanted = await self._making.look_at_boot(server), request
        while True:
            await self._ask(wanted)
            await self._stop.until_stopped(self._equipment.triggers.wait_for(server))
            boot = await self._making.look_at_boot(server)
            if server.access.ssh is None or before is None or boot != before:
                return
            wanted = f"{server.title or server.id} was not started anew: it is in the same boot as before. {request}"

    async def _ask(self, request: str) -> None:
        self._stop.check()
        self._operator.clear()
        self._course.progress.change(state="waiting-for-operator", message=request)
        await self._stop.until_stopped(self._operator.wait())

    async def _there_again(self, step: Step) -> None:
        """Before a repetition wait for servers that may have rebooted."""
        for run in step:
            if self._course.table.attempts[run.order]:
                server, _ = self._equipment.bench.configuration(run.place)
                await self._equipment.triggers.wait_for(server)
                await self._making.look_at_boot(server)

    async def _missing(self, step: Step) -> str | None:
        """Say which program is not on one of the servers; None where all are there."""
        for run in step:
            server, _ = self._equipment.bench.configuration(run.place)
            declaration = self._equipment.bench.workload(run.workload)
            if missing := await self._equipment.triggers.missing(server, declaration):
                return missing
        return None

    async def _bring_about(self, server: Server, configuration: Configuration) -> None:
        await self._making.get_to_know(server)
        await self._prepare(server, configuration)
        self._making.installations.bring_about(server, configuration)
        await self._making.look_at_boot(server)
        await self._making.look_at_memory(server)

    async def _prepare(self, server: Server, configuration: Configuration) -> None:
        if server.prepare is None:
            return
        if server.prepare == "manual":
            await self._ask(operator_request(server, configuration))
        else:
            self._stop.check()
            self._course.progress.change(state="running", message=f"Preparing {server.id}/{configuration.id}.")
            trigger = self._equipment.triggers.of(server)
            await self._stop.until_stopped(run_prepare(server.prepare, server, configuration, trigger))
