"""Interface of a protocol engine: the addresses it understands and the meter it creates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import SplitResult

from wattmark_drivers.catalogue.declaration import Declaration, Transport
from wattmark_drivers.clock import Clock
from wattmark_drivers.meter import Meter
from wattmark_drivers.settings import MeterSettings


@dataclass(frozen=True, slots=True)
class Scheme:
    """One form of address: ``form`` shows it to a person, ``parse`` checks it.

    ``parse`` raises ValueError with words that continue the sentence "The address of the meter ...".
    """

    form: str
    parse: Callable[[SplitResult, Transport], Any]


class MakeMeter(Protocol):
    """Makes a meter; opens nothing."""

    def __call__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: Any,
        address: Any,
        /,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> Meter:
        """Build a meter from its settings, its declaration with protocol table, and the result of ``Scheme.parse``.

        Raises `ConfigurationError`.
        """
        ...


@dataclass(frozen=True, slots=True)
class LineLoad:
    """Time that one meter's poll takes on the line that it shares."""

    line: str
    speed: str
    """The setting of the line that decides, with its unit: "9600 baud"."""
    poll_s: float
    """How long a poll occupies the line [s]."""
    faster: Mapping[str, float] = field(default_factory=dict)
    """How long it would at higher speeds, the lowest first [s]; the same speeds for all meters of a line."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A protocol engine, as its module offers it under the name ``ENGINE``; keys of ``schemes`` are URL schemes."""

    schemes: Mapping[str, Scheme]
    make: MakeMeter
    load: Callable[[MeterSettings, Any, Any], LineLoad | None] | None = None
    """Computes from settings, protocol table and address what a poll takes of a line; None where no line is shared."""
