"""What to simulate: the servers with their load models, and the devices that measure them."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from wattmark_drivers.catalogue import Declaration, load_catalogue
from wattmark_drivers.catalogue.http_map import HttpMap
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators.load_model import ServerModel
from wattmark_drivers.simulators.mains import Mains
from wattmark_drivers.simulators.psu import EFFICIENCY_CURVES, PsuModel
from wattmark_drivers.simulators.thermal import ThermalModel

REMEDY = "The README of the simulators describes the format."
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
Curve = tuple[tuple[float, float], ...]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _named_curve(value: object) -> object:
    if not isinstance(value, str):
        return value
    if value not in EFFICIENCY_CURVES:
        raise ValueError(f"there is no curve named {value}; there are {', '.join(EFFICIENCY_CURVES)}")
    return EFFICIENCY_CURVES[value]


class PsuSpec(_Part):
    """The supplies of a server, all of one kind."""

    rated_w: float = Field(default=750.0, gt=0)
    curve: Annotated[Curve, BeforeValidator(_named_curve)] = EFFICIENCY_CURVES["80plus-bronze"]
    """The name of a curve, or points (load fraction, efficiency)."""
    no_load_w: float = Field(default=8.0, ge=0)
    powered: int = Field(default=2, ge=1, le=9)
    shares: tuple[float, ...] | None = None
    """Part of the load that each powered supply carries; equal when not given."""


class ServerSpec(_Part):
    """One simulated server; see `ServerModel` for what the numbers mean."""

    idle_w: float = Field(gt=0)
    dynamic_w: float = Field(ge=0)
    dynamic_exponent: float = Field(default=0.9, gt=0)
    dimm_w: float = Field(default=5.5, ge=0)
    dimm_load_share: float = Field(default=0.1, ge=0, le=1)
    dimms: int = Field(ge=0)
    """DIMMs in place at the start."""
    dimm_slots: int = Field(default=16, ge=1, le=1024)
    dimm_counts: tuple[int, ...] = (2, 4, 8)
    """Counts over which the planted watts per DIMM are computed: those of the campaign."""
    psu: PsuSpec = PsuSpec()
    mains_v: float = Field(default=230.0, ge=90, le=280)
    mains_hz: float = Field(default=50.0, ge=45, le=65)
    inlet_c: float = Field(default=23.0, ge=0, le=60)

    def model(self) -> ServerModel:
        """Build the load model. Raises ValueError for contradicting numbers."""
        return ServerModel(
            idle_w=self.idle_w,
            dynamic_w=self.dynamic_w,
            psu=PsuModel(self.psu.rated_w, self.psu.curve, self.psu.no_load_w),
            dynamic_exponent=self.dynamic_exponent,
            dimm_w=self.dimm_w,
            dimm_load_share=self.dimm_load_share,
            psus_powered=self.psu.powered,
            psu_shares=self.psu.shares,
        )

    def mains(self) -> Mains:
        return Mains(self.mains_v, self.mains_hz)

    def thermal(self) -> ThermalModel:
        return ThermalModel(inlet_c=self.inlet_c)

    @model_validator(mode="after")
    def _supplies_carry_all_slots(self) -> Self:
        if max(self.dimms, *self.dimm_counts) > self.dimm_slots:
            raise ValueError(f"dimms and dimm_counts must not exceed dimm_slots, {self.dimm_slots}")
        self.model().wall_power_w(1.0, self.dimm_slots)
        self.model().watts_per_dimm_at_wall(self.dimm_counts)
        return self


class Feed(NamedTuple):
    """What one input of a device measures: a whole server (``psu`` None) or one of its supplies, counted from 1."""

    server: str
    psu: int | None


def _parse_feed(value: object) -> object:
    match = re.fullmatch(r"([\w.-]+)(?:/psu([1-9]))?", value) if isinstance(value, str) else None
    if match is None:
        raise ValueError('a feed is written "SERVER" or "SERVER/psu1"')
    return Feed(match[1], int(match[2]) if match[2] else None)


class DeviceSpec(_Part):
    """One simulated device: a model of the catalogue and what it measures."""

    model: str
    measures: tuple[Annotated[Feed, BeforeValidator(_parse_feed)], ...] = Field(min_length=1)
    """Feeds. A single-phase meter adds them up; a three-phase meter has one per phase, from L1."""
    port: int = Field(default=0, ge=0, le=65535)
    """TCP or UDP port on the loopback address; 0 takes any free one."""
    transport: Literal["tcp", "rtu", "rtu-tcp", "serial"] | None = None
    """How a Modbus model is reached: TCP (when not given), RTU on a pseudo-terminal, or RTU over TCP; an analyser: TCP
    (when not given) or a serial port on a pseudo-terminal."""
    latency_s: float = Field(default=0.0, ge=0, le=10)
    """How much later than the end of its averaging time the device shows a value [s], to the step of the lab."""
    line: Name | None = None
    """Modbus devices with the same line share its pseudo-terminal or port."""
    unit: int | None = Field(default=None, ge=1, le=247)
    """Modbus unit id; the first free one on its line if omitted."""
    password: bool = True
    """Whether a plug asks for one, where its model can; False as most are shipped."""

    def declaration(self) -> Declaration:
        """Find the model's declaration. Raises ValueError for an unknown one."""
        catalogue = load_catalogue()
        if self.model not in catalogue:
            raise ValueError(f"there is no model named {self.model}; the catalogue has {', '.join(catalogue)}")
        return catalogue[self.model]

    @model_validator(mode="after")
    def _model_can_measure_that(self) -> Self:
        protocol = self.declaration().protocol
        if 1 < protocol.phase_count < len(self.measures):
            raise ValueError(f"{self.model} has {protocol.phase_count} phases but measures {len(self.measures)} feeds")
        if protocol.whole_server and (len(self.measures) > 1 or self.measures[0].psu is not None):
            raise ValueError("a BMC measures exactly one whole server")
        return self

    @model_validator(mode="after")
    def _model_can_be_reached_that_way(self) -> Self:
        if not self.password and not isinstance(self.declaration().protocol, HttpMap):
            raise ValueError(f"{self.model} is no plug, and only a plug can be without a password")
        on_a_line = self.transport or self.line or self.unit
        if isinstance(self.declaration().protocol, ScpiMap):
            self._check_analyser()
            return self
        if on_a_line and not isinstance(self.declaration().protocol, ModbusMap):
            raise ValueError(f"{self.model} has no transport, line or unit: only Modbus models have them")
        if self.transport and self.declaration().transport(f"modbus-{self.transport}") is None:
            raise ValueError(f"{self.model} does not support modbus-{self.transport}")
        if self.transport == "rtu" and self.port:
            raise ValueError("a pseudo-terminal has no port")
        return self

    def _check_analyser(self) -> None:
        if self.transport not in (None, "tcp", "serial") or self.line or self.unit:
            raise ValueError(f"{self.model} is reached by tcp or serial, and has no line or unit")
        if self.transport == "serial" and self.port:
            raise ValueError("a pseudo-terminal has no port")


class LabSpec(_Part):
    """Everything that one simulator process serves."""

    seed: int = Field(default=1, ge=0)
    """Seed of meter errors, noise and energy registers; CPU utilisation is always the machine's own."""
    tick_s: float = Field(default=0.2, ge=0.1, le=0.25)
    servers: dict[Name, ServerSpec] = Field(min_length=1)
    devices: dict[Name, DeviceSpec]

    @model_validator(mode="after")
    def _feeds_exist(self) -> Self:
        for name, device in self.devices.items():
            for feed in device.measures:
                if feed.server not in self.servers:
                    raise ValueError(f"device {name} measures {feed.server}, which is not among the servers")
                if feed.psu is not None and feed.psu > self.servers[feed.server].psu.powered:
                    raise ValueError(f"device {name} measures PSU {feed.psu} of {feed.server}, which is not powered")
        return self

    @model_validator(mode="after")
    def _lines_are_of_one_kind(self) -> Self:
        lines: dict[str, list[DeviceSpec]] = {}
        for name, device in self.devices.items():
            if device.line is not None or device.transport == "rtu":
                lines.setdefault(device.line or name, []).append(device)
        for line, devices in lines.items():
            if len({(device.transport or "tcp", device.port) for device in devices}) > 1:
                raise ValueError(f"the devices on line {line} have different transports or ports")
            units = [device.unit for device in devices if device.unit is not None]
            if len(units) > len(set(units)):
                raise ValueError(f"two devices on line {line} have the same unit")
        return self


def parse_spec(document: str | bytes | dict[str, Any]) -> LabSpec:
    """Parse a specification given as JSON text or as Python data. Raises `ConfigurationError`."""
    try:
        if isinstance(document, dict):
            return LabSpec.model_validate(document)
        return LabSpec.model_validate_json(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the specification"
        raise ConfigurationError(f"{place}: {first['msg'].removeprefix('Value error, ')}.", REMEDY) from None
