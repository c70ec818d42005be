"""Common declarations of every protocol's table: its addresses, its options and the channels it measures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple, Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.source import Declared, Fact
from wattmark_drivers.reading import Kind

_PHASE = re.compile(r"_l([123])$")


class MeasuredQuantity(Declared):
    """A quantity that a model measures."""

    channel: str
    label: str
    quantity: str
    unit: str


class DeclaredChannel(MeasuredQuantity):
    """One channel of a model, whatever protocol carries it."""

    limits: tuple[float, float] | None = None
    """Smallest and largest plausible value [unit]."""
    resolution: float | None = None
    """Step of the last digit [unit]; None where the maker does not say."""
    kind: Kind | None = None
    """None takes the kind of the model's rhythm."""
    wraps_at: float | None = Field(default=None, gt=0)
    """Value [unit] at which a counter begins again at 0; None where the maker does not say."""
    evidence: Fact | None = None
    """Sources and status of this channel alone; None takes those of the table."""

    @property
    def step(self) -> float | None:
        """Return the smallest change of the value [unit]; None if unknown."""
        return self.resolution

    @model_validator(mode="after")
    def _only_counters_wrap(self) -> Self:
        if self.wraps_at is not None and self.kind is not Kind.COUNTER:
            raise ValueError(f"channel {self.channel} is not a counter, so it does not overflow")
        return self

    @property
    def phase(self) -> int | None:
        """Return the phase that the channel's name ends in (``voltage_l2``: 2); None for a total."""
        match = _PHASE.search(self.channel)
        return int(match[1]) if match else None


class ComposedRange(NamedTuple):
    """A range put together from a voltage range and a current range, for one input element."""

    voltage_v: float
    current_a: float
    limit_w: float | None = None
    """Active power with both where the device calls them over range [W]; None where no source states it."""


class ProtocolMap(Fact):
    """Base of the protocol tables; the discriminator ``engine`` names the engine that reads it."""

    schemes: ClassVar[tuple[str, ...]]
    """URL schemes that the engine understands."""
    carried: ClassVar[Mapping[str, str]] = {}
    """Schemes that every model of another scheme speaks too, because only the way there differs: that other scheme."""
    options: ClassVar[tuple[str, ...]] = ()
    """Keys of the bench file's ``options`` that the engine knows."""
    whole_server: ClassVar[bool] = False
    """True for what sits inside a server and senses all of it, each supply by itself (a BMC)."""

    @property
    def option_names(self) -> tuple[str, ...]:
        """Return the options of this model; those of the engine where the model declares none."""
        return self.options

    @property
    def range_form(self) -> str:
        """Show how a range is named that is put together from two; empty where ranges are declared one by one."""
        return ""

    def composed_range(self, name: str) -> ComposedRange | None:  # noqa: ARG002 - engines with such ranges use it
        """Read the name of a range composed of two; None where there is no such range."""
        return None

    @property
    def measured(self) -> Sequence[DeclaredChannel]:
        """List the declared channels; empty where the device itself lists them."""
        return ()

    @property
    def told_accuracy(self) -> Fact | None:
        """Return where the device reports its own limit of error of power; None where it does not."""
        return None

    @property
    def phase_count(self) -> int:
        """Count the phases by the channels: 3 with a channel of phase L2 or L3, else 1."""
        return 3 if any((item.phase or 1) > 1 for item in self.measured) else 1

    def facts(self) -> Iterator[tuple[str, Fact]]:
        """Iterate over the facts inside the table that have sources of their own, each with a name to show."""
        yield from ((f"channel {item.channel}", item.evidence) for item in self.measured if item.evidence)
