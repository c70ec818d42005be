"""How many files and connections this process may have open."""

from __future__ import annotations

import resource

ENOUGH = 8192
"""A thousand meters, every connection of a browser, and what is read and written besides."""


def allow_open_files() -> int:
    """Raise the number of files that may be open, as far as the system lets; gives that number.

    Systems begin at 1024: too few for a thousand meters and those who watch them.
    """
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if most == resource.RLIM_INFINITY else min(ENOUGH, most)
    if allowed != resource.RLIM_INFINITY and allowed < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
        return wanted
    return allowed
