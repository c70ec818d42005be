"""Limit of open files and connections of this process."""

from __future__ import annotations

import resource
from pathlib import Path

ENOUGH = 8192
"""Enough for a thousand meters, all connections of browsers, and the files read and written."""
FEW = 8
"""Descriptors of a meter that is read through a program: three pipes and their watchers."""


def allow_open_files() -> int:
    """Apply the highest limit of open files that the system allows, and return it.

    Systems begin at 1024: too few for a thousand meters and those who watch them.
    """
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if most == resource.RLIM_INFINITY else min(ENOUGH, most)
    if allowed != resource.RLIM_INFINITY and allowed < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
        return wanted
    return allowed


def shortage() -> str | None:
    """Explain that this process is about to run out of open files, with the remedy; None while it is not."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        free = allowed - len(list(Path("/proc/self/fd").iterdir())) + 1
    except OSError:
        free = 0
    if allowed == resource.RLIM_INFINITY or free >= FEW:
        return None
    return (
        f"wattmark may have {allowed} files and connections open at a time, and has them. Allow it more: "
        f"LimitNOFILE={ENOUGH} in its systemd unit, or `ulimit -n {ENOUGH}` before `wattmark serve`. "
        "Until then close pages that watch; it goes on by itself when files are free."
    )
