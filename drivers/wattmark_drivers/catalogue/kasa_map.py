"""What is read from a TP-Link plug or strip: questions of its own protocol, and JSON pointers into the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.protocol_map import DeclaredChannel, ProtocolMap
from wattmark_drivers.catalogue.source import Declared

Dialect = Literal["iot", "smart"]
"""``iot``: modules with commands (Kasa); ``smart``: methods (Tapo, later Kasa)."""
Cipher = Literal["xor", "klap1", "klap2", "aes"]
"""How the conversation is protected. xor is no protection; klap1 and klap2 differ in how they hash the login."""


class KasaPlace(Declared):
    """Where a firmware puts a number, and the factor to the channel's unit."""

    pointer: str = Field(pattern=r"^/")
    scale: float = Field(default=1.0, gt=0)


class KasaValue(DeclaredChannel):
    """One channel; firmwares differ in the place, so the first that holds a number at `open` is read from then on."""

    places: tuple[KasaPlace, ...] = Field(min_length=1)


class KasaMap(ProtocolMap):
    """Everything the engine of TP-Link plugs needs. A new plug is one declaration."""

    schemes: ClassVar = ("kasa",)
    engine: Literal["kasa"]
    dialect: Dialect
    ciphers: tuple[Cipher, ...] = Field(min_length=1)
    """Those that firmwares of the model use; the first is taken where the address names none."""
    models: tuple[str, ...] = Field(min_length=1)
    """What the device calls itself, without the region in brackets."""
    outlets: int = Field(default=1, ge=1)
    requests: tuple[str, ...] = Field(min_length=1)
    """What is asked at each poll: ``MODULE/COMMAND`` in the dialect iot, a method in the dialect smart."""
    values: tuple[KasaValue, ...] = Field(min_length=1)

    @property
    def measured(self) -> Sequence[KasaValue]:
        """List the values."""
        return self.values

    @model_validator(mode="after")
    def _is_of_one_dialect(self) -> Self:
        if any(("/" in request) != (self.dialect == "iot") for request in self.requests):
            raise ValueError(f"a request is not one of the dialect {self.dialect}")
        names = [value.channel for value in self.values]
        if len(names) > len(set(names)):
            raise ValueError("two values have the same channel")
        return self
