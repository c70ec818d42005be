"""Mappings of CSV files as they come to and leave the service."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from wattmark.core.amounts import Decimal
from wattmark.core.errors import InputError
from wattmark.core.inputs import FILE_NAME, VERBATIM, WHOLE, Input
from wattmark.importers.csv_mapping.mapping import CsvMapping, Delimiter, Encoding
from wattmark.importers.csv_mapping.proposal import Proposal, TextForm
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


class ProposalOut(Proposal):
    """How a file seems to be written; a person confirms it. The time zone is never proposed."""

    units: dict[str, tuple[str, ...]]
    """The units of each quantity."""
    fitting: tuple[str, ...]
    """Names of kept mappings that were made for such a file."""


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


def proposal_out(proposal: Proposal, fitting: Sequence[str]) -> ProposalOut:
    """Build the view of a proposal."""
    units = {quantity: tuple(units) for quantity, units in UNITS.items()}
    return ProposalOut(**dict(proposal), units=units, fitting=tuple(fitting))
