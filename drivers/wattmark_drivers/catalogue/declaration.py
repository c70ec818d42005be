"""The catalogue's declaration of one model."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from typing import Literal, Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.influences import Influences
from wattmark_drivers.catalogue.protocol_map import DeclaredChannel
from wattmark_drivers.catalogue.protocols import Protocol
from wattmark_drivers.catalogue.source import Declared, Fact, Source, Status
from wattmark_drivers.catalogue.suspicion import Suspicion
from wattmark_drivers.reading import Kind


class Parity(StrEnum):
    """Parity bit of a serial line."""

    NONE = "N"
    EVEN = "E"
    ODD = "O"


class Transport(Fact):
    """A way to reach the model and its factory settings."""

    scheme: str
    port: int | None = Field(default=None, gt=0, le=65535)
    baud: int | None = Field(default=None, gt=0)
    parity: Parity = Parity.NONE
    stopbits: Literal[1, 2] = 1
    timeout_s: float = Field(gt=0)
    """How long to wait for an answer [s]."""


class Rhythm(Fact):
    """How the model's values relate to time."""

    kind: Kind
    window_s: float | None = Field(default=None, gt=0)
    """Averaging window [s]; None where unknown."""
    update_period_s: float = Field(gt=0)
    """How often a new value appears [s]."""
    poll_period_s: float | None = Field(default=None, gt=0)
    """How often it is asked where the bench file says nothing [s]; None: as often as any meter."""
    pushes: bool = False
    since_last: bool = False
    """Each value is the mean since the one before, however long that was (a difference of an energy counter)."""
    note: str = ""

    def averaging_s(self, update_period_s: float) -> float | None:
        """Return over how long one value averages [s] at the update period in use; None: since the previous value.

        Without a declared window a mean is taken over the update period, the longest that it can be.
        """
        if self.kind is not Kind.AVERAGED or self.since_last:
            return None
        follows = self.window_s is None or self.window_s == self.update_period_s
        return update_period_s if follows else self.window_s


class Range(Fact):
    """A measuring range and its full-scale active power."""

    id: str
    power_w: float = Field(gt=0)
    limit_w: float | None = Field(default=None, gt=0)
    """Active power with voltage and current where the device calls them over range; None where no source says."""
    voltage_v: float | None = None
    current_a: float | None = None
    note: str = ""


class IntervalTerm(Declared):
    """What a short update interval adds to a limit of error."""

    longest_s: float = Field(gt=0)
    """The longest interval that it is added at [s]."""
    reading_pct: float = Field(gt=0)


class EnergyClass(Declared):
    """Class of an energy meter by its standard, at power factor 1 and reference conditions.

    ``reading_pct`` of the term holds from ``from_a`` to ``to_a``, ``low_pct`` from ``low_from_a`` to ``from_a``.
    """

    name: str
    standard: str
    from_a: float | None = Field(default=None, gt=0)
    """Transitional current Itr, or its share of the nominal one, at the meter's terminals [A]; None: not read."""
    to_a: float | None = Field(default=None, gt=0)
    low_from_a: float | None = Field(default=None, gt=0)
    low_pct: float | None = Field(default=None, gt=0)


class AccuracyTerm(Fact):
    """Maker's limit of error: reading_pct % of reading + range_pct % of range + fixed [unit of the quantity]."""

    quantity: str
    reading_pct: float = Field(default=0.0, ge=0)
    range_pct: float = Field(default=0.0, ge=0)
    fixed: float = Field(default=0.0, ge=0)
    influences: Influences = Influences()
    update_intervals: tuple[IntervalTerm, ...] = ()
    """From the shortest interval on; the first that is not shorter than the one in use counts."""
    energy_class: EnergyClass | None = None
    conditions: str = ""

    def reading_pct_at(self, update_period_s: float) -> float:
        """Return the share of reading at an update interval [%]."""
        added = (item.reading_pct for item in self.update_intervals if update_period_s <= item.longest_s * 1.001)
        return self.reading_pct + next(added, 0.0)

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if any(a.longest_s >= b.longest_s for a, b in pairwise(self.update_intervals)):
            raise ValueError("the terms of update intervals begin with the shortest one")
        if self.energy_class is not None and self.quantity != "energy":
            raise ValueError("an energy class is about energy")
        if self.influences.voltage is not None and self.quantity != "power":
            raise ValueError("limits of the inputs are those of power")
        return self


class NoAccuracy(Fact):
    """That the documents of the maker that were read, its sources, state no limit of error of power."""

    note: str = ""


class Influence(Fact):
    """An influence quantity (temperature, power factor, crest factor) and what the maker says about it."""

    name: str
    effect: str


class Quirk(Fact):
    """Something that bites, and the place that proves it."""

    text: str


class Declaration(Declared):
    """One model of the catalogue: identity, transports, protocol table, rhythm, ranges, accuracy, quirks."""

    id: str = Field(pattern=r"^[a-z0-9]+\.[a-z0-9]+$")
    maker: str
    model: str
    title: str
    firmware: str = ""
    indicative: bool = False
    """True for sensors without a specification."""
    measured_at: Literal["inlet", "server", "processors", "gpu", "part"] | None = None
    """Where its total power is measured, from the mains inwards; None: not declared."""
    direct_current: bool = False
    """True for meters of direct current."""
    sources: dict[str, Source]
    manual: str | None = None
    """The source that is the maker's manual; None where there is none."""
    transports: tuple[Transport, ...] = Field(min_length=1)
    protocol: Protocol
    rhythm: Rhythm
    suspicion: Suspicion = Suspicion()
    ranges: tuple[Range, ...] = ()
    accuracy: tuple[AccuracyTerm, ...] = ()
    no_accuracy: NoAccuracy | None = None
    """Set where the maker's documents were read and state none; None with no accuracy: no such document was found."""
    influences: tuple[Influence, ...] = ()
    quirks: tuple[Quirk, ...] = ()

    @property
    def reached_by(self) -> tuple[Transport, ...]:
        """List the declared transports and those that carry the same frames another way."""
        declared = {item.scheme: item for item in self.transports}
        carried = [
            declared[origin].model_copy(update={"scheme": scheme, "port": None})
            for scheme, origin in self.protocol.carried.items()
            if origin in declared and scheme not in declared
        ]
        return (*self.transports, *carried)

    def transport(self, scheme: str) -> Transport | None:
        """Find the transport of that URL scheme."""
        return next((item for item in self.reached_by if item.scheme == scheme), None)

    def range(self, name: str | None) -> Range | None:
        """Find a range by name; without a name the only one, or None when there are several or none."""
        if name is None:
            return self.ranges[0] if len(self.ranges) == 1 else None
        return next((item for item in self.ranges if item.id == name), None) or self._composed_range(name)

    def _composed_range(self, name: str) -> Range | None:
        """Find a range that is put together from a voltage and a current range: its full scale is their product."""
        composed = self.protocol.composed_range(name)
        if composed is None:
            return None
        return Range(
            id=name,
            power_w=composed.voltage_v * composed.current_a,
            limit_w=composed.limit_w,
            voltage_v=composed.voltage_v,
            current_a=composed.current_a,
            status=self.protocol.status,
            source=self.protocol.source,
        )

    def cite(self, fact: Fact) -> str:
        """Write the sources of a fact as one text."""
        return "; ".join(self.sources[key].citation for key in fact.source)

    def facts(self) -> Iterator[tuple[str, Fact]]:
        """Iterate over all facts, each with a name to show."""
        yield "protocol table", self.protocol
        yield from self.protocol.facts()
        yield "averaging and update", self.rhythm
        yield from ((f"{item.scheme} settings", item) for item in self.transports)
        yield from ((f"range {item.id}", item) for item in self.ranges)
        yield from ((f"accuracy of {item.quantity}", item) for item in self.accuracy)
        if self.no_accuracy is not None:
            yield "no accuracy of power stated", self.no_accuracy
        yield from ((f"influence of {item.name}", item) for item in self.influences)
        yield from ((f"quirk: {item.text}", item) for item in self.quirks)

    @property
    def unconfirmed(self) -> tuple[str, ...]:
        """Return the facts that no source confirms, and a missing accuracy of power."""
        names = tuple(name for name, fact in self.facts() if fact.status is Status.UNCONFIRMED)
        return names if self.indicative or self.states_accuracy else (*names, "accuracy of power")

    @property
    def states_accuracy(self) -> bool:
        """Return whether the maker's limits of power, or the class of an energy meter, are declared or asked for."""
        stated = any(term.quantity == "power" or term.energy_class is not None for term in self.accuracy)
        return stated or self.protocol.told_accuracy is not None

    def kind_of(self, channel: DeclaredChannel) -> Kind:
        """Return how a channel's value relates to its stamp."""
        return channel.kind or self.rhythm.kind

    @model_validator(mode="after")
    def _sources_exist(self) -> Self:
        for name, fact in self.facts():
            unknown = set(fact.source) - set(self.sources)
            if unknown:
                raise ValueError(f"{name} names unknown sources: {', '.join(sorted(unknown))}")
            if fact.status is not Status.UNCONFIRMED and not fact.source:
                raise ValueError(f"{name} is {fact.status} but names no source")
        if self.manual is not None and self.manual not in self.sources:
            raise ValueError(f"the manual {self.manual} is not among the sources")
        return self

    @model_validator(mode="after")
    def _engine_speaks_transports(self) -> Self:
        for transport in self.transports:
            if transport.scheme not in self.protocol.schemes:
                raise ValueError(f"the engine {self.protocol.engine} does not support {transport.scheme}")
        return self

    @model_validator(mode="after")
    def _indicative_has_no_accuracy(self) -> Self:
        if self.indicative and self.accuracy:
            raise ValueError("an indicative sensor has no accuracy")
        return self

    @model_validator(mode="after")
    def _no_accuracy_is_evident(self) -> Self:
        if self.no_accuracy is None:
            return self
        if self.states_accuracy or self.indicative:
            raise ValueError("no_accuracy is for models that state no accuracy of power and are not indicative")
        if self.no_accuracy.status is Status.UNCONFIRMED:
            raise ValueError("no_accuracy needs the documents that were read as its sources")
        return self
