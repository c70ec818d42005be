"""Options for facts that a log does not contain itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wattmark.importers.importer import Precision

Zone = Annotated[
    str | None, typer.Option("--zone", help="Time zone of stamps that name none, such as UTC or Europe/Berlin.")
]
Power = Annotated[
    str | None,
    typer.Option(
        "--power",
        help="Series of a log that is the power of the server, such as 'modbus,name=pdu power' or a column's heading.",
    ),
]
PrecisionOf = Annotated[
    Precision | None, typer.Option("--precision", help="Unit of Unix stamps that do not prove theirs.")
]
Begin = Annotated[
    str | None,
    typer.Option("--begin", help="Date, or date and time, of the first line of a log without: 2025-12-31T14:30:00."),
]
Round = Annotated[str | None, typer.Option("--round", help='Round of results whose path names none, as "v1.1".')]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="Where the part of a log that counts begins: seconds from the log's start, or 2025-12-31T14:30:00 (in its "
        "zone, or with Z or +02:00).",
    ),
]
To = Annotated[str | None, typer.Option("--to", help="Where that part ends.")]
Phases = Annotated[
    Path | None,
    typer.Option("--phases", help="Table with the columns name, from, to: parts of a log, a run for each."),
]
