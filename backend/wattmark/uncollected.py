"""Make many lasting objects without the search for garbage among them, which takes longer than making them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected(*, lasting: bool = False) -> Iterator[None]:
    """Pause the search for cyclic garbage; what goes by its reference count goes meanwhile as always.

    ``lasting`` leaves everything that is there at the end out of later searches: half a second each among ten thousand
    results, with all threads waiting.
    """
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if lasting:
            gc.freeze()
        if searched:
            gc.enable()
