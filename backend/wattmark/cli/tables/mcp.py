"""`wattmark mcp`: answer questions of an agent about stored runs, read-only."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.cli.console.options import data_dir
from wattmark.reading.mcp_server import mcp_server
from wattmark.reading.read import read


def mcp(
    place: Annotated[
        str | None,
        typer.Argument(
            metavar="PLACE",
            help="Address of a service, data folder, archive or Parquet archive. Default: WATTMARK_DATA_DIR or "
            "~/.local/share/wattmark. WATTMARK_TOKEN holds a token if the service requires one.",
        ),
    ] = None,
) -> None:
    """Serve runs to an agent by the Model Context Protocol over standard input and output; changes nothing."""
    with read(place or data_dir(None)) as runs:
        mcp_server(runs).run("stdio")
