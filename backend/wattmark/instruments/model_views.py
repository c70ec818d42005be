"""Meter models as they leave the service: what a person needs to choose and connect one."""

from __future__ import annotations

from typing import Literal

from wattmark_drivers.catalogue.protocol_map import MeasuredQuantity
from wattmark_drivers.connection.fields import Field, Value
from wattmark_drivers.connection.settings import LogIn

from wattmark.core.inputs import Input, Scalar, Text
from wattmark.core.schema import Schema


class ModelHeadOut(Schema):
    """A model in the list of models."""

    id: str
    title: str
    maker: str
    model: str
    kind: str
    """What sort of device it is, in words."""
    engine: str
    section: Literal["meters", "bmcs"]
    """The section of the bench that an entry for it belongs to."""
    transports: list[str]
    interfaces: list[str]
    """The ways to reach it, in words."""
    indicative: bool
    needs: str | None
    """The extra of the installation that it needs; None: a plain one does."""
    missing: str | None
    """How to install what it needs and what is not there; None: nothing is missing."""


class ModelsOut(Schema):
    """All models that this installation knows."""

    models: list[ModelHeadOut]


class TransportOut(Schema):
    """A way to reach the model, with the fields of its address."""

    scheme: str
    title: str
    example: str
    fields: list[Field]
    needs: str | None
    missing: str | None
    confirmed: bool
    """False: no source confirms the factory settings that stand as defaults."""


class ModelRangeOut(Schema):
    """A measuring range."""

    id: str
    power_w: float
    voltage_v: float | None
    current_a: float | None
    note: str


class LimitOut(Schema):
    """What the maker's limit of error of power amounts to at a load."""

    power_w: float
    limit_w: float
    range: str | None
    """The range that it holds for: the smallest that takes the load."""


class ModelLimitOut(Schema):
    """A model's limit of error of power, in words and at a load."""

    id: str
    accuracy: str | None
    """Its terms; None where no source states any."""
    energy_class: str | None
    """Accuracy class of its active energy; None where it has none."""
    limit: LimitOut | None
    """None where none is known, or it needs voltage and current."""


class ModelLimitsOut(Schema):
    """Limits of error of all models at a load."""

    power_w: float
    models: list[ModelLimitOut]


class ModelOut(Schema):
    """A model with its connection forms and its declaration."""

    head: ModelHeadOut
    firmware: str
    transports: list[TransportOut]
    log_in: LogIn
    range: Field | None
    options: list[Field]
    conditions: list[Field]
    """Fields of ``conditions`` of a meter of the bench; empty for a BMC."""
    timing: list[Field]
    """Fields of a meter of the bench about when a reading was taken; empty for a BMC."""
    period_s: float
    """How often the model has a new value [s]; a good period to poll it with."""
    pushes: bool
    value: str
    """How a value relates to time: averaged, instantaneous or counter."""
    averaging_s: float | None
    """Averaging time of one reading [s]; null: since the previous reading, or not averaged."""
    accuracy: str | None
    accuracy_source: str | None
    limits: list[LimitOut]
    """The limit of error at loads as servers have them; empty where none is known or it needs voltage and current."""
    ranges: list[ModelRangeOut]
    channels: list[MeasuredQuantity]
    """Empty where the device itself lists them."""
    quirks: list[str]
    manual: str | None
    unconfirmed: list[str]


class AddressFields(Input):
    """The fields of an address and the way that they belong to."""

    scheme: Text
    fields: dict[Text, Scalar | None]


class AddressOut(Schema):
    """An address, in one text and in its fields."""

    url: str
    scheme: str
    fields: dict[str, Value | None]


class AddressText(Input):
    """An address in one text."""

    url: Text
