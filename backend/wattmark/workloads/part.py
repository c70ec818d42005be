"""The base of everything that is declared in YAML, and the words that declarations are made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from wattmark.given import AsGiven, Given

IDENTIFIER = r"^[A-Za-z0-9][A-Za-z0-9._+-]*$"
Identifier = Annotated[str, Field(pattern=IDENTIFIER, max_length=64)]
"""A name that is safe in file names, addresses and argument lists: it never begins with a dash."""
Word = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]
"""One line of text that says something."""
Argument = Annotated[Word, AsGiven()]
"""An argument of a program or a pattern, taken as it is: only a NUL would cut it off."""
Argv = Annotated[tuple[Argument, ...], Field(min_length=1)]


class Part(Given):
    """Base of everything that is declared in YAML: unknown keys are errors, values do not change."""

    model_config = ConfigDict(frozen=True)
