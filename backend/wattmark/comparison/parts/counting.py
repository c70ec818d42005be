"""What the runs of a line are counted by: the parts of one kind in their server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wattmark.core.part_words import PartWords
from wattmark.results.result import Result


@dataclass(frozen=True, slots=True)
class Counting:
    """How many parts of one kind a run had, which kind they are of, and the words for them."""

    part: PartWords
    count: Callable[[Result], int | None]
    """None: not known."""
    kind: Callable[[Result], str]
    """Name of what its parts are, such as "16 GiB RDIMM": no line mixes two."""
    factor: str
    """The factor of a run that states the parts; what is tied to it changes with them."""
    tied: Sequence[str] = ()
    """Other factors that the parts bring along."""
    order: Callable[[Result], tuple[object, ...]] = lambda _: ()
    """What runs of one count are sorted by."""
    warnings: Callable[[Sequence[Result]], list[str]] = lambda _: []
    """What else to know of how the parts are fitted."""
    remarks: Callable[[Sequence[Result]], list[str]] = lambda _: []
    """What else the count changed, in sentences that close the statement of a fit."""
    mixed: bool = False
    """Whether a line over all kinds together can be asked for."""
    behind_supply: bool = True
    """Whether the parts draw their watts from the power supplies."""
