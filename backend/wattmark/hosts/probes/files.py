"""Files of the machine that is watched."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

Texts = Mapping[str, str]
"""Contents by absolute path; what could not be read is not in it."""


class HostFiles(Protocol):
    """Reads small text files of one machine, many at a time."""

    async def find(self, patterns: Sequence[str]) -> list[str]:
        """List the files that match absolute glob patterns, sorted."""
        ...

    async def read(self, paths: Sequence[str]) -> Texts:
        """Read files; unreadable ones are excluded."""
        ...

    async def close(self) -> None:
        """Release the machine."""
        ...


class LocalFiles:
    """Files of this machine; ``root`` is the root of the file system, tests bring their own tree."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root

    async def find(self, patterns: Sequence[str]) -> list[str]:
        """List the files that match absolute glob patterns, sorted."""
        return await asyncio.to_thread(self._find, patterns)

    async def read(self, paths: Sequence[str]) -> Texts:
        """Read files; unreadable ones are excluded."""
        return await asyncio.to_thread(self._read, paths)

    async def close(self) -> None:
        """Release nothing: this machine has no connection."""

    def _find(self, patterns: Sequence[str]) -> list[str]:
        paths = {path for pattern in patterns for path in self._root.glob(pattern.lstrip("/"))}
        return sorted(f"/{path.relative_to(self._root)}" for path in paths)

    def _read(self, paths: Sequence[str]) -> Texts:
        texts = {}
        for path in paths:
            try:
                texts[path] = (self._root / path.lstrip("/")).read_text("utf-8", "replace")
            except OSError:
                continue
        return texts
