"""The processes of another machine, read over SSH twice a run: two programs there for each reading."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wattmark.campaigns.processes import Snapshot, snapshot_of
from wattmark.workloads.process_group import MARKER

if TYPE_CHECKING:
    from wattmark.remote.connection import SshConnection

_ENVIRON = re.compile(r"/proc/[0-9]+/environ")
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
        marked = {int(line.split("/")[2]) for line in loads.splitlines() if _ENVIRON.fullmatch(line)}
        return snapshot_of(stats.splitlines(), marked)
