"""`wattmark store ring` and `rings`: laboratories of the fleet store that measured one model."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.cli.console.options import AsJson
from wattmark.cli.tables.shown import FormatOption, OutputFile, Wide, file_format, show, view
from wattmark.comparison.compare.yardstick import ComparedBy
from wattmark.comparison.published.library import load_published
from wattmark.comparison.ring.ring_table import ring_table, rings_table
from wattmark.fleet.clickhouse.settings import read_clickhouse_settings
from wattmark.fleet.reading.fleet_store import FleetStore
from wattmark.fleet.reading.views import RingQuery, RingsQuery


def ring(
    workload: Annotated[str, typer.Argument(help="Workload, such as openssl.rsa2048-sign.")],
    level: Annotated[str, typer.Argument(help="Load level, such as '4 processes'.")],
    model: Annotated[str, typer.Option("--model", help="Model of the server.")],
    processor: Annotated[
        str | None, typer.Option("--processor", help="Default: the one that most laboratories measured.")
    ] = None,
    memory: Annotated[str | None, typer.Option("--memory", help="Such as '8 x 4 GiB FB-DIMM'. Default: alike.")] = None,
    dimms: Annotated[int | None, typer.Option("--dimms", min=0, max=65535, help="Number of modules.")] = None,
    figure: Annotated[ComparedBy, typer.Option("--figure", help="Quantity to compare.")] = "efficiency",
    simulated: Annotated[bool, typer.Option("--simulated", help="Compare simulated runs instead of measured.")] = False,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
    wide: Wide = False,
) -> None:
    """Compare the laboratories that measured one model with their consensus value, using only the fleet store."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    query = RingQuery(
        workload=workload, level=level, model=model, processor=processor, memory=memory, dimms=dimms,
        simulated=simulated, figure=figure,
    )  # fmt: skip
    show(view(ring_table(_fleet().ring(query)), "", wide=wide), format, output)


def rings(
    text: Annotated[str, typer.Argument(help="Words to find in model, processor, memory, workload, level.")] = "",
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """List what at least two laboratories measured alike."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    show(rings_table(_fleet().rings(RingsQuery(text=text))), format, output)


def _fleet() -> FleetStore:
    return FleetStore(read_clickhouse_settings(), load_published)
