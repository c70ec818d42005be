"""What is read from a power daemon: SPEC's PTDaemon, or one that speaks its protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from wattmark_drivers.catalogue.protocol_map import ComposedRange, DeclaredChannel, ProtocolMap
from wattmark_drivers.catalogue.source import Declared, Fact

_RANGE_NAME = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)V-([0-9]{1,6}(?:\.[0-9]{1,6})?)A")


class SampleColumn(DeclaredChannel):
    """One channel: the column of that name in the daemon's sample lines."""

    column: str


class SimulatedAnalyser(Declared):
    """The analyser behind the simulated daemon: its ranges and its limits of error."""

    voltage_v: tuple[float, ...] = Field(min_length=1)
    current_a: tuple[float, ...] = Field(min_length=1)
    reading_pct: float = Field(gt=0)
    range_pct: float = Field(ge=0)


class PtdaemonMap(ProtocolMap):
    """Everything the engine for power daemons needs."""

    schemes: ClassVar = ("ptd",)
    options: ClassVar = ("measurement", "mark")
    engine: Literal["ptdaemon"]
    columns: tuple[SampleColumn, ...] = Field(min_length=1)
    uncertainty: Fact
    """Where the daemon tells the limit of error of its power."""
    simulated: SimulatedAnalyser

    @property
    def measured(self) -> Sequence[SampleColumn]:
        """List the columns."""
        return self.columns

    @property
    def told_accuracy(self) -> Fact | None:
        """Return the reply with the daemon's own limit of error."""
        return self.uncertainty

    @property
    def range_form(self) -> str:
        """Show how a range is named."""
        return "a voltage and a current range such as 300V-5A, which the analyser behind the daemon must have"

    def composed_range(self, name: str) -> ComposedRange | None:
        """Read a range named `300V-5A`; the analyser itself decides whether it has that one."""
        match = _RANGE_NAME.fullmatch(name)
        if match is None or not all(float(text) > 0 for text in match.groups()):
            return None
        return ComposedRange(float(match[1]), float(match[2]))

    def facts(self) -> Iterator[tuple[str, Fact]]:
        """Iterate over the channels with sources of their own and the reply with the uncertainty."""
        yield from super().facts()
        yield "accuracy told by the daemon", self.uncertainty
