"""Bring servers into the configurations of a plan, by a command or by the operator, and find out what is there then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from wattmark.bench.configuration import Configuration
from wattmark.bench.server import PrepareCommand, Server
from wattmark.campaigns.context import Campaign
from wattmark.campaigns.planning.planned import Hands, Step
from wattmark.campaigns.status import OperatorRequest
from wattmark.campaigns.stopping import StopSwitch
from wattmark.campaigns.watch.quietness import wait_until_quiet
from wattmark.core.errors import WattmarkError, WorkloadFailed
from wattmark.workloads.local.commands import run_to_end
from wattmark.workloads.placeholders import fill
from wattmark.workloads.trigger import Trigger

log = logging.getLogger(__name__)


class Preparation:
    """Prepares the servers of a campaign. ``operator`` is set when the requested action is done."""

    def __init__(self, campaign: Campaign, stop: StopSwitch, operator: asyncio.Event) -> None:
        self._campaign = campaign
        self._bench = campaign.lab.bench
        self._servers = campaign.servers
        self._stop = stop
        self._operator = operator

    async def bring_about(self, places: Sequence[str]) -> None:
        """Bring servers to the configurations of a block, and learn what records say of them. Raises `WorkloadFailed`.

        Raises `Stopped` when the campaign is stopped meanwhile.
        """
        for place in places:
            server, configuration = self._bench.configuration(place)
            await self._stop.until_stopped(self._servers.describe(server))
            await self._prepare(server, configuration)
            self._campaign.installations.bring_about(server, configuration)
            await self._stop.until_stopped(self._look_again(server))

    async def renew(self, step: Step) -> None:
        """Execute the plan's action between two repeats, on every server where a further repeat begins."""
        how, installations = self._campaign.plan.between_repeats, self._campaign.installations
        if how == "nothing":
            return
        for run in step:
            if installations.next_repeat(run):
                server, configuration = self._bench.configuration(run.place)
                await self._until_renewed(server, configuration, how)
                installations.renew(server, how)
                await self._stop.until_stopped(self._servers.look_at_memory(server))

    async def reach_again(self, step: Step) -> None:
        """Before a repetition wait for servers that may have rebooted."""
        for run in step:
            if self._campaign.table.attempts[run.order]:
                server, _ = self._bench.configuration(run.place)
                await self._servers.wait_for(server)
                await self._look_again(server)

    async def _look_again(self, server: Server) -> None:
        """Learn in which boot a server is, and which modules it has. A BMC may take minutes to list them."""
        await self._servers.look_at_boot(server)
        await self._servers.look_at_memory(server)

    async def come_to_rest(self, step: Step) -> None:
        """Wait until other programs on the servers of a step are at rest, where the plan wants that."""
        campaign, rule = self._campaign, self._campaign.plan.quiet
        if rule is None:
            return

        def waiting(server: Server, used_pct: float) -> None:
            machine = "the machine" if len(self._servers_of(step)) == 1 else server.title or server.id
            message = f"Waiting until {machine} is quiet (other programs use {used_pct:.0f} % of the CPU)."
            if message != campaign.progress.out.message:
                campaign.progress.wait(step[0].order, message)

        servers = self._servers_of(step)
        rested = await wait_until_quiet(servers, rule, campaign.lab.feed, campaign.lab.clock, waiting)
        campaign.quiet.update(rested)

    async def set_power(self, step: Step) -> None:
        """Make the power settings of a step on its servers. Raises `WattmarkError` for what cannot be set."""
        campaign = self._campaign.progress.out.campaign_id
        for run in step:
            server, _ = self._bench.configuration(run.place)
            made_for = f"run {run.order + 1} of campaign {campaign}"
            await self._campaign.lab.power.set_up(self._servers.machine(server), run.settings, made_for)

    async def restore_power(self, step: Step) -> None:
        """Undo the power settings of a step. Where that fails it is tried again later; the campaign goes on."""
        for server in self._servers_of(step):
            try:
                await self._campaign.lab.power.restore(self._servers.machine(server))
            except WattmarkError as error:
                log.warning("%s", error)

    def _servers_of(self, step: Step) -> list[Server]:
        return [self._bench.configuration(run.place)[0] for run in step]

    async def missing_program(self, step: Step) -> str | None:
        """Explain which program is not on one of the servers; None where all are there."""
        for run in step:
            server, _ = self._bench.configuration(run.place)
            if missing := await self._servers.missing_program(server, self._bench.workload(run.workload)):
                return missing
        return None

    async def _until_renewed(self, server: Server, configuration: Configuration, how: Hands) -> None:
        """Ask until it is done: a server elsewhere that is still in the same boot was not even started anew."""
        request = renewal_request(server, configuration, how)
        before, wanted = await self._servers.look_at_boot(server), request
        while True:
            await self._ask(wanted, server, configuration, how)
            await self._stop.until_stopped(self._servers.wait_for(server))
            boot = await self._servers.look_at_boot(server)
            if server.access.ssh is None or before is None or boot != before:
                return
            wanted = f"{server.title or server.id} was not rebooted: its boot id is unchanged. {request}"

    async def _prepare(self, server: Server, configuration: Configuration) -> None:
        if server.prepare is None:
            return
        if server.prepare == "manual":
            await self._ask(operator_request(server, configuration), server, configuration, "install")
        else:
            self._stop.check()
            message = f"Preparing {server.id}/{configuration.id}."
            self._campaign.progress.change(state="running", message=message)
            trigger = self._servers.trigger(server)
            await self._stop.until_stopped(_run_prepare(server.prepare, server, configuration, trigger))

    async def _ask(self, words: str, server: Server, configuration: Configuration, hands: Hands) -> None:
        """Wait for the operator, who sees what to do in words and on a drawing of the slots."""
        self._stop.check()
        self._operator.clear()
        fitted, progress = self._campaign.installations.configuration(server.id), self._campaign.progress
        request = OperatorRequest(server=server.id, configuration=configuration.id, hands=hands, fitted=fitted)
        progress.change(state="waiting-for-operator", message=words, request=request)
        await self._stop.until_stopped(self._operator.wait())
        progress.change(state="running", message=None)


async def _run_prepare(hook: PrepareCommand, server: Server, configuration: Configuration, trigger: Trigger) -> None:
    """Run the prepare command, an argument list without a shell. Raises `WorkloadFailed` with its last words."""
    count = configuration.dimm_count
    if count is None and any("{dimm_count}" in word for word in hook.command):
        cause = f"The prepare command uses {{dimm_count}}, but {server.id}/{configuration.id} describes no memory."
        raise WorkloadFailed(cause, "Describe its memory slot by slot.")
    values = {"server": server.id, "configuration": configuration.id, "dimm_count": str(count)}
    argv = [fill(word, values) for word in hook.command]
    finished = await run_to_end(trigger, argv, hook.timeout_s)
    if finished.status != 0:
        detail = finished.error_tail or (finished.lines[-1] if finished.lines else "no output")
        cause = f"The prepare command for {server.id}/{configuration.id} ended with status {finished.status}: {detail}."
        raise WorkloadFailed(cause, "Correct the command, or fix the problem on the server.")


def operator_request(server: Server, configuration: Configuration) -> str:
    """Ask the operator for a configuration, in words."""
    memory = configuration.memory
    what = f" with {', '.join(memory.modules) or 'no slot'} fitted ({_memory_text(configuration)})" if memory else ""
    title = configuration.title or configuration.id
    return f"Bring {server.title or server.id} to {title}{what}, start it, then confirm."


def renewal_request(server: Server, configuration: Configuration, how: Hands) -> str:
    """Ask the operator for what the plan wants between two repeats, in words."""
    name, title = server.title or server.id, configuration.title or configuration.id
    if how == "reboot":
        return f"Reboot {name} ({title}) for its next repeat, then confirm."
    return f"Switch {name} off, remove and re-install its modules ({title}), start it, then confirm."


def _memory_text(configuration: Configuration) -> str:
    """Return the memory population: "4 FB-DIMM, 4 GiB"."""
    return f"{configuration.dimm_count} {configuration.memory_type or 'modules'}, {configuration.memory_gib or 0:g} GiB"
