"""Orders and answers of the form in which a workload is made from what its program prints."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wattmark.core.inputs import REAL, VERBATIM, WHOLE, Input
from wattmark.core.part import Identifier, Word
from wattmark.core.schema import Schema
from wattmark.workloads.declaration import Unit
from wattmark.workloads.parsers.parsers import Reports

MOST_OUTPUT = 100_000
"""Characters of an output that is shown to make a parser."""
MOST_ERRORS = 20
Place = Annotated[int, Field(ge=0, le=MOST_OUTPUT), WHOLE]


class MarkingIn(Input):
    """A part of a line of the output: line and characters from 0, ``end`` excluded."""

    line: Place
    begin: Place
    end: Place


class NewWorkload(Input):
    """What a workload is besides its parser."""

    id: Identifier
    title: Word
    command: Word
    """As in a shell, whose quotes are read; no shell runs it."""


class ParserOrder(Input):
    """An output of a program, and what a person marked in it."""

    output: Annotated[str, Field(min_length=1, max_length=MOST_OUTPUT), VERBATIM]
    unit: Unit
    reports: Reports
    figure: MarkingIn
    errors: tuple[MarkingIn, ...] = Field(default=(), max_length=MOST_ERRORS)
    """Counts of errors, which must be 0, and texts that must not appear."""
    scale: Annotated[float, Field(gt=0), REAL] = 1.0
    workload: NewWorkload | None = None
    """None: only the parser is made."""


class ReadLineOut(Schema):
    """A line in which the figure was found, and where."""

    line: int
    begin: int
    end: int
    value: float


class MadeParser(Schema):
    """A parser, what it finds in the output, and the entry of the bench file with it."""

    pattern: str
    fails_on: str | None
    lines: list[ReadLineOut]
    failure: str | None
    """Why a run that prints this output would fail."""
    entry: str | None
    """YAML for ``workloads`` of the bench file; None until name, title and command are there."""


class WorkloadTry(Input):
    """How to try a workload."""

    level: Annotated[int, Field(ge=1, le=1_000_000_000), WHOLE] | None = None
    """None: full load."""
    seconds: Annotated[float, Field(ge=1, le=60), REAL] = 10.0


class WorkloadTried(Schema):
    """What a try gave, in words, and work per second of each interval."""

    statement: str
    level: str
    throughput: float
    throughput_unit: str
    window_s: float
    intervals: list[float]
    remarks: list[str]
