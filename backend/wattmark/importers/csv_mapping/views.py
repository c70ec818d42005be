"""Mappings of CSV files as they come to and leave the service."""

from __future__ import annotations

import base64
import binascii
from dataclasses import asdict
from typing import Annotated

from pydantic import Field

from wattmark.core.amounts import Decimal
from wattmark.core.errors import InputError
from wattmark.core.inputs import FILE_NAME, VERBATIM, WHOLE, Input
from wattmark.core.schema import Schema
from wattmark.importers.csv_mapping.mapping import CsvMapping, Delimiter, Encoding
from wattmark.importers.csv_mapping.proposal import Proposal, TextForm
from wattmark.importers.csv_mapping.trial import Trial
from wattmark.importers.csv_mapping.units import UNITS

FileName = Annotated[str, Field(min_length=1, max_length=200), FILE_NAME]


class CsvHeadIn(Input):
    """The first bytes of a file."""

    head: Annotated[str, Field(max_length=200_000, pattern=r"^[A-Za-z0-9+/=]*$"), VERBATIM]
    """In base64; at most 150 kB, cut anywhere."""
    whole: bool = False
    """Whether these are all."""
    file_name: FileName


class CsvProposalIn(CsvHeadIn):
    """The first bytes of a file, and how a person says that it is written; None: as it seems."""

    encoding: Encoding | None = None
    delimiter: Delimiter | None = None
    decimal: Decimal | None = None
    header_rows: Annotated[int, Field(ge=0, le=100), WHOLE] | None = None

    @property
    def written(self) -> TextForm:
        """Return what was said about how it is written."""
        return TextForm(self.encoding, self.delimiter, self.decimal, self.header_rows)


class CsvTrialIn(CsvHeadIn):
    """A mapping, to be tried on the first bytes of a file."""

    mapping: CsvMapping


class ProposedColumnOut(Schema):
    """A column, and what it seems to hold."""

    name: str
    cells: list[str]
    quantity: str | None
    """None: nothing is proposed."""
    unit: str
    is_number: bool


class ProposalOut(Schema):
    """How a file seems to be written; a person confirms it. The time zone is never proposed."""

    encoding: str
    delimiter: str
    decimal: Decimal
    header_rows: int
    columns: list[ProposedColumnOut]
    time_columns: list[int]
    formats: list[str]
    """More than one where day and month cannot be distinguished."""
    rows: list[list[str]]
    """The first rows, header included."""
    units: dict[str, list[str]]
    """The units of each quantity."""
    fitting: list[str]
    """Names of kept mappings that were made for such a file."""


class MeterMeanOut(Schema):
    """Mean of a meter's readings of power."""

    meter: str
    readings: int
    mean_w: float


class TriedLineOut(Schema):
    """A line that was not understood."""

    line: int
    text: str
    why: str


class TrialOut(Schema):
    """What a mapping makes of the first lines of a file."""

    heads: list[str]
    rows: list[list[str | float | None]]
    count: int
    begin: str | None
    end: str | None
    span_s: float | None
    means: list[MeterMeanOut]
    notes: list[str]
    unread: int
    unread_lines: list[TriedLineOut]


def head_of(order: CsvHeadIn) -> bytes:
    """Decode the first bytes of a file; a line that was cut is excluded. Raises `InputError`."""
    try:
        head = base64.b64decode(order.head, validate=True)
    except (binascii.Error, ValueError):
        raise InputError("The first bytes of the file are not base64.", "Send them again.") from None
    if order.whole:
        return head
    lines, newline, _ = head.rpartition(b"\n")
    return lines + newline if newline else head


def proposal_out(proposal: Proposal, fitting: list[str]) -> ProposalOut:
    """Build the view of a proposal."""
    return ProposalOut(
        encoding=proposal.encoding,
        delimiter=proposal.delimiter,
        decimal=proposal.decimal,
        header_rows=proposal.header_rows,
        columns=[
            ProposedColumnOut.model_validate(asdict(column) | {"cells": [*column.cells]}) for column in proposal.columns
        ],
        time_columns=[*proposal.time_columns],
        formats=[*proposal.formats],
        rows=[[*row] for row in proposal.rows],
        units={quantity: [*units] for quantity, units in UNITS.items()},
        fitting=fitting,
    )


def trial_out(trial: Trial) -> TrialOut:
    """Build the view of a trial."""
    return TrialOut(
        heads=[*trial.heads],
        rows=[[*row] for row in trial.rows],
        count=trial.count,
        begin=trial.begin,
        end=trial.end,
        span_s=trial.span_s,
        means=[MeterMeanOut(meter=m.meter, readings=m.readings, mean_w=m.mean_w) for m in trial.means],
        notes=[*trial.notes],
        unread=trial.unread.count,
        unread_lines=[TriedLineOut(line=line.line, text=line.text, why=line.why) for line in trial.unread.first],
    )
