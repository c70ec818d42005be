"""The garbage collector of a service: what was loaded at its start stays, and is not looked through again."""

from __future__ import annotations

import gc

YOUNG = 20_000
"""Objects that come before the youngest are looked through: more than one commit of a large bench makes."""
OLDER = 20
"""Looks at a generation before the next older one is looked at."""


def settle() -> None:
    """Exclude all present objects from garbage collection, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, OLDER, OLDER)
