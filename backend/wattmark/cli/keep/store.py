"""`wattmark store`: the servers that runs are sent to, and the fleet that is read from ClickHouse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.bench.load import load_bench
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.plain_console import console
from wattmark.cli.console.writing import open_to_write
from wattmark.cli.keep.store_ring import ring, rings
from wattmark.cli.tables.shown import FormatOption, OutputFile, file_format, show
from wattmark.cli.tables.tables import AnyVersion, LoadLevel, Workload
from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.compare.defaults import choose_comparison
from wattmark.comparison.published.library import load_published
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.version import version
from wattmark.fleet.clickhouse.connection import Connection as ClickHouse
from wattmark.fleet.clickhouse.schema import make_schema
from wattmark.fleet.clickhouse.settings import PREFIX as CLICKHOUSE_PREFIX
from wattmark.fleet.clickhouse.settings import ClickHouseSettings, read_clickhouse_settings
from wattmark.fleet.clickhouse.written import delete_runs
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.influx.settings import PREFIX
from wattmark.fleet.reading.fleet_store import FleetStore
from wattmark.fleet.reading.views import MOST_GROUPS, FleetRunQuery, GroupQuery
from wattmark.fleet.sending.compared import ComparedSeries
from wattmark.fleet.sending.sinks import Target
from wattmark.fleet.sending.views import SinkOut, sink_out
from wattmark.fleet.targets import configured_targets
from wattmark.instruments.known_bench import OWN_BENCH
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.pages.listing import RunRows
from wattmark.results.tables.results_table import results_table
from wattmark.runs.thinned import is_thinned
from wattmark.store.outbox.outbox import Outbox, outbox_states
from wattmark.tables.layouts import arranged
from wattmark.tables.table import Column, Table

LabOption = Annotated[list[str] | None, typer.Option("--lab", help="Only this lab; repeatable.")]
RUN_COLUMNS = ("Run", "Lab", "Server", "Configuration", "Workload", "Level", "Status")
app = typer.Typer(no_args_is_help=True)
app.command("ring")(ring)
app.command("rings")(rings)


@app.callback()
def store() -> None:
    """Manage the servers of WATTMARK_CLICKHOUSE_URL and WATTMARK_INFLUX_URL: send, verify, read a fleet."""


@app.command("init")
def init(
    cluster: Annotated[
        str | None, typer.Option("--cluster", help="Make shards of this cluster; its Keeper, if any, replicates them.")
    ] = None,
    ttl_days: Annotated[
        int | None,
        typer.Option("--ttl-days", min=1, max=36_500, help="Delete raw samples after so many days; results stay."),
    ] = None,
) -> None:
    """Create or upgrade wattmark's tables in the ClickHouse of WATTMARK_CLICKHOUSE_URL; run twice, it changes nothing.

    The user needs the right to create databases and tables; appliances then only need SELECT and INSERT.
    """
    settings = _clickhouse()
    made = make_schema(
        ClickHouse(settings), cluster=cluster, ttl_days=ttl_days, software=version(), made_ns=SystemClock().utc_ns()
    )
    typer.echo(
        f"Made in {settings.target}: {', '.join(made.tables)}."
        if made.tables
        else f"{settings.target} has all tables of this layout."
    )
    if made.ttl_changed:
        typer.echo(f"Raw samples are deleted there after {ttl_days} days. Results stay.")
    if made.servers > 1:
        typer.echo(f"Run the same command with the address of each of the {made.servers} servers of {cluster}.")


@app.command("status")
def status(data: DataDir = None, as_json: AsJson = False) -> None:
    """Show what is waiting to be sent, what the server rejected, and what blocks sending."""
    with _stored(data) as storage:
        sinks = [sink_out(state, refused) for state, refused in outbox_states(storage.database)]
    if as_json:
        emit_json({"sinks": sinks})
        return
    if not sinks:
        typer.echo(f"Nothing is sent to another server. Set {CLICKHOUSE_PREFIX}URL or {PREFIX}URL to send there.")
    for sink in sinks:
        typer.echo(f"{sink.target}: {sink.state}")
        typer.echo(f"  waiting       {sink.waiting_samples} samples, {sink.waiting_runs} runs")
        typer.echo(f"  acknowledged  {sink.acknowledged_samples} samples, last at {sink.acknowledged or 'never'}")
        typer.echo(f"  refused       {sink.refused_points} points")
        for point in sink.refused:
            typer.echo(f"    {point.line}\n      {point.reason}")
        if sink.problem:
            typer.echo(f"  since {sink.since}: {sink.problem}\n    {sink.remedy}")


@app.command("sync")
def sync(
    again: Annotated[bool, typer.Option("--again", help="Send everything again, except runs thinned since.")] = False,
    bench: Annotated[
        Path | None,
        typer.Option(
            "--bench", envvar="WATTMARK_BENCH", help="Bench file with the name of the lab. Default: the data folder's."
        ),
    ] = None,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Send what is waiting while no service is running; a service sends by itself. Exit code 1: some did not arrive."""
    targets = _targets()
    storage = open_to_write(data, "The service sends by itself; `wattmark store status` shows how far it is")
    try:
        lab = _lab(bench or data_dir(data) / OWN_BENCH)
        dossiers = Dossiers(storage, Evaluations(storage), lambda: lab)
        done = [_send(target, Outbox(storage.database, target.address), dossiers, again=again) for target in targets]
    finally:
        storage.close()
    if as_json:
        emit_json({"sinks": done})
    else:
        for sink in done:
            typer.echo(
                f"{sink.target} has everything: {sink.acknowledged_samples} samples sent, "
                f"{sink.refused_points} refused."
            )
    if any(sink.refused_points for sink in done):
        raise typer.Exit(1)


def _lab(bench: Path) -> str:
    return load_bench(bench).lab if bench.exists() else ""


def _send(target: Target, outbox: Outbox, dossiers: Dossiers, *, again: bool) -> SinkOut:
    if again:
        outbox.send_again()
    sink = target.make_sink(outbox, dossiers, SystemClock())
    while (step := sink.step(everything=True)).sent or step.wait_s == 0.0:
        pass
    if step.problem is not None:
        raise WattmarkError(step.problem.cause, step.problem.remedy)
    return sink_out(outbox.state(), outbox.refused(20))


@app.command("verify")
def verify(
    run: Annotated[list[str] | None, typer.Option("--run", help="Only this run; repeatable.")] = None,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Compare counts and sums of every series with each server. Exit code 1: some differ.

    Runs thinned here since are excluded unless named, because the servers have their full samples.
    """
    targets = _targets()
    with _stored(data) as storage:
        runs = run or [record.run_id for record in storage.runs.all() if not is_thinned(record)]
        compared = [
            (target, run_id, series)
            for target in targets
            for run_id in runs
            for series in target.verify(run_id, storage.samples)
        ]
    differing = [_row(*entry) for entry in compared if not entry[2].same]
    if as_json:
        emit_json({"series": len(compared), "differing": differing})
    elif differing:
        show(_differing_table(differing), "table", None)
    else:
        names = " and ".join(target.address for target in targets)
        typer.echo(f"{len(compared)} series of {len(runs)} runs are identical here and on {names}.")
    if differing:
        raise typer.Exit(1)


@app.command("delete")
def delete(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Runs to delete there.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete runs from the ClickHouse of WATTMARK_CLICKHOUSE_URL for all who read it. Exit code 1: some are missing.

    The server removes the rows when it merges, and the samples at the end of their time to live. An appliance that
    still has such a run and sends it again brings it back: delete it there first.
    """
    connection = ClickHouse(_clickhouse())
    if not yes:
        typer.confirm(f"Delete {len(runs)} runs for all labs that read {connection.target}?", abort=True)
    deleted = delete_runs(connection, runs, SystemClock().utc_ns())
    for run_id in deleted:
        typer.echo(f"Deleted: {run_id}")
    missing = [run_id for run_id in runs if run_id not in deleted]
    for run_id in missing:
        typer.echo(f"Not there: {run_id}")
    if missing:
        raise typer.Exit(1)


@app.command("runs")
def runs(
    lab: LabOption = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100_000, help="As many runs at most.")] = 200,
    as_json: AsJson = False,
) -> None:
    """List the runs of all labs in the fleet's ClickHouse, newest first."""
    page = RunRows.model_validate_json(_fleet().rows_json(FleetRunQuery(lab=lab or [], limit=limit)))
    if as_json:
        document = page.model_dump(mode="json", exclude={"names", "rows"})
        emit_json({**document, "runs": page.rows})
        return
    columns = tuple(Column(name.lower(), name) for name in RUN_COLUMNS)
    rows = [
        (row.run_id, row.lab, row.server, row.configuration, row.workload, row.level, row.status.value)
        for row in page.rows
    ]
    show(Table("runs", "Runs of the fleet", columns, tuple(rows)), "table", None)
    if page.next_offset is not None:
        console().print(f"{page.matching} runs in all; see more with --limit.", markup=False)


@app.command("results")
def results(
    lab: LabOption = None,
    workload: Workload = None,
    level: LoadLevel = None,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Show the results of all labs as they were issued, from the fleet's ClickHouse alone."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    show(arranged(results_table(_fleet().results(workload, level, lab or []))), format, output)


@app.command("compare")
def compare(
    lab: LabOption = None,
    workload: Workload = None,
    level: LoadLevel = None,
    baseline: Annotated[str | None, typer.Option("--baseline", help="Group used as the baseline.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=MOST_GROUPS, help="As many configurations at most, best first.")
    ] = MOST_GROUPS,
    any_version: AnyVersion = False,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Compare the configurations of all labs by performance per watt, from the fleet's ClickHouse alone."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    fleet = _fleet()
    chosen = choose_comparison(fleet.choices(), workload, level)
    query = GroupQuery(workload=chosen.workload, level=chosen.level, lab=lab or [])
    compared = fleet.compare(query, baseline, limit=limit, any_version=any_version)
    console().print(
        f"Compared: {chosen.title} ({min(limit, compared.matching)} of {compared.matching} measured configurations).",
        markup=False,
    )
    show(arranged(compare_table(compared)), format, output)


def _clickhouse() -> ClickHouseSettings:
    settings = read_clickhouse_settings()
    if settings is None:
        raise InputError(
            "No ClickHouse server is configured.", f"Set {CLICKHOUSE_PREFIX}URL, such as http://ch.lab:8123."
        )
    return settings


def _targets() -> list[Target]:
    targets = configured_targets()
    if not targets:
        raise InputError(
            "No server is configured that samples are sent to.",
            f"Set {CLICKHOUSE_PREFIX}URL, such as http://ch.lab:8123, or {PREFIX}URL, such as http://influx.lab:8086.",
        )
    return targets


def _fleet() -> FleetStore:
    return FleetStore(_clickhouse(), load_published)


@contextmanager
def _stored(data: Path | None) -> Iterator[Storage]:
    storage = open_storage(data_dir(data), read_only=True)
    try:
        yield storage
    finally:
        storage.close()


def _row(target: Target, run_id: str, compared: ComparedSeries) -> dict[str, str | int | float]:
    server, source, channel = compared.place
    recorded, there = compared.here, compared.there
    return {
        "target": target.address, "run": run_id, "server": server, "source": source, "channel": channel,
        "samples_here": recorded.n + recorded.n_not_finite, "samples_there": there.n + there.n_not_finite,
        "sum_here": recorded.total, "sum_there": there.total,
    }  # fmt: skip


def _differing_table(rows: list[dict[str, str | int | float]]) -> Table:
    columns = tuple(
        Column(name, name.replace("_", " "), kind="text" if isinstance(value, str) else "number")
        for name, value in rows[0].items()
    )
    return Table("differing", "Series that differ", columns, tuple(tuple(row.values()) for row in rows))
