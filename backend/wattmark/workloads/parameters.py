"""What a bench may say about a workload's surroundings: the host of a database, the address of a page."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from wattmark.workloads.part import Argument, Part, Word

PLAIN = r"[A-Za-z0-9/_.][A-Za-z0-9/_.:,@%+=?&~-]*"
"""Nothing that could be taken for an option: it does not begin with a dash and holds no blanks."""
Name = Annotated[str, Field(pattern=r"^[a-z][a-z_]{1,31}$")]


class Parameter(Part):
    """One value that goes into the argument list as {name}."""

    help: Word
    default: str | None = None
    """None: the bench file must give it."""
    pattern: Argument = PLAIN
    """What it may look like, as a whole."""

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        re.compile(value)
        return value

    @model_validator(mode="after")
    def _default_fits(self) -> Self:
        if self.default is not None and not self.accepts(self.default):
            raise ValueError(f"a default that fits the pattern {self.pattern}")
        return self

    def accepts(self, value: str) -> bool:
        """Tell whether a value may be used; signs that cannot be seen never may."""
        return value.isprintable() and re.fullmatch(self.pattern, value) is not None
