"""`wattmark meter models`: what is supported, and how sure each fact is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer
from wattmark_drivers.catalogue import Declaration, find_model, load_catalogue
from wattmark_drivers.catalogue.source import Fact, Status

from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.cli.tables.shown import show
from wattmark.core.numbers import format_number
from wattmark.instruments.limits import energy_class, limit_at
from wattmark.instruments.model_views import LimitOut, ModelOut
from wattmark.tables.table import Column, LayoutColumn, Table

LOAD_W = 400.0
"""Load at which the list states limits of error [W]: a server's."""
NOTES = (
    f"± is the maker's limit of error of power at {LOAD_W:g} W, on the smallest range that includes it.",
    "by range, by U and I: it depends on the range, or on voltage and current. by device: the device states it.",
    "`wattmark meter models MODEL` shows one model in full, `wattmark meter models WORD` those with a word in a name.",
)


def models(
    word: Annotated[
        str | None,
        typer.Argument(
            help="One model in full, or a part of the names to be listed. Default: all models.",
            autocompletion=lambda: list(load_catalogue()),
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the supported models, or show one in full; what no source confirms is called unconfirmed."""
    catalogue = load_catalogue()
    chosen = [declaration for declaration in catalogue.values() if word is None or _named(declaration, word)]
    if word is not None and (word in catalogue or not chosen):
        chosen = [find_model(word)]
    if as_json:
        emit_json({"models": [describe(declaration) for declaration in chosen]})
    elif word in catalogue:
        # Only here, because it brings the forms of all engines: a list does without them.
        from wattmark.instruments.models import describe_model

        show(_in_full(describe_model(chosen[0].id)), "table", None)
        show(_facts(chosen[0]), "table", None)
    else:
        show(_overview(chosen), "table", None)


def _named(declaration: Declaration, word: str) -> bool:
    """Return whether a word is in the names of a model or in those of its bus."""
    ways = (transport.scheme for transport in declaration.reached_by)
    names = (declaration.id, declaration.title, declaration.maker, *ways)
    return any(word.casefold() in name.casefold() for name in names)


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
    columns = (
        Column("model", "Model"),
        Column("title", "Title"),
        Column("bus", "Bus"),
        Column("limit_w", f"± at {LOAD_W:g} W", "W", "number", digits=2),
        Column("instead", "Instead"),
    )
    rows = tuple(
        (
            declaration.id,
            declaration.title,
            ", ".join(transport.scheme for transport in declaration.transports),
            limit.limit_w if (limit := limit_at(declaration, LOAD_W)) else None,
            _instead(declaration),
        )
        for declaration in declarations
    )
    layout = (*map(LayoutColumn, ("model", "title", "bus")), LayoutColumn("limit_w", otherwise="instead", always=True))
    return Table("models", "Supported models", columns, rows, layout=layout, statements=NOTES)


def _instead(declaration: Declaration) -> str:
    """Say in two words why a model has no limit of error of power at a load."""
    if declaration.protocol.told_accuracy is not None:
        return "by device"
    if (term := next((term for term in declaration.accuracy if term.quantity == "power"), None)) is not None:
        return "by range" if term.influences.voltage is None else "by U and I"
    return "energy class" if energy_class(declaration) else "indicative" if declaration.indicative else "not stated"


def _in_full(model: ModelOut) -> Table:
    columns = (Column("about", "About"), Column("known", "What is known"))
    rows = tuple((about, known) for about, known in _described(model) if known)
    title = f"{model.head.id}: {model.head.title}"
    return Table("model", title, columns, rows, layout=tuple(LayoutColumn(column.key) for column in columns))


def _described(model: ModelOut) -> Iterator[tuple[str, str]]:
    yield from (("address", f"{way.example} ({way.title})") for way in model.transports)
    every = f"{'pushed' if model.pushes else 'new'} every {model.period_s:g} s"
    averaged = f", over {model.averaging_s:g} s" if model.averaging_s is not None else ""
    yield "readings", f"{model.value}{averaged}, {every}"
    yield "channels", ", ".join(measured.channel for measured in model.channels)
    yield "limit of error of power", model.accuracy or ("none: indicative only" if model.head.indicative else "")
    yield from ((f"limit at {limit.power_w:g} W", _limit(limit)) for limit in model.limits)
    yield "source of it", model.accuracy_source or ""
    yield "ranges", ", ".join(span.id for span in model.ranges)
    yield "manual", model.manual or ""
    yield from (("quirk", quirk) for quirk in model.quirks)
    yield "unconfirmed", ", ".join(model.unconfirmed) or "nothing"


def _limit(limit: LimitOut) -> str:
    span = f", range {limit.range}" if limit.range else ""
    return f"{format_number(limit.limit_w, 2, 'W')}{span}"


def _facts(declaration: Declaration) -> Table:
    columns = (Column("fact", "Fact"), Column("status", "Status"), Column("source", "Source"))
    rows = [(name, fact.status.value, declaration.cite(fact)) for name, fact in declaration.facts()]
    if not (declaration.indicative or declaration.states_accuracy or declaration.no_accuracy):
        rows.append(("accuracy of power", Status.UNCONFIRMED.value, "no specification found"))
    layout = tuple(LayoutColumn(column.key) for column in columns)
    return Table("facts", f"Where each fact of {declaration.id} is from", columns, tuple(rows), layout=layout)
