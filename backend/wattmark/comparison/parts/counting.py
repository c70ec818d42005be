"""What the runs of a line are counted by: the parts of one kind in their server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wattmark.comparison.parts.fitted_parts import LISTED, SUPPLY, FittedPart
from wattmark.core.part_words import PartWords, part_words
from wattmark.results.result import Result

NOT_STATED = "not stated"


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
    not_stated: Callable[[Result], str | None] = lambda _: None
    """What is not known of its parts, so that those of another server with the same name may be others: "type"."""
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
    model: FittedPart | None = None
    """The model with what it is rated for; None: no one model is counted, W per TB and the like are not asked for."""


def counting_of(kind: str, fitted: Mapping[str, Sequence[FittedPart]], name: str) -> Counting:
    """Count runs by their parts of a kind: those of a name, else the first of the kind that a run has.

    ``fitted`` are the parts of each run by its id.
    """

    def part(r: Result) -> FittedPart | None:
        of_kind = [part for part in fitted.get(r.run_id, ()) if part.kind == kind]
        return next((part for part in of_kind if part.name == name), next(iter(of_kind), None))

    def count(r: Result) -> int | None:
        counted = part(r)
        return None if counted is None else counted.count

    def kind_of(r: Result) -> str:
        counted = part(r)
        return NOT_STATED if counted is None else counted.name

    def not_stated(r: Result) -> str | None:
        counted = part(r)
        return None if counted is None else counted.not_stated

    supplies = kind == SUPPLY
    of_name = (part for parts in fitted.values() for part in parts if (part.kind, part.name) == (kind, name))
    return Counting(
        part=part_words(kind),
        count=count,
        kind=kind_of,
        not_stated=not_stated,
        factor="psus" if supplies else f"parts.{kind}",
        tied=(LISTED[kind],) if kind in LISTED else (),
        behind_supply=not supplies,
        model=next(of_name, None),
    )
