"""`wattmark site`: chosen results as a static web site."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.archives.data_folder import Archives
from wattmark.archives.signature import KEY_FILE, load_signing_key
from wattmark.archives.site.site import write_site
from wattmark.cli.console.log_progress import work_shown
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.cli.keep.chosen_runs import require_choice
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer


def site(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write; it must not exist.")],
    runs: Annotated[list[str] | None, typer.Argument(metavar="RUN", help="These runs.")] = None,
    campaign: Annotated[str | None, typer.Option("--campaign", help="All runs of this campaign.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All runs.")] = False,
    title: Annotated[str, typer.Option("--title", help="Title of the page. Default: that of the report.")] = "",
    lab: Annotated[str, typer.Option("--lab", help="Name of your lab, shown to others. Default: the host name.")] = "",
    licence: Annotated[
        str, typer.Option("--license", help="What others may do with the data: an SPDX name (CC-BY-4.0) or an address.")
    ] = "",
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Write a web site of runs that any web server can host: one page, tables, figures and the archive behind them."""
    require_choice(runs, campaign, every=every)
    signing_key = load_signing_key(data_dir(data) / KEY_FILE)
    storage, clock = open_storage(data_dir(data), read_only=True), SystemClock()
    try:
        results = Evaluations(storage)
        archives = Archives(storage, results, Issuer(storage, results, clock), signing_key=signing_key)
        chosen = archives.choose(runs or (), campaign, every=every)
        write = partial(archives.write, runs=chosen, lab=lab, every=every, licence=licence)
        with work_shown(folder.name):
            files = write_site(folder, write, None if signing_key is None else signing_key.public, title, clock)
    finally:
        storage.close()
    if as_json:
        emit_json({"site": str(folder), "runs": [run.run_id for run in chosen], "files": files})
        return
    typer.echo(f"{folder}: {len(chosen)} run{'' if len(chosen) == 1 else 's'}, {len(files)} files; open index.html")
