"""Interface of every measuring device to the rest of wattmark: identity, channels, open, read, close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from wattmark_drivers.catalogue.influences import Influences
from wattmark_drivers.catalogue.suspicion import Suspicion
from wattmark_drivers.reading import Channel, Reading

RangedInput = Literal["voltage", "current"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Maker's limits of error for active power, or another quantity, as declared in the catalogue.

    limit = reading_pct % of reading + range_pct % of range + fixed + what ``influences`` add; None where the maker
    gives no figure, and then no uncertainty may be invented. ``source`` names the manual and its page.
    """

    reading_pct: float
    range_pct: float
    fixed: float
    range_value: float | None
    source: str
    range_name: str | None = None
    influences: Influences = field(default_factory=Influences)


@dataclass(frozen=True, slots=True)
class MeasuredPace:
    """How often a device gave readings that publishes when it likes."""

    interval_s: float | None
    """Median time between its readings [s]; None before the second one."""
    readings: int
    since_ns: int
    """Since when it has been listened to [UTC ns]."""
    newest_ns: int | None
    """Arrival of the newest reading [UTC ns]; None before the first one."""
    advice: str
    """How a person makes it publish more often: a sentence without its full stop."""


@dataclass(frozen=True, slots=True)
class MeterIdentity:
    """Who measures: the name in the bench file, the model and what is known about it."""

    name: str
    model: str
    maker: str
    title: str
    serial: str | None = None
    firmware: str | None = None
    """Version that the device itself reports; None where it reports none."""
    simulated: bool = False
    indicative: bool = False
    """True for sensors without a specification (a BMC): shown, never given an invented uncertainty."""
    update_period_s: float = 1.0
    averaging_s: float | None = None
    """Over how long a mean is taken [s]; None: over all the time since the reading before."""
    range_w: float | None = None
    """Full scale of active power in the range in use [W]; None where the range is not known."""
    range_limit_w: float | None = None
    """Active power above which the device reports over-range in that range [W]; None where no source states it."""
    power_accuracy: Accuracy | None = None
    other_accuracies: Mapping[str, Accuracy] = field(default_factory=dict)
    """Limits of error of voltage, current, apparent power and power factor, by quantity; those that are declared."""
    crest_factor: Literal[3, 6] | None = None
    """Crest factor setting in force, on which limits of error depend; None where the device has or reports none."""
    line_filter: bool | None = None
    """Whether the line filter is on; None where the device has or reports none."""
    suspicion: Suspicion = field(default_factory=Suspicion)
    """When its readings count as stuck, as declared."""
    pace: MeasuredPace | None = None
    """How often readings come where only the device decides that; None where it is polled or its rate is declared."""
    unconfirmed: tuple[str, ...] = field(default=())
    """Facts of the declaration that no source confirms."""


@runtime_checkable
class KnowsSupplies(Protocol):
    """A device that states whether power supplies are present and powered: a BMC."""

    async def supplies(self) -> Mapping[str, str]:
        """Ask for the states of the power supplies by name; beside `Meter.read`, while open. Raises a `DriverError`."""
        ...


@dataclass(frozen=True, slots=True)
class RangeInForce:
    """The range of one input: whether the device chooses it, and its nominal value [V or A]; None: not known."""

    auto: bool | None = None
    nominal: float | None = None


@runtime_checkable
class SetsRanges(Protocol):
    """A meter whose ranges can be changed while it is open: an analyser. Between two reads, not during one."""

    @property
    def ranges_in_force(self) -> Mapping[RangedInput, RangeInForce]:
        """Return the ranges as they were last read from the device; empty where it has none."""
        ...

    async def set_range(self, which: RangedInput, least: float | None) -> float | None:
        """Set the smallest range that holds a value [V or A], or let the device choose (None), also after a reconnect.

        Returns the range, None where the device chooses. Raises `ConfigurationError` where there is no such range.
        """
        ...


@runtime_checkable
class ClosesSlowly(Protocol):
    """A meter that may need longer than others to leave its device as it was found."""

    @property
    def closing_s(self) -> float:
        """Return how long `close` may take now [s]."""
        ...


class Meter(Protocol):
    """A device that measures. One task at a time may use it."""

    @property
    def identity(self) -> MeterIdentity:
        """Describe the device; complete only after `open`."""
        ...

    @property
    def channels(self) -> Sequence[Channel]:
        """List what it measures; complete only after `open` (a BMC lists its sensors then)."""
        ...

    @property
    def pushes(self) -> bool:
        """Return whether `read` waits for the device's own updates instead of polling it."""
        ...

    async def open(self) -> None:
        """Connect and verify that the device answers. Raises a `DriverError`."""
        ...

    async def read(self) -> list[Reading]:
        """Read all channels once. Raises `BadReply` (this reading is lost) or `ConnectionFailed` (reopen)."""
        ...

    async def close(self) -> None:
        """Leave the device as it was found; never raises."""
        ...
