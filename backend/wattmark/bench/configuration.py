"""A configuration: one concrete build of a server, memory slot by slot."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from wattmark.core.inputs import FILLED_LINE, REAL, WHOLE, Real, Scalar, Text
from wattmark.core.part import Identifier, Part, Word
from wattmark.core.part_words import canonical_kind
from wattmark.runs.configuration import PERSISTENT

Count = Annotated[int, Field(strict=True, ge=1, le=1_000_000), WHOLE]
CURRENCY = r"^[A-Z]{3}$"
Currency = Annotated[str, Field(pattern=CURRENCY)]
ModuleType = Literal["FB-DIMM", "RDIMM", "UDIMM", "LRDIMM", "SO-DIMM", "CXL", "PMem"]
PartKind = Annotated[
    str, Field(min_length=1, max_length=60, pattern=r"^[^:,\x00]+$"), FILLED_LINE, AfterValidator(canonical_kind)
]
"""Whatever capitals and number it is written in, a kind has one name."""
DECLARED_ELSEWHERE = {
    **dict.fromkeys(("dimm", "memory module", "module", "memory"), "memory (slots)"),
    **dict.fromkeys(("power supply", "supply", "psu"), "psus"),
    **dict.fromkeys(("cpu", "processor"), "cpu (sockets)"),
}
"""Kinds of part -> the entry of a configuration that counts them."""


class Cpu(Part):
    """Processors. ``cores`` and ``threads`` count the whole server."""

    model: Word
    sockets: Count = 1
    """Number of processors."""
    cores: Count | None = None
    threads: Count | None = None
    clock_mhz: Annotated[float, Field(gt=0, le=100_000), REAL] | None = None
    tdp_w: Annotated[float, Field(gt=0, le=10_000), REAL] | None = None

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.cores and self.cores < self.sockets:
            raise ValueError("at least as many cores (of all sockets together) as sockets")
        if self.cores and self.threads and self.threads < self.cores:
            raise ValueError("at least as many threads as cores")
        return self


class Module(Part):
    """A memory module."""

    type: ModuleType
    capacity_gib: Annotated[float, Field(gt=0, le=100_000), REAL]
    speed_mts: Count | None = None
    """Transfers per second [MT/s]."""
    ranks: Count | None = None
    vendor: Text | None = None
    part: Text | None = None
    ecc: bool | None = None
    channel: Identifier | None = None
    """Memory channel; without it the slot's name less its last number (A1 -> A)."""


class Memory(Part):
    """The memory population. An empty slot is written without a value."""

    channels: Count | None = None
    slots_per_channel: Count | None = None
    slots: dict[Identifier, Module | None] = Field(min_length=1)

    @property
    def modules(self) -> dict[str, Module]:
        """List the slots that hold a module."""
        return {slot: module for slot, module in self.slots.items() if module is not None}

    @property
    def dimms(self) -> list[Module]:
        """List the modules without those of persistent memory."""
        return [module for module in self.modules.values() if module.type != PERSISTENT]

    def channel(self, slot: str) -> str:
        module = self.slots[slot]
        return (module.channel if module else None) or re.sub(r"\d+$", "", slot) or slot

    @model_validator(mode="after")
    def _fits_the_board(self) -> Self:
        used = Counter(self.channel(slot) for slot in self.slots)
        if self.channels and len(used) > self.channels:
            raise ValueError(f"slots on at most {self.channels} channels, not on {', '.join(sorted(used))}")
        for channel, count in used.items():
            if self.slots_per_channel and count > self.slots_per_channel:
                raise ValueError(f"at most {self.slots_per_channel} slots on channel {channel}, not {count}")
        return self


class Psu(Part):
    """A power supply."""

    id: Identifier
    rated_w: Annotated[float, Field(gt=0, le=100_000), REAL] | None = None
    powered: bool = True
    efficiency_pct: dict[Real, Annotated[float, Field(gt=0, le=100), REAL]] = Field(default_factory=dict)
    """Efficiency [%] by load [% of the rating], from its manufacturer or an 80 PLUS report."""


class CountedPart(Part):
    """Parts of one model that are counted: drives, network cards, GPUs, fans, or what else a server has several of.

    Modules of memory are declared slot by slot, power supplies one by one.
    """

    kind: PartKind
    """What it is: "drive", "network card", "GPU", "fan"; "Drives" is read as "drive"."""
    model: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00]+$"), FILLED_LINE]
    count: Annotated[int, Field(strict=True, ge=0, le=1_000_000), WHOLE]
    """0: the server can hold such parts, and holds none."""
    capacity_tb: Annotated[float, Field(gt=0, le=1_000_000), REAL] | None = None
    """Of each [TB]."""
    link_gbit_s: Annotated[float, Field(gt=0, le=1_000_000), REAL] | None = None
    """Rate of the links of each together [Gbit/s]."""

    @model_validator(mode="after")
    def _has_no_place_of_its_own(self) -> Self:
        place = DECLARED_ELSEWHERE.get(self.kind.lower())
        if place:
            raise ValueError(f"another kind of part: {self.kind!r} is declared in {place}")
        return self


class OperatingSystem(Part):
    """Operating system and kernel as text; put numbers in quotes."""

    name: Word
    kernel: Word


class Price(Part):
    """What the configuration cost."""

    amount: Annotated[float, Field(ge=0), REAL]
    currency: Currency


class Costs(Part):
    """What running a server costs: stated once for the bench, or for a configuration of its own."""

    currency: Currency
    tariff_per_kwh: Annotated[float, Field(ge=0, le=1000), REAL]
    """Price of electrical energy [currency/kWh]."""
    pue: Annotated[float, Field(ge=1, le=10), REAL] = 1.0
    """Power usage effectiveness: energy of the whole room over that of its computers."""
    life_years: Annotated[float, Field(gt=0, le=50), REAL]
    """Service life of the purchase."""


class Configuration(Part):
    """One concrete build of a server. Comparisons are between configurations."""

    id: Identifier
    title: Text = ""
    cpu: Cpu
    memory: Memory | None = None
    psus: tuple[Psu, ...] = ()
    disks: tuple[Word, ...] = ()
    nics: tuple[Word, ...] = ()
    parts: tuple[CountedPart, ...] = ()
    """Parts that are counted; where they have drives or network cards, those of disks and nics are not counted."""
    firmware: dict[Text, Scalar] = Field(default_factory=dict)
    os: OperatingSystem
    price: Price | None = None
    costs: Costs | None = None
    """None: those of the bench."""

    @model_validator(mode="after")
    def _counts_each_part_once(self) -> Self:
        names = Counter((part.kind, part.model, part.capacity_tb, part.link_gbit_s) for part in self.parts)
        twice = next((name for name, entries in names.items() if entries > 1), None)
        if twice is not None:
            raise ValueError(f"one entry for all of {twice[1]} ({twice[0]}), with their number as count")
        return self

    @property
    def dimm_count(self) -> int | None:
        """Count the DIMMs in the slots; None where the memory population is not described."""
        return len(self.memory.dimms) if self.memory else None

    @property
    def memory_gib(self) -> float | None:
        """Add up the capacities of the DIMMs [GiB]; None where the memory population is not described."""
        return sum(module.capacity_gib for module in self.memory.dimms) if self.memory else None

    @property
    def memory_type(self) -> str | None:
        """Return the type of the DIMMs, or all of them where they are mixed."""
        types = sorted({module.type for module in self.memory.dimms}) if self.memory else []
        return " + ".join(types) or None

    @property
    def powered_psus(self) -> frozenset[str]:
        """Return the supplies that are switched on."""
        return frozenset(psu.id for psu in self.psus if psu.powered)
