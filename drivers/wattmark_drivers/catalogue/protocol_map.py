"""What every protocol's table declares: the addresses it understands, its options and the channels it measures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from wattmark_drivers.catalogue.source import Declared, Fact
from wattmark_drivers.reading import Kind

_PHASE = re.compile(r"_l([123])$")


class DeclaredChannel(Declared):
    """One channel of a model, whatever protocol carries it."""

    channel: str
    quantity: str
    unit: str
    label: str
    limits: tuple[float, float] | None = None
    """Smallest and largest plausible value [unit]."""
    resolution: float | None = None
    """Step of the last digit [unit]; None where the maker does not say."""
    kind: Kind | None = None
    """None takes the kind of the model's rhythm."""
    evidence: Fact | None = None
    """Sources and status of this channel alone; None takes those of the table."""

    @property
    def step(self) -> float | None:
        """Tell the smallest change of the value [unit]; None if unknown."""
        return self.resolution

    @property
    def phase(self) -> int | None:
        """Tell the phase that the channel's name ends in (``voltage_l2``: 2); None for a total."""
        match = _PHASE.search(self.channel)
        return int(match[1]) if match else None


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
    def measured(self) -> Sequence[DeclaredChannel]:
        """List the declared channels; empty where the device itself lists them."""
        return ()

    @property
    def phase_count(self) -> int:
        """Count the phases by the channels: 3 with a channel of phase L2 or L3, else 1."""
        return 3 if any((item.phase or 1) > 1 for item in self.measured) else 1

    def facts(self) -> Iterator[tuple[str, Fact]]:
        """Walk the facts inside the table that have sources of their own, each with a name to show."""
        yield from ((f"channel {item.channel}", item.evidence) for item in self.measured if item.evidence)
