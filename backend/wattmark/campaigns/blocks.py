"""Walk a run table: block by block, each with one configuration that is brought about first, run by run."""

from __future__ import annotations

import asyncio
from itertools import groupby

from wattmark.campaigns.course import Course
from wattmark.campaigns.equipment import Equipment
from wattmark.campaigns.making import Making
from wattmark.campaigns.planned import PlannedRun
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
        for place, block in groupby(self._course.table.planned, key=lambda run: run.place):
            runs = list(block)
            if self._course.worth_beginning(runs):
                await self._block(*self._equipment.bench.configuration(place), runs)
            else:
                self._course.skip_due(runs)

    async def _block(self, server: Server, configuration: Configuration, runs: list[PlannedRun]) -> None:
        due = self._course.table.due
        try:
            await self._making.get_to_know(server)
            await self._prepare(server, configuration)
            await self._making.look_at_memory(server)
        except WattmarkError as error:
            for run in filter(due, runs):
                await self._making.fail(run, configuration, str(error))
            return
        for run in runs:
            declaration = self._equipment.bench.workload(run.workload)
            if missing := await self._equipment.triggers.missing(server, declaration):
                if due(run):
                    await self._making.fail(run, configuration, missing)
                continue
            while due(run):
                if self._course.reason_to_skip(run):
                    self._course.skip_due([run])
                else:
                    await self._making.make(run, server, configuration)

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
