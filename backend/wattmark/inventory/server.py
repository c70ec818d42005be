"""A server: a machine under test, how to reach it and how to change its configuration."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from wattmark.inventory.configuration import Configuration
from wattmark.workloads.part import Identifier, Part, Word
from wattmark.workloads.placeholders import well_spelt

PREPARE_PLACEHOLDERS = ("server", "configuration", "dimm_count")


class Access(Part):
    """How workloads are started: on this machine."""

    local: Literal[True]


class PrepareCommand(Part):
    """A program that puts a server into a configuration; an argument list, never a shell line."""

    command: tuple[Annotated[Word, AfterValidator(well_spelt(PREPARE_PLACEHOLDERS))], ...] = Field(min_length=1)
    timeout_s: float = Field(default=300.0, gt=0, le=86_400)


def _form(value: Any) -> str:
    return "as-command" if isinstance(value, dict | PrepareCommand) else "as-word"


Prepare = Annotated[
    Annotated[Literal["manual"], Tag("as-word")] | Annotated[PrepareCommand, Tag("as-command")], Discriminator(_form)
]


class Server(Part):
    """A machine under test."""

    id: Identifier
    title: str = ""
    access: Access
    configurations: tuple[Configuration, ...] = Field(min_length=1)
    prepare: Prepare | None = None
    """What happens before the first run of each configuration: "manual" waits for the operator."""
