"""`wattmark compare`: configurations side by side, with the answer in one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.console.plain_console import console
from wattmark.cli.tables.shown import Columns, FormatOption, OutputFile, Wide, file_format, show, view
from wattmark.cli.tables.tables import (
    AnyVersion,
    LoadLevel,
    OfServer,
    Order,
    Smallest,
    Top,
    WindowRule,
    Workload,
    ask,
    choose,
)
from wattmark.comparison.compare.defaults import choose_comparison
from wattmark.comparison.compare.order import in_order
from wattmark.comparison.compare.yardstick import ComparedBy, yardstick
from wattmark.reports.product_tables import product_table
from wattmark.reports.sources import Sources
from wattmark.reports.table_query import DEFAULT_PCT, TableQuery
from wattmark.tables.table import Table


def compare(
    workload: Workload = None,
    level: LoadLevel = None,
    server: OfServer = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="Group used as the baseline: server/configuration.")
    ] = None,
    figure: Annotated[
        ComparedBy, typer.Option("--figure", help="Quantity to compare; for power, lower is better.")
    ] = "efficiency",
    smallest: Smallest = DEFAULT_PCT,
    sort: Order = "rank",
    top: Top = None,
    any_version: AnyVersion = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Put every pair of configurations into words.")] = False,
    wide: Wide = False,
    columns: Columns = "",
    window_rule: WindowRule = "complete",
    data: DataDir = None,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Compare configurations by performance per watt: ratios with intervals, verdicts, ranks with ties."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    query = choose(
        server=server,
        baseline=baseline,
        figure=figure,
        smallest_pct=smallest,
        rule=window_rule,
        any_version=any_version,
        sort=sort,
        top=top,
    )

    def question(sources: Sources) -> Table:
        chosen = choose_comparison(sources.comparisons.choices(), workload, level)
        if None in (workload, level):
            console().print(f"Compared: {chosen.title} ({chosen.measured} measured configurations).", markup=False)
        completed = query.model_copy(update={"workload": chosen.workload, "level": chosen.level})
        table = product_table(sources, "compare", completed)
        return _with_pairs(sources, table, completed) if pairs else table

    show(view(ask(data, question), columns, wide=wide), format, output)


def _with_pairs(sources: Sources, table: Table, query: TableQuery) -> Table:
    """Add every pair of the rows of its table in words to the notes of a comparison."""
    workload, level = query.workload or "", query.level or ""
    by = yardstick(query.figure, query.smallest_pct)
    compared = sources.comparisons.compare(
        workload, level, query.baseline, by, query.rule, query.server, any_version=query.any_version
    )
    shown = in_order(compared, query.sort, query.top)
    keys = [group.key for group in shown.groups if group.kind != "published" and by.value(group) is not None]
    if len(keys) < 2:
        return table
    described = sources.comparisons.pairs(
        workload, level, keys, by, query.rule, query.server, any_version=query.any_version
    )
    verdicts = tuple(pair.verdict for pair in described)
    return replace(table, footnotes=(*table.footnotes, *verdicts), statements=(*table.statements, *verdicts))
