"""The query to a bench analyser while measuring, and the position of each channel in its reply."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.protocol_map import DeclaredChannel
from wattmark_drivers.catalogue.source import Declared

SUM = "sum"
ALL_ITEMS = "{items}"
NAMED = re.compile(r"\{(items|item|n|count)\}")


class Encoding(StrEnum):
    """How the numbers of an answer are written."""

    ASCII = "ascii"
    FLOAT32 = "float32"
    """IEEE 488.2 block (#, digits, length, bytes) of big-endian 32-bit floats."""


class AnswerField(DeclaredChannel):
    """One channel of an analyser: value in ``unit`` = number of the answer x ``scale``."""

    item: str = ""
    """What the device calls it in commands: `P,1`, or `P,SIGMA`."""
    element: int | Literal["sum"] | None = None
    """The input element; `sum` for a sum over elements, None for the whole device."""
    single: str = ""
    """What replaces the item of a sum when one element alone is used; ``<x>`` is that element."""
    index: int | None = Field(default=None, ge=0)
    """Place in the answer, counted from 0; None: in the order of the fields."""
    name: str = ""
    """What stands before the number where the answer names its numbers (`U +230.12E+0`)."""
    scale: float = Field(default=1.0, gt=0)
    integrates: bool = False
    """Exists only while the device integrates."""
    summed: bool = False
    """The device gives no such sum: it is added up from the same quantity of the elements in use."""


class Query(Declared):
    """One request and the fields of its answer. ``{items}`` in ``ask`` lists the items, joined by ``joiner``."""

    ask: str
    fields: tuple[AnswerField, ...] = Field(min_length=1)
    clear: str | None = None
    """Command that empties the list of what is in the answer, before items are put in."""
    select: str | None = None
    """Command that puts an item into the answer, once per item: ``{n}`` counts from 1, ``{item}`` is the item."""
    selected: str | None = None
    """Query that tells which item is at place ``{n}``; with it the list is checked, and put back in the end."""
    count: str | None = None
    """Command that tells how many items there are: ``{count}``."""
    joiner: str = ","
    separator: str = Field(default=",", min_length=1)
    """What stands between two numbers: any one of these characters; the simulator writes the first."""
    named: bool = False
    """Each number follows its name and a space."""
    encoding: Encoding = Encoding.ASCII
    length: int | None = Field(default=None, ge=1)
    """How many numbers the answer has; None: as many as fields."""

    @property
    def answered(self) -> tuple[AnswerField, ...]:
        """List the fields that the device answers; sums of our own are excluded."""
        return tuple(field for field in self.fields if not field.summed)

    @model_validator(mode="after")
    def _fields_have_places(self) -> Self:
        if self.named and not all(field.name for field in self.answered):
            raise ValueError("an answer that names its numbers needs a name for each field")
        if ALL_ITEMS in self.ask and not all(field.item for field in self.answered):
            raise ValueError("a request that lists its items needs an item for each field")
        if self.length and any((field.index or 0) >= self.length for field in self.answered):
            raise ValueError(f"a field lies beyond the {self.length} numbers of the answer")
        for text in (self.ask, self.select or "", self.selected or "", self.count or ""):
            if set(re.findall(r"\{(\w+)\}", text)) - {"items", "item", "n", "count"}:
                raise ValueError(f"{text} has an unknown placeholder")
        return self


class FreshBy(StrEnum):
    """How the driver knows that the values are new."""

    EVENT = "event"
    """A register that clears when read shows a bit after an update; it is read until the bit is there."""
    WAIT = "wait"
    """A query that the device answers when it has updated."""
    COUNTER = "counter"
    """A channel that counts cycles; the values are queried until it has moved."""
    PUSH = "push"
    """The device sends a line per cycle without a query."""
    REQUEST = "request"
    """The request itself begins a measurement, and its answer comes when that is done."""
    UNKNOWN = "unknown"
    """Not reported by the device; values that do not change are marked stale."""


class Fresh(Declared):
    """How new values are awaited."""

    by: FreshBy
    ask: str = ""
    """The register or the query to wait with."""
    bit: int = Field(default=0, ge=0, le=31)
    clear: str = ""
    """A query that clears the register before waiting, for `wait`."""
    channel: str = ""
    """The channel that counts, for `counter`; for `push` the one that proves that no cycle was lost."""
    span: str = ""
    """The channel that holds the length of a cycle [s], where ``channel`` is the device's clock and counts nothing."""
    start: str = ""
    stop: str = ""
    """Commands that begin and end pushing."""
    pause_s: float = Field(default=0.02, gt=0)
    """Pause between two looks at the register or the counter [s]."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        needs = {FreshBy.EVENT: self.ask, FreshBy.WAIT: self.ask, FreshBy.COUNTER: self.channel}
        if not needs.get(self.by, "given"):
            raise ValueError(f"waiting by {self.by} needs its query or channel")
        if self.by is FreshBy.PUSH and not (self.start and self.stop):
            raise ValueError("a device that pushes needs the commands that start and stop it")
        return self


class OverRange(Declared):
    """A register whose bits tell that an input is above its range or its peak limit."""

    ask: str
    bits: dict[int, tuple[int, ...]]
    """Bit numbers by element; 0 is the whole device."""


class ErrorQueue(Declared):
    """The queue of errors: the leading number of an entry tells what happened."""

    ask: str
    none: int = 0
    """The number that means no error."""
    keep: tuple[int, ...] = ()
    """Numbers that are no reason to refuse a set-up."""


class Integration(Declared):
    """How energy is integrated: the commands, and the answer of the state query while it runs."""

    start: str
    stop: str
    reset: str
    state: str
    running: str
    idle: str
    """Answer before a start, for the simulator."""
    stopped: str
