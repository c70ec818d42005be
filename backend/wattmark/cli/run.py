"""`wattmark run`: a plan of a bench file, without the web app."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from wattmark.appliance.appliance import Appliance, open_appliance
from wattmark.campaigns.status import CampaignOut
from wattmark.cli.options import AsJson, DataDir
from wattmark.cli.output import console, emit_json
from wattmark.cli.progress import CampaignProgress
from wattmark.cli.signals import on_termination
from wattmark.errors import InputError
from wattmark.event_loop import run_loop
from wattmark.runs.record import Result
from wattmark.settings import read_settings

TICK_S = 0.25


def run(
    file: Annotated[Path, typer.Argument(help="The bench file (YAML).")],
    plan: Annotated[str | None, typer.Option("--plan", help="Which plan; needed when the file has several.")] = None,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Run a plan: drive the servers to full load, log power, and print performance per watt."""
    appliance = open_appliance(read_settings(data, bench=file))
    status, found = run_loop(_run(appliance, _choose(plan, appliance.plan_names(), file)))
    if as_json:
        emit_json(
            {
                "campaign_id": status.campaign_id,
                "state": status.state,
                "message": status.message,
                "results": [result.model_dump(mode="json") for result in found],
            }
        )
    elif status.message:
        typer.echo(status.message, err=True)
    if status.state != "complete" or any(one.status != "complete" for one in found):
        raise typer.Exit(1)


async def _run(appliance: Appliance, plan: str) -> tuple[CampaignOut, list[Result]]:
    async with appliance:
        on_termination(appliance.campaigns.stop)
        appliance.campaigns.start(plan)
        status = await follow(appliance)
        return status, appliance.queries.results_of(status.campaign_id)


async def follow(appliance: Appliance) -> CampaignOut:
    """Show the running campaign until it ends; Ctrl-C stops the load first."""
    ended = asyncio.create_task(appliance.campaigns.wait())
    with CampaignProgress(console()) as progress:
        while not ended.done():
            progress.show(appliance.campaigns.status)
            progress.tick()
            await asyncio.wait([ended], timeout=TICK_S)
        progress.show(appliance.campaigns.status)
    return ended.result()


def _choose(plan: str | None, names: list[str], file: Path) -> str:
    listed = ", ".join(names) or "none"
    if plan is None and len(names) != 1:
        raise InputError(f"{file} has {len(names)} plans.", f"Choose one with --plan: {listed}.")
    if plan is not None and plan not in names:
        raise InputError(f"{file} has no plan {plan!r}.", f"Plans: {listed}.")
    return plan or names[0]
