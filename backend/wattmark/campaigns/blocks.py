"""Walk a run table: block by block, each with the configurations that are brought about first, step by step."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import groupby

from wattmark.campaigns.course import Course
from wattmark.campaigns.equipment import Equipment
from wattmark.campaigns.making import Making
from wattmark.campaigns.planned import Step, steps
from wattmark.campaigns.prepare import operator_request, run_prepare
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
                    await self._stop.until_stopped(self._there_again(step))
                    await self._making.make(step)
                else:
                    self._course.skip_if_due(step)

    async def _there_again(self, step: Step) -> None:
        """Before a repetition wait for servers that may have rebooted."""
        for run in step:
            if self._course.table.attempts[run.order]:
                await self._equipment.triggers.wait_for(self._equipment.bench.configuration(run.place)[0])

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
        await self._making.look_at_memory(server)

    async def _prepare(self, server: Server, configuration: Configuration) -> None:
        if server.prepare is None:
            return
        self._stop.check()
        progress = self._course.progress
        if server.prepare == "manual":
            self._operator.clear()
            progress.change(state="waiting-for-operator", message=operator_request(server, configuration))
            await self._stop.until_stopped(self._operator.wait())
        else:
            progress.change(state="running", message=f"Preparing {server.id}/{configuration.id}.")
            trigger = self._equipment.triggers.of(server)
            await self._stop.until_stopped(run_prepare(server.prepare, server, configuration, trigger))
