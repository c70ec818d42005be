"""The fields that an address is made of, and their place in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import pydantic

Kind = Literal["text", "host", "integer", "number", "choice", "switch", "serial-port", "file", "folder"]
Place = Literal["host", "port", "name", "path", "query", "setting"]
"""``name`` is in the place of a host without being one; ``setting`` is not a part of the address."""
Value = str | int | float | bool
SENT_WHOLE = pydantic.ConfigDict(json_schema_serialization_defaults_required=True)
"""What is sent has every field, so that who reads it need not know the defaults."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form. ``default`` is the value used when the field is empty."""

    __pydantic_config__ = SENT_WHOLE

    name: str
    label: str
    kind: Kind
    place: Annotated[Place, pydantic.Field(exclude=True)]
    """Not sent: who fills the form does not write the address."""
    required: bool = False
    default: Value | None = None
    choices: tuple[Value, ...] = ()
    low: float | None = None
    high: float | None = None
    unit: str = ""
    help: str = ""
