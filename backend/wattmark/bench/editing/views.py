"""The bench file and its changes as they leave the service."""

from __future__ import annotations

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from wattmark.core.part import Part
from wattmark.core.schema import Record, Schema


class ShapedAs:
    """Plain data whose schema is that of a part of the bench; the check of the whole bench is what judges it."""

    def __init__(self, part: type[Part]) -> None:
        self._part = part

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Show the schema of the part."""
        return handler(self._part.__pydantic_core_schema__)


class MistakeOut(Schema):
    """Something wrong with a change."""

    path: list[str | int] | None
    """Steps to the field in what was sent; empty: all of it; None: the mistake stands elsewhere in the bench file."""
    where: str
    """Its place in the bench file, such as "meters[0].url"."""
    line: int | None
    """Its line in a text that was sent; None for an entry."""
    message: str


class SourceOut(Schema):
    """The text of the bench file as it is on disk now."""

    version: str
    file: str
    exists: bool
    """False while nobody has written a bench: the text is then what the first change begins with."""
    in_force: bool
    """Whether the service works with this text; False when the file was changed by hand since."""
    text: str


class EditOut(Schema):
    """A change of the bench file, made or tried."""

    version: str
    """Version of the file after the change, or that it would have."""
    written: bool
    change: str
    diff: str
    """The change of the text as a unified diff, to administrators with `notify`; empty: it shows no change."""
    started: list[str] = []
    """Meters and BMCs whose polling began."""
    stopped: list[str] = []
    """Meters and BMCs whose polling ended; one that was changed is in both lists."""


class ChangeHead(Record):
    """A change that was made."""

    number: int
    at_s: float
    """Unix seconds."""
    change: str
    by: str
    """Who made it; empty where that was not noted."""


class ChangeOut(ChangeHead):
    """A change as the list shows it."""

    undone: bool
    """Whether it was taken back, or takes one back."""


class ChangesOut(Schema):
    """The recorded changes, newest first."""

    version: str
    changes: list[ChangeOut]
    undo: int | None
    """The number of the change that undo takes back next; None where there is none, or the file was changed by hand."""


class SecretOut(Schema):
    """Where a password was stored; it is never returned."""

    password_file: str
