"""Small files of another machine, many in one go."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_drivers.errors import ConnectionFailed

from wattmark.recording.host.files import Texts
from wattmark.remote.connection import SshConnection
from wattmark.workloads.trigger import WorkloadFailed

LONGEST = 65_536
SEPARATOR = "\n+wattmark-file "
_READ = f'for file; do printf "%s%s\\n" "{SEPARATOR}" "$file"; head -c {LONGEST} -- "$file" 2>/dev/null || :; done'
_FIND = 'for pattern; do for file in $pattern; do [ -e "$file" ] && printf "%s\\n" "$file"; done; done; exit 0'


class SshFiles:
    """Reads files of a server through its SSH connection; costs it a shell and one `head` per file and reading."""

    def __init__(self, connection: SshConnection) -> None:
        self._connection = connection

    async def find(self, patterns: Sequence[str]) -> list[str]:
        """List the files that match absolute glob patterns, sorted. Raises `ConnectionFailed`."""
        return sorted(set((await self._run(_FIND, patterns)).splitlines()))

    async def read(self, paths: Sequence[str]) -> Texts:
        """Read files; unreadable ones are left out. Raises `ConnectionFailed`."""
        if not paths:
            return {}
        parts = (await self._run(_READ, paths)).split(SEPARATOR)[1:]
        found = (part.partition("\n") for part in parts)
        return {path: text for path, _, text in found if text}

    async def close(self) -> None:
        """End the connection."""
        await self._connection.close()

    async def _run(self, script: str, arguments: Sequence[str]) -> str:
        try:
            return (await self._connection.run(["sh", "-c", script, "sh", *arguments])).decode("utf-8", "replace")
        except WorkloadFailed as error:
            raise ConnectionFailed(error.cause, error.remedy) from None
