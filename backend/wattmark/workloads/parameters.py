"""What a bench may set of a workload's surroundings: the host of a database, the folder on a disk. Every parameter
has a kind, which says what its value may look like and what it could become.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from wattmark.core.inputs import WHOLE, Text
from wattmark.core.part import Argument, Part, Word

Name = Annotated[str, Field(pattern=r"^[a-z][a-z_]{1,31}$")]
ParameterKind = Literal["text", "integer", "size", "choice", "host", "port", "path", "account", "program"]
FORMS: Mapping[str, str] = {
    "text": r"[A-Za-z0-9_.][A-Za-z0-9_.+-]*",
    "integer": r"[0-9]{1,18}",
    "size": r"[0-9]{1,9}[KMGT]?",
    "choice": r"[A-Za-z0-9_.][A-Za-z0-9_.+-]*",
    "host": r"[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f]*:[0-9A-Fa-f:.]*\]|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*",
    "port": r"[0-9]{1,5}",
    "path": r"/?[A-Za-z0-9_.+@][A-Za-z0-9_.+@-]*(/[A-Za-z0-9_.+@][A-Za-z0-9_.+@-]*)*/?",
    "account": r"[A-Za-z_][A-Za-z0-9_.-]*",
    "program": r"[A-Za-z0-9/_.][A-Za-z0-9/_.+-]*",
}
"""What a value of each kind may look like, as a whole: none could be taken for an option, an address with more in it
than a host, or a list (fio takes ``:`` for one, libpq takes ``=`` for a connection).
"""
HARMLESS: frozenset[ParameterKind] = frozenset({"text", "integer", "size", "choice"})
"""Kinds whose values become no program, no file, no other user's rights and no place that something is sent to."""
ADDRESSES: frozenset[ParameterKind] = frozenset({"host", "port"})
"""Kinds that hold the destination of a load: harmless as long as no password is sent there."""
_NO_PLACE_FOR_FILES = ("dev", "proc", "sys")
LARGEST_PORT = 65_535


class Parameter(Part):
    """One value that goes into the argument list as {name}."""

    help: Word
    kind: ParameterKind
    default: Text | None = None
    """None: the bench file must give it."""
    pattern: Argument | None = None
    """The alphabet of a text, in the place of the usual one; of another kind, what narrows it further."""
    low: Annotated[int, Field(strict=True, ge=0), WHOLE] | None = None
    """Smallest value of an integer."""
    high: Annotated[int, Field(strict=True, ge=0), WHOLE] | None = None
    """Largest value of an integer."""
    choices: tuple[Word, ...] = ()
    """The values of a choice."""

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        if value is not None:
            re.compile(value)
        return value

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if {self.low is not None, self.high is not None} != {self.kind == "integer"}:
            raise ValueError("low and high only for a parameter of the kind integer")
        if (self.kind == "choice") != bool(self.choices):
            raise ValueError("choices only for a parameter of the kind choice")
        if self.default is not None and not self.accepts(self.default):
            raise ValueError(f"a default that is {self.allowed}")
        return self

    def accepts(self, value: str) -> bool:
        """Return whether a value may be used; invisible characters and a leading dash are refused."""
        if not value.isprintable() or value.startswith("-"):
            return False
        forms = [self.pattern] if self.kind == "text" and self.pattern else [FORMS[self.kind], self.pattern]
        return all(re.fullmatch(form, value) for form in forms if form) and self._within(value)

    @property
    def allowed(self) -> str:
        """Describe the allowed values, to follow "found ...; allowed:"."""
        match self.kind:
            case "integer":
                return f"a whole number from {self.low} to {self.high}"
            case "port":
                return f"a port from 1 to {LARGEST_PORT}"
            case "choice":
                return f"one of {', '.join(self.choices)}"
            case "path":
                return "a path of letters, digits and _ . + @ -, without .. and not in /dev, /proc or /sys"
        return f"a {self.kind} like {self.pattern or FORMS[self.kind]}"

    def _within(self, value: str) -> bool:
        match self.kind:
            case "integer":
                return (self.low or 0) <= int(value) <= (self.high or 0)
            case "port":
                return 1 <= int(value) <= LARGEST_PORT
            case "choice":
                return value in self.choices
            case "path":
                return _names_files(value)
        return True


def _names_files(value: str) -> bool:
    """Return whether a path can lead to files only: not devices, kernel files, or paths that lead up."""
    parts = [part for part in PurePosixPath(value).parts if part != "/"]
    rooted = value.startswith("/")
    return ".." not in parts and not (rooted and parts[:1] and parts[0] in _NO_PLACE_FOR_FILES)
