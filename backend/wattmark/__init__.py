"""The software of a power measurement appliance: full load, wall power, performance per watt with its uncertainty."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from wattmark.reading.readable import Readable


def read(source: str | PathLike[str], token: str | None = None) -> Readable:
    """Open the runs of an appliance's URL, a data folder, an archive or a Parquet archive, to read.

    ``token`` is for a service that requires one; without it, that of the variable WATTMARK_TOKEN. Raises
    `WattmarkError` where there is nothing that can be read.
    """
    from wattmark.reading.read import read as read_source  # every command imports this package

    return read_source(source, token)
