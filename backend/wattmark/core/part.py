"""The base of everything that is declared in YAML, and the words that declarations are made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from wattmark.core.inputs import FILLED_LINE, LINE, VERBATIM, Input

IDENTIFIER = r"^[A-Za-z0-9][A-Za-z0-9._+-]*$"
Identifier = Annotated[str, Field(pattern=IDENTIFIER, max_length=64)]
"""A name that is safe in file names, addresses and argument lists: it never begins with a dash."""
RUN_NAME = r"[A-Za-z0-9][A-Za-z0-9 ._+-]*"
"""Names of runs that an archive may hold: safe in addresses, headers and file names."""
_WORD = Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")
Word = Annotated[str, _WORD, FILLED_LINE]
"""One line of text that says something."""
Argument = Annotated[str, _WORD, VERBATIM]
"""An argument of a program or a pattern, taken as it is: only a NUL would cut it off."""
Argv = Annotated[tuple[Argument, ...], Field(min_length=1)]
VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
Variable = Annotated[str, Field(pattern=VARIABLE), LINE]
"""Name of an environment variable."""


class Part(Input):
    """Base of everything that is declared in YAML: unknown keys are errors, values do not change."""

    model_config = ConfigDict(frozen=True)
