"""The processes of another machine, read over SSH twice a run: two programs there for each reading."""

from __future__ import annotations

from wattmark.campaigns.processes import Snapshot, process_time
from wattmark.remote.connection import SshConnection
from wattmark.workloads.process_group import MARKER

SEPARATOR = "+wattmark-loads"
_READ = (
    f"cat /proc/[0-9]*/stat 2>/dev/null; echo '{SEPARATOR}'; "
    f"grep -ls '{MARKER}=' /proc/[0-9]*/environ 2>/dev/null; exit 0"
)


class RemoteProcesses:
    """The processes of a server."""

    def __init__(self, connection: SshConnection) -> None:
        self._connection = connection

    async def snapshot(self) -> Snapshot:
        """Read the CPU time of every process there. Raises `WorkloadFailed`."""
        text = (await self._connection.run(["sh", "-c", _READ])).decode("utf-8", "replace")
        stats, _, loads = text.partition(f"{SEPARATOR}\n")
        ours = {line.split("/")[2] for line in loads.splitlines() if line.startswith("/proc/")}
        found = (process_time(line, ours=line.partition(" ")[0] in ours) for line in stats.splitlines())
        return {key: one for pair in found if pair is not None for key, one in [pair]}
