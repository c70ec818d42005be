"""What is read from a device that gives JSON over HTTP: paths, JSON pointers and the login that the device requires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.protocol_map import DeclaredChannel, ProtocolMap
from wattmark_drivers.catalogue.source import Declared

Login = Literal["none", "basic", "digest", "arguments"]
"""``arguments``: user and password are arguments of the request, as Tasmota wants it."""


class HttpValue(DeclaredChannel):
    """One channel: value in ``unit`` = number x ``scale``. ``{output}`` in the pointer is the output of the address.

    Where the pointer leads to a list, the device gives one number per output, from the first.
    """

    pointer: str = Field(pattern=r"^/")
    scale: float = 1.0
    listed_with: str | None = None
    """A pointer; where it leads to a list and the value's own does not, the number is the sum of all outputs."""
    shared: bool = False
    """True where one number outside any list is for all outputs; else it is the first output's."""
    invalid: tuple[float, ...] = ()
    """Numbers that stand for "no value"."""


class HttpFlag(Declared):
    """Something the device says about its readings: a list that contains a word, or a property that is just that."""

    pointer: str = Field(pattern=r"^/")
    says: str | bool
    quality: Literal["invalid", "over-range", "relay-off"]
    """``relay-off``: the output is switched off, so that any power of it is no measurement."""
    channels: tuple[str, ...] = ()
    """Whom it concerns; empty: every channel of the request."""


class JsonValues(Declared):
    """What is read from one JSON document."""

    flags: tuple[HttpFlag, ...] = ()
    values: tuple[HttpValue, ...] = Field(min_length=1)

    @property
    def of_one_output(self) -> bool:
        """Return whether the request names the output, so that the document is about it alone."""
        return False

    @model_validator(mode="after")
    def _channels_are_told_apart(self) -> Self:
        channels = [value.channel for value in self.values]
        if len(channels) > len(set(channels)):
            raise ValueError("two values have the same channel")
        for flag in self.flags:
            if set(flag.channels) - set(channels):
                raise ValueError(f"the flag {flag.says} refers to channels that its request does not have")
        return self


class HttpRequest(JsonValues):
    """One GET; ``{output}`` in the path is the output of the address."""

    path: str = Field(pattern=r"^/[!-~]*$")
    not_there: str = ""
    """What the device is, and what to do, where it refuses this request with an error (a profile that lacks it)."""
    output_at: str | None = None
    """Where the answer repeats the output; another one is no answer to this request."""

    @property
    def of_one_output(self) -> bool:
        return "{output}" in self.path


class HttpIdentity(Declared):
    """Where the device tells who it is; asked once."""

    path: str = Field(pattern=r"^/[!-~]*$")
    serial: str | None = None
    firmware: str | None = None
    product: str | None = None
    """Where the device tells which product it is; a refusal names it."""
    products: tuple[str, ...] = ()
    """The products that are measured as declared, and no others; empty: any that has power."""

    @property
    def tells_product_alone(self) -> bool:
        """Return whether the identity consists of the product alone."""
        return self.serial is None and self.firmware is None

    @model_validator(mode="after")
    def _products_are_told(self) -> Self:
        if self.products and self.product is None:
            raise ValueError("products need the pointer to what the device is")
        return self


class HttpMap(ProtocolMap):
    """Everything the engine of HTTP plugs needs. A new plug is one declaration."""

    schemes: ClassVar = ("http", "https")
    engine: Literal["http"]
    login: Login = "none"
    username: str = "admin"
    """The user's name where the bench file gives only a password."""
    denied: str | None = None
    """A pointer to words that stand in an answer only when the device refuses the login."""
    first_output: int = Field(default=0, ge=0)
    outputs: int = Field(default=1, ge=1)
    requests: tuple[HttpRequest, ...] = Field(min_length=1)
    identity: tuple[HttpIdentity, ...] = ()

    @property
    def measured(self) -> Sequence[HttpValue]:
        """List the values of all requests."""
        return [value for request in self.requests for value in request.values]

    @model_validator(mode="after")
    def _channels_are_told_apart(self) -> Self:
        names = [value.channel for value in self.measured]
        if len(names) > len(set(names)):
            raise ValueError("two values have the same channel")
        return self
