"""`wattmark run`: a plan of a bench file, without the web app."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from wattmark.bench.plan import Plan
from wattmark.campaigns.repeating import find_disturbed
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import find_campaign
from wattmark.cli.console.narrow import wrapped
from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.plain_console import console
from wattmark.cli.console.progress import CampaignProgress, remarks_of
from wattmark.cli.console.signals import on_termination
from wattmark.cli.console.writing import in_web_app, unless_in_use
from wattmark.cli.measure.answer import answers, resumption
from wattmark.cli.result_json import result_json
from wattmark.core.errors import InputError
from wattmark.core.event_loop import run_loop
from wattmark.core.hardening import protect_memory
from wattmark.core.likely import meant_or_listed
from wattmark.results.data_folder import open_storage
from wattmark.results.result import Result
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings, read_settings

TICK_S = 0.25
DONE_WELL = ("complete", "skipped")
LOAD_ENDS = "The load is being ended; a second Ctrl-C ends wattmark at once."


def run(
    file: Annotated[Path | None, typer.Argument(help="The bench file (YAML); not needed with a campaign.")] = None,
    campaign: Annotated[
        str | None,
        typer.Argument(help="With --resume or --repeat-disturbed: id of the campaign. Default: the latest."),
    ] = None,
    plan: Annotated[
        str | None, typer.Option("--plan", help="Name of the plan; required if the file has several.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume an interrupted campaign.")] = False,
    repeat_disturbed: Annotated[
        bool, typer.Option("--repeat-disturbed", help="Repeat the disturbed runs of a campaign that has ended.")
    ] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Run a plan: drive the servers to full load, log power, and print performance per watt."""
    if resume and repeat_disturbed:
        raise InputError("--resume and --repeat-disturbed exclude each other.", "Resume first, then repeat.")
    if resume or repeat_disturbed:
        order = _of_campaign(read_settings(data), file, campaign, repeat=repeat_disturbed)
    elif file is None or campaign is not None:
        raise InputError("A plan needs exactly one bench file.", "Run `wattmark run FILE`, or `wattmark run --resume`.")
    else:
        order = Order(file, plan, None)
    steps = "Resume" if resume else "Repeat the disturbed runs" if repeat_disturbed else "Start a plan"
    carry_out(order, data, ("campaign", steps), as_json=as_json)


def carry_out(
    order: Order,
    data: Path | None,
    in_app: tuple[str, str],
    *,
    say: Callable[[Service], Iterable[str]] = lambda _: (),
    as_json: bool,
) -> None:
    """Carry an order out, and print how it ended; ``say`` adds lines to what it has shown.

    ``in_app`` is the page of the web app, and the button there, that do the same. Raises `typer.Exit` where a run was
    not made.
    """
    with unless_in_use(f"{in_web_app(*in_app)}; or measure into another folder with --data DIR"):
        service = open_service(read_settings(data, bench=order.bench))
    if order.campaign is None and not isinstance(order.plan, Plan):
        order = replace(order, plan=choose_plan(order.plan, service.plans.names(), order.bench))
    protect_memory()
    status, results, said = run_loop(_run(service, order, data, say))
    for line in () if as_json else said:
        typer.echo(line)
    if status.resumable is not None and status.state != "aborted":
        console().print(f"Some runs were not made. Go on: {resumption(status.resumable, data)}")
    if as_json:
        emit_json(
            {
                "campaign_id": status.campaign_id,
                "state": status.state,
                "message": status.message,
                "runs": status.runs,
                "results": [result_json(result) for result in results],
            }
        )
    if status.state != "complete" or any(row.state not in DONE_WELL for row in status.runs):
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class Order:
    """What to run: a plan, of the bench file by its name, the rest of a campaign, or its disturbed runs."""

    bench: Path
    plan: str | Plan | None
    campaign: str | None
    repeat: bool = False


def _of_campaign(settings: Settings, file: Path | None, campaign: str | None, *, repeat: bool) -> Order:
    """Find the campaign and the bench file that it was started with. A single word that is no file names a campaign."""
    if file is not None and campaign is None and not file.exists() and file.name == str(file):
        file, campaign = None, str(file)
    storage = open_storage(settings.data_dir, read_only=True)
    try:
        of_bench = file if campaign is None else None
        if repeat:
            stored = find_disturbed(storage, campaign, of_bench)
        else:
            stored = find_campaign(storage.runs, campaign, of_bench)
    finally:
        storage.close()
    bench = file or stored.bench
    if bench is None:
        raise InputError(
            "The campaign was started without a bench file.", "Give a bench file before the id of the campaign."
        )
    return Order(bench, None, stored.out.campaign_id, repeat)


async def _run(
    service: Service, order: Order, data: Path | None, say: Callable[[Service], Iterable[str]]
) -> tuple[CampaignOut, list[Result], list[str]]:
    """Carry the order out; return how it ended, its results, and what they have shown, in lines."""
    async with service:
        on_termination(partial(_stop, service, data))
        if order.plan is not None:
            service.campaigns.start(order.plan)
        elif order.repeat:
            service.campaigns.repeat_disturbed(order.campaign)
        else:
            service.campaigns.resume(order.campaign)
        status = await follow(service)
        results = service.results.results_of(status.campaign_id)
        width = console().text_width
        lines = [*say(service), *answers(service.comparisons, results, data)]
        return status, results, [_line(said, width) for said in lines]


def _line(said: str, width: int) -> str:
    """Wrap a sentence; a command stays on one line, to be copied."""
    return said if said.startswith(" ") else wrapped(said, width)


def _stop(service: Service, data: Path | None) -> None:
    """End the load in order, and say how to go on."""
    service.campaigns.stop()
    campaign = service.campaigns.status.campaign_id
    again = "" if campaign is None else f" Go on later: {resumption(campaign, data)}"
    console().print(f"{LOAD_ENDS}{again}")


async def follow(service: Service) -> CampaignOut:
    """Show the running campaign until it ends; Ctrl-C stops the load first."""
    ended = asyncio.create_task(service.campaigns.wait())
    with CampaignProgress(console()) as progress:
        while not ended.done():
            progress.show(service.campaigns.status)
            progress.tick()
            await asyncio.wait([ended], timeout=TICK_S)
        progress.show(service.campaigns.status)
    for remark in remarks_of(ended.result(), console().text_width):
        console().print(remark)
    return ended.result()


def choose_plan(plan: str | None, names: list[str], file: Path) -> str:
    """Choose a plan of a bench file: the one named, or the only one. Raises `InputError`."""
    listed = ", ".join(names) or "none"
    if plan is None and len(names) != 1:
        raise InputError(f"{file} has {len(names)} plans.", f"Choose one with --plan: {listed}.")
    if plan is not None and plan not in names:
        raise InputError(f"{file} has no plan {plan!r}.", meant_or_listed(plan, names, "Plans"))
    return plan or names[0]
