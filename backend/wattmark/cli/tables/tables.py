"""What the commands that print a table share: the data folder, and what a table is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from pydantic import ValidationError

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.cli.console.options import data_dir
from wattmark.cli.lazy import limit_words
from wattmark.comparison.choices import Sort
from wattmark.core.errors import InputError
from wattmark.reports.sources import Sources
from wattmark.reports.table_query import TableQuery
from wattmark.results.data_folder import open_storage

OfWorkload = Annotated[str | None, typer.Option("--workload", help="Only this workload.")]
OfServer = Annotated[str | None, typer.Option("--server", help="Only this server.")]
Workload = Annotated[str | None, typer.Option("--workload", help="Workload. Default: the one with the most results.")]
LoadLevel = Annotated[str | None, typer.Option("--level", help="Load level, such as '4 processes'.")]
WindowRule = Annotated[RuleName, typer.Option("--window-rule", help="Rule that defines the window of every run.")]
FromLevel = Annotated[float | None, typer.Option("--from", help="Average the levels at or above this one.")]
Smallest = Annotated[
    float, typer.Option("--smallest", help="Smallest relevant difference [%]; closer results count as equal.")
]
Order = Annotated[
    Sort, typer.Option("--sort", help="Order of a comparison: the best first, server by server, or by name.")
]
Top = Annotated[
    int | None, typer.Option("--top", help="Only so many of the best configurations of a comparison, and the baseline.")
]
AnyVersion = Annotated[
    bool, typer.Option("--any-version", help="Rank different versions of the load program against each other too.")
]
Claim = Annotated[
    float | None, typer.Option("--claim", help="Claimed watts per DIMM, to be tested. Default: nothing is claimed.")
]
Margin = Annotated[float, typer.Option("--margin", help="Equivalence margin of the claim [W per DIMM].")]
OPTIONS = {
    "smallest_pct": "--smallest",
    "claim_w": "--claim",
    "margin_w": "--margin",
    "from_level": "--from",
    "tariff_per_kwh": "--tariff",
}
"""Options that are not named after what they choose."""
T = TypeVar("T")


def ask(data: Path | None, question: Callable[[Sources], T]) -> T:
    """Answer a question about the runs of a data folder. Raises `InputError` where there are none."""
    folder = data_dir(data)
    if not (folder / "wattmark.db").is_file():
        raise InputError(f"There are no results in {folder}.", "Give the data folder of a service: --data DIR.")
    storage = open_storage(folder, read_only=True)
    try:
        return question(Sources.of(storage))
    finally:
        storage.close()


def choose(**choices: Any) -> TableQuery:
    """Check what a table is asked for. Raises `InputError` naming the option that cannot be."""
    try:
        return TableQuery(**choices)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        option = OPTIONS.get(name, f"--{name.replace('_', '-')}")
        raise InputError(
            f"{option}: {limit_words(first['msg'])}.", f"Choose another value; see {option} in --help."
        ) from None
