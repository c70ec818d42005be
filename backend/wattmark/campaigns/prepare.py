"""Put a server into a configuration before its first run."""

from __future__ import annotations

from wattmark.inventory.configuration import Configuration
from wattmark.inventory.plan import BetweenRepeats
from wattmark.inventory.server import PrepareCommand, Server
from wattmark.workloads.commands import run_to_end
from wattmark.workloads.placeholders import fill
from wattmark.workloads.trigger import Trigger, WorkloadFailed


async def run_prepare(hook: PrepareCommand, server: Server, configuration: Configuration, trigger: Trigger) -> None:
    """Run the prepare command, an argument list without a shell. Raises `WorkloadFailed` with its last words."""
    count = configuration.dimm_count
    if count is None and any("{dimm_count}" in word for word in hook.command):
        cause = f"The prepare command needs {{dimm_count}}, but {server.id}/{configuration.id} describes no memory."
        raise WorkloadFailed(cause, "Describe its memory slot by slot.")
    values = {"server": server.id, "configuration": configuration.id, "dimm_count": str(count)}
    argv = [fill(word, values) for word in hook.command]
    finished = await run_to_end(trigger, argv, hook.timeout_s)
    if finished.status != 0:
        said = finished.error_tail or (finished.lines[-1] if finished.lines else "it said nothing")
        cause = f"The prepare command for {server.id}/{configuration.id} ended with status {finished.status}: {said}."
        raise WorkloadFailed(cause, "Correct the command or the server.")


def operator_request(server: Server, configuration: Configuration) -> str:
    """Ask the operator for a configuration, in words."""
    memory = configuration.memory
    what = f" with {', '.join(memory.modules) or 'no slot'} fitted ({memory_text(configuration)})" if memory else ""
    title = configuration.title or configuration.id
    return f"Bring {server.title or server.id} to {title}{what}, start it, then confirm."


def renewal_request(server: Server, configuration: Configuration, how: BetweenRepeats) -> str:
    """Ask the operator for what the plan wants between two repeats, in words."""
    name, title = server.title or server.id, configuration.title or configuration.id
    if how == "reboot":
        return f"Start {name} ({title}) anew for its next repeat, then confirm."
    return f"Switch {name} off, take its modules out and fit them again ({title}), start it, then confirm."


def memory_text(configuration: Configuration) -> str:
    """Name the memory population: "4 FB-DIMM, 4 GiB"."""
    return f"{configuration.dimm_count} {configuration.memory_type or 'modules'}, {configuration.memory_gib or 0:g} GiB"
