"""Processes that tests find by a mark in their environment."""

from pathlib import Path


def processes_with(mark: str) -> list[str]:
    """List the ids of the live processes that inherited a text in their environment."""
    pids = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                pids.append(entry.name)
        except OSError:
            continue
    return pids
