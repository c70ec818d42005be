"""The bench as it leaves the service."""

from __future__ import annotations

from typing import Literal

from wattmark.core.schema import Schema


class ModuleOut(Schema):
    """One memory module in its slot; an empty slot has type None."""

    slot: str
    channel: str
    type: str | None = None
    capacity_gib: float | None = None
    speed_mts: int | None = None
    ranks: int | None = None
    vendor: str | None = None


class ConfigurationOut(Schema):
    """A concrete build of a server."""

    id: str
    title: str
    cpu: str
    cpu_count: int
    cores: int | None
    clock_mhz: float | None
    memory_type: str | None
    memory_gib: float | None
    dimm_count: int | None
    modules: list[ModuleOut]
    psus: list[str]
    disks: list[str]
    parts: list[str] = []
    """Counted parts: "4 × Intel S3500, 0.48 TB"."""
    firmware: dict[str, str]
    os: str
    kernel: str


class ServerOut(Schema):
    """A machine under test with its configurations."""

    id: str
    title: str
    configurations: list[ConfigurationOut]
    meters: list[str]
    bmcs: list[str]


class MeterOut(Schema):
    """A meter or BMC as the bench file names it."""

    id: str
    model: str
    title: str
    role: Literal["wall", "secondary", "bmc"]
    connection: str
    server: str | None
    feeds: list[str]
    simulated: bool
    indicative: bool
    period_s: float
    averaging_s: float | None
    """Averaging time of one reading [s]; null: since the previous reading, or not averaged."""
    accuracy: str | None
    accuracy_source: str | None


class PlanOut(Schema):
    """A plan and what it would do."""

    name: str
    configurations: list[str]
    workloads: list[str]
    repeats: int
    runs: int
    expected_s: float
    hot_servers: list[str]
    """Machines that will be driven to full load."""
    problem: str | None = None
    """Reason why it cannot start now."""
    calendar: str | None = None
    """When the service queues it by itself."""
    reference: bool = False
    """Whether its results go on a control chart."""


class BenchOut(Schema):
    """The bench: servers, meters, plans."""

    file: str | None
    """None: no bench file has been written yet."""
    version: str = ""
    """Version of the file; a change names the version that it is based on."""
    lab: str
    servers: list[ServerOut]
    meters: list[MeterOut]
    plans: list[PlanOut]
