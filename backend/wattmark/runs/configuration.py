"""The configuration of a server as the record of a run keeps it: what the bench file, or an import, stated then."""

from __future__ import annotations

from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from wattmark.core.amounts import Count, Document, Number
from wattmark.core.schema import Record

PERSISTENT = "PMem"
"""The type of a module of persistent memory. It is in a slot, and it is no DIMM that watts per DIMM are counted by."""


class _Stated(Record):
    """Facts of which only the stated ones are written, so that a record reads back as it was stored."""

    @model_serializer(mode="wrap")
    def _only_stated(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in write(self).items() if name in self.model_fields_set}


class RecordedModule(_Stated):
    """A memory module in its slot; an empty slot has type None."""

    slot: str
    channel: str | None = None
    type: str | None = None
    capacity_gib: Number | None = None
    speed_mts: Count | None = None
    """Transfers per second [MT/s]."""
    ranks: Count | None = None
    vendor: str | None = None


class DeclaredCpu(_Stated):
    """Processors; ``cores`` and ``threads`` count the whole server."""

    model: str | None = None
    sockets: Count | None = None
    cores: Count | None = None
    threads: Count | None = None
    clock_mhz: Number | None = None
    tdp_w: Number | None = None
    """Design power of one processor [W]."""


class DeclaredPrice(Record):
    """What the configuration cost."""

    amount: Number
    currency: str


class DeclaredCosts(Record):
    """What running it costs."""

    currency: str
    tariff_per_kwh: Number
    pue: Number
    life_years: Number


class DeclaredSupply(_Stated):
    """A power supply."""

    id: str
    rated_w: Number | None = None
    powered: bool = True
    efficiency_pct: dict[str, Number] = Field(default_factory=dict)
    """Efficiency [%] by load [% of the rating]."""


class DeclaredMemory(_Stated):
    """The memory population."""

    channels: Count | None = None
    slots_per_channel: Count | None = None
    slots: Document = Field(default_factory=dict)


class DeclaredPart(_Stated):
    """Parts of one model that are counted."""

    kind: str
    model: str
    count: Count
    capacity_tb: Number | None = None
    """Of each [TB]."""
    link_gbit_s: Number | None = None
    """Of each [Gbit/s]."""


class DeclaredConfiguration(_Stated):
    """A configuration as the bench file states it; what nothing is computed from is a document."""

    id: str | None = None
    title: str | None = None
    cpu: DeclaredCpu = DeclaredCpu()
    memory: DeclaredMemory | None = None
    psus: tuple[DeclaredSupply, ...] = ()
    disks: tuple[str, ...] = ()
    nics: tuple[str, ...] = ()
    parts: tuple[DeclaredPart, ...] = ()
    firmware: Document = Field(default_factory=dict)
    os: Document = Field(default_factory=dict)
    price: DeclaredPrice | None = None
    costs: DeclaredCosts | None = None

    @property
    def powered(self) -> tuple[DeclaredSupply, ...]:
        """Return the supplies that are switched on."""
        return tuple(supply for supply in self.psus if supply.powered)


class RecordedConfiguration(_Stated):
    """One concrete build of a server; what is not stated is None or empty."""

    id: str | None = None
    title: str | None = None
    cpu: str | None = None
    cpu_count: Count | None = None
    cores: Count | None = None
    """Of all processors together."""
    clock_mhz: Number | None = None
    memory_type: str | None = None
    memory_gib: Number | None = None
    dimm_count: Count | None = None
    modules: tuple[RecordedModule, ...] = ()
    accelerators: str | None = None
    psus: tuple[str, ...] = ()
    disks: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    """Counted parts in words; what is counted stands in ``declared``."""
    firmware: dict[str, str] = Field(default_factory=dict)
    os: str | None = None
    kernel: str | None = None
    framework: str | None = None
    submission: Document | None = None
    """The system as the submitter of an imported result describes it, word for word."""
    declared: DeclaredConfiguration = DeclaredConfiguration()

    @property
    def fitted(self) -> tuple[RecordedModule, ...]:
        """Return the slots that hold a DIMM."""
        return tuple(module for module in self.modules if module.type not in (None, PERSISTENT))

    def document(self) -> dict[str, Any]:
        """Return what is stated, as JSON has it."""
        return self.model_dump(mode="json")
