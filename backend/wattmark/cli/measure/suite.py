"""`wattmark suite`: suites of graduated loads that give one figure for a server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from wattmark.bench.bench import Bench
from wattmark.campaigns.planning.readiness import plan_problems
from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.output_file import ending_of, ends_as
from wattmark.cli.measure.plan import duration
from wattmark.cli.measure.run import Order, carry_out
from wattmark.cli.tables.shown import put_file, show
from wattmark.cli.tables.tables import ask
from wattmark.comparison.suites.suite import find_suite, load_suites
from wattmark.comparison.suites.suite_plan import suite_plan
from wattmark.comparison.suites.suite_report import suite_out
from wattmark.core.errors import InputError
from wattmark.core.likely import meant_or_listed
from wattmark.instruments.known_bench import load_known_bench
from wattmark.reports.files.report_file import write_report
from wattmark.reports.product_tables import chosen_suite
from wattmark.reports.sources import Sources
from wattmark.reports.suite_document import suite_document
from wattmark.reports.table_query import TableQuery
from wattmark.service.service import Service
from wattmark.tables.table import Column, Table

app = typer.Typer(no_args_is_help=True)
Name = Annotated[
    str,
    typer.Argument(
        help="Name of the suite; `wattmark suite list` lists them.", autocompletion=lambda: list(load_suites())
    ),
]
Configuration = Annotated[
    list[str] | None,
    typer.Option("--configuration", help="Server/configuration; repeatable. Default: the only one of the bench."),
]


@app.callback()
def suite() -> None:
    """Run suites of graduated loads, and show what they say of a server."""


@app.command("list")
def list_suites(as_json: AsJson = False) -> None:
    """List the suites."""
    suites = [suite_out(each) for each in load_suites().values()]
    if as_json:
        emit_json([each.model_dump(mode="json", exclude={"ran"}) for each in suites])
        return
    columns = (Column("suite", "Suite"), Column("title", "Title"), Column("worklets", "Worklets", kind="integer"))
    rows = tuple((each.id, each.title, len(each.workloads), duration(each.expected_s)) for each in suites)
    show(Table("suites", "Suites", (*columns, Column("takes", "Takes")), rows), "table", None)


@app.command("show")
def show_suite(name: Name, as_json: AsJson = False) -> None:
    """Show the worklets, levels, weights and formula of a suite."""
    of = find_suite(name)
    described = suite_out(of)
    if as_json:
        emit_json(described.model_dump(mode="json", exclude={"ran"}))
        return
    typer.echo(f"{of.title}. {of.purpose}")
    for worklet in of.worklets:
        typer.echo(f"  {worklet.workload}  {worklet.kind}, nominal {worklet.nominal:g}/s")
    typer.echo(f"Score: {of.formula} [1/kW].")
    typer.echo(of.source)
    levels = ", ".join(f"{percent:g}" for percent in of.percent)
    typer.echo(
        f"Levels {levels} % of the maximum, {of.measure_s:g} s each; active idle once, {of.idle_s:g} s. "
        f"Takes {duration(described.expected_s)}."
    )


@app.command("run")
def run(
    name: Name,
    file: Annotated[Path, typer.Argument(help="The bench file (YAML).")],
    configuration: Configuration = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, max=100, help="How often the suite is run.")] = 1,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Run a suite: calibrate each worklet, run its levels, then active idle; print the score with its ±.

    It is an ordinary campaign. An interrupted one goes on with `wattmark run --resume`.
    """
    bench = load_known_bench(file)
    plan = suite_plan(find_suite(name), _configurations(bench, configuration, file), repeats=repeats)
    if problems := plan_problems(plan, bench):
        raise InputError(" ".join(problems), f"See {file}.")
    say = partial(_scores, name, plan.configurations)
    carry_out(Order(file, plan, None), data, ("suites", "Run this suite"), say=say, as_json=as_json)


@app.command("report")
def report(
    name: Name,
    configuration: Annotated[
        str | None, typer.Option("--configuration", help="Server/configuration. Default: what ran most of the suite.")
    ] = None,
    data: DataDir = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write to this file.", callback=ends_as("A report", "html", "htm", "json")),
    ] = None,
) -> None:
    """Write what a suite says of one server as one HTML file, or as JSON."""
    if output is None and sys.stdout.isatty():
        raise InputError("A report cannot be printed on a terminal.", "Write it to a file: -o suite.html.")

    def write(sources: Sources) -> None:
        chosen = chosen_suite(sources, TableQuery(suite=name, configuration=configuration))
        if output is not None and ending_of(output) == "json":
            text = chosen.model_dump_json(indent=2).encode()
            put_file(lambda file: file.write(text), output)
        else:
            put_file(partial(write_report, suite_document(chosen)), output)

    ask(data, write)


def _configurations(bench: Bench, chosen: list[str] | None, file: Path) -> list[str]:
    """Choose configurations of a bench: those named, or the only one. Raises `InputError`."""
    known = [f"{server.id}/{built.id}" for server in bench.servers for built in server.configurations]
    for reference in chosen or ():
        if reference not in known:
            remedy = meant_or_listed(reference[:160], known, "Configurations")
            raise InputError(f"{file} has no configuration {reference[:160]!r}.", remedy)
    if not chosen and len(known) != 1:
        raise InputError(
            f"{file} has {len(known)} configurations.",
            f"Choose with --configuration: {', '.join(known) or 'describe one first'}.",
        )
    return list(dict.fromkeys(chosen or known))


def _scores(name: str, configurations: tuple[str, ...], service: Service) -> Iterator[str]:
    """Say what the suite says of each configuration, with what keeps it from a score."""
    for key in configurations:
        try:
            said = service.comparisons.suite(name, key)
        except InputError as error:
            yield str(error)
            continue
        yield f"{key}: {said.statement}"
        yield from said.remarks
