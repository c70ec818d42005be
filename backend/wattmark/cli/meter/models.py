"""`wattmark meter models`: what is supported, and how sure each fact is."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from wattmark_drivers.catalogue import Declaration, find_model, load_catalogue
from wattmark_drivers.catalogue.source import Fact, Status
from wattmark_drivers.catalogue.support_table import HEADINGS, support_cells

from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.cli.tables.shown import show
from wattmark.tables.table import Column, Table


def models(
    model: Annotated[
        str | None,
        typer.Argument(
            help="One model, in full. Default: all, in a table.", autocompletion=lambda: list(load_catalogue())
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the supported models; what no source confirms is called unconfirmed."""
    chosen = list(load_catalogue().values()) if model is None else [find_model(model)]
    if as_json:
        emit_json({"models": [describe(declaration) for declaration in chosen]})
    elif model is None:
        show(_overview(chosen), "table", None)
    else:
        show(_facts(chosen[0]), "table", None)


def describe(declaration: Declaration) -> dict[str, Any]:
    """Describe a model for JSON: the declaration, and each fact with its status and sources."""
    return {
        **declaration.model_dump(mode="json"),
        "facts": [_fact(declaration, name, fact) for name, fact in declaration.facts()],
        "unconfirmed": list(declaration.unconfirmed),
    }


def _fact(declaration: Declaration, name: str, fact: Fact) -> dict[str, str]:
    return {"fact": name, "status": fact.status.value, "source": declaration.cite(fact)}


def _overview(declarations: list[Declaration]) -> Table:
    columns = tuple(Column(name.lower().replace(" ", "_"), name) for name in HEADINGS if name != "Manual")
    shown = [index for index, name in enumerate(HEADINGS) if name != "Manual"]
    cells = (support_cells(declaration) for declaration in declarations)
    rows = tuple(tuple(row[index].replace("`", "") for index in shown) for row in cells)
    return Table("models", "Supported models", columns, rows)


def _facts(declaration: Declaration) -> Table:
    columns = (Column("fact", "Fact"), Column("status", "Status"), Column("source", "Source"))
    rows = [(name, fact.status.value, declaration.cite(fact)) for name, fact in declaration.facts()]
    if not (declaration.indicative or declaration.states_accuracy or declaration.no_accuracy):
        rows.append(("accuracy of power", Status.UNCONFIRMED.value, "no specification found"))
    return Table("facts", f"{declaration.id}: {declaration.title}", columns, tuple(rows))
