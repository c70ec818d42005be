"""A ring comparison, ready for the API, the page and the exports."""

from __future__ import annotations

from wattmark.analysis.comparison.ring import Consistency, Score
from wattmark.comparison.compare.yardstick import ComparedBy
from wattmark.core.interval import Interval, PlusMinus
from wattmark.core.schema import Schema


class RingItem(Schema):
    """What laboratories measured alike; an empty text: their records do not state it."""

    server_model: str
    processor: str
    memory: str
    dimm_count: int | None
    workload: str
    level: str
    simulated: bool


class RingChoice(RingItem):
    """A ring comparison that can be made."""

    labs: int
    runs: int


class RingsOut(Schema):
    """Ring comparisons that can be made, those of most laboratories first."""

    rings: list[RingChoice]
    more: bool = False
    """There are more than these."""


class RingReference(PlusMinus):
    """The consensus value: weighted mean of the laboratories that agree."""

    U95: float
    labs: int
    consistency: Consistency
    exact: bool
    """False: among so many laboratories not every subset was tried."""


class RingLab(Score):
    """A laboratory that takes part, with its score."""

    lab: str
    key: str
    """Of its group on the page Compare."""
    server: str
    configuration: str
    runs: list[str]
    n: int
    value: Interval
    difference_pct: float | None


class RingExcluded(Schema):
    """A group that does not take part."""

    lab: str
    key: str
    server: str
    n: int
    value: float | None
    why: str


class RingOut(Schema):
    """Laboratories that measured one thing, against their consensus value."""

    item: RingItem
    title: str
    figure: ComparedBy
    unit: str
    reference: RingReference | None
    reason: str
    """Why there is no consensus value; empty where there is one."""
    consistency: Consistency | None
    """Of all laboratories with a ±; None for fewer than two."""
    robust_mean: float | None
    robust_sd: float | None
    """What z scores are made of; None for fewer than five laboratories."""
    labs: list[RingLab]
    """By value, the largest first."""
    excluded: list[RingExcluded]
    statement: str
    """The answer in plain sentences, the first of which is a headline."""
    notes: list[str]
