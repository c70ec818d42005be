"""`wattmark demo`: the whole of wattmark on one machine, with simulated power around a real load."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from wattmark_drivers.simulators.simulated_lab import Planted, SimulatedLab

from wattmark.access.http.middleware import AccessPolicy
from wattmark.campaigns.status import CampaignOut
from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.plain_console import console
from wattmark.cli.console.signals import on_termination
from wattmark.cli.console.writing import unless_in_use
from wattmark.cli.demo.bench_file import Naming, Timing, write_bench
from wattmark.cli.demo.busy import busy_words, disturbed_pct, learned
from wattmark.cli.demo.example import example_page, restore_example
from wattmark.cli.demo.lab import OTHER, SERVER, spec
from wattmark.cli.measure.run import LOAD_ENDS, follow
from wattmark.cli.result_json import result_json
from wattmark.comparison.compare.views import CompareOut
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.memory.views import MemoryOut
from wattmark.comparison.parts.views import PartBreakEvenOut
from wattmark.core.errors import WattmarkError
from wattmark.core.event_loop import run_loop
from wattmark.results.result import Result
from wattmark.service.app import create_app
from wattmark.service.process.server import Server, address, listen
from wattmark.service.reader.child import ForkedReader
from wattmark.service.reader.keeper import Reader
from wattmark.service.reader.start import StartOrder
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings
from wattmark.store.faults import explain_os

PLAN = "dimms"
LOOPBACK = "127.0.0.1"


def demo(
    once: Annotated[
        bool, typer.Option("--once", help="Run the short campaign without the web app, then exit.")
    ] = False,
    repeat: Annotated[bool, typer.Option(help="Repeat disturbed runs once.")] = True,
    as_json: AsJson = False,
    data: Annotated[Path | None, typer.Option("--data", help="Data folder. Default: a new one.")] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port of the web app.")] = 8400,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of the simulated meters' errors and noise.")] = None,
) -> None:
    """Show wattmark at work: a recorded example at once, simulators, a short campaign at full load, and the web app."""
    folder = _make_folder(data)
    chosen = secrets.randbelow(2**31) if seed is None else seed
    first_reader = ForkedReader.fork()
    status, summary = run_loop(run_demo(folder, port, chosen, first_reader, headless=once, repeat=repeat))
    if as_json:
        emit_json({"state": status.state, "message": status.message, "seed": chosen, **summary.as_dict()})
    if status.state != "complete":
        raise typer.Exit(1)


def _make_folder(data: Path | None) -> Path:
    if data is None:
        return Path(tempfile.mkdtemp(prefix="wattmark-demo-"))
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explain_os(error, data) from error
    return data


async def run_demo(
    folder: Path,
    port: int,
    seed: int,
    first_reader: ForkedReader,
    *,
    headless: bool,
    repeat: bool,
    naming: Naming = Naming(),  # noqa: B008 - it never changes
) -> tuple[CampaignOut, Summary]:
    """Simulate the lab, run its campaign in a data folder and say what it shows; with the web app unless headless."""
    out = console()
    async with AsyncExitStack() as stack:
        out.print(
            "Starting two simulated servers and their meters: Watts Up? (serial), Eastron SDM630 and SDM120 (Modbus), "
            "a BMC (IPMI)."
        )
        lab = await stack.enter_async_context(SimulatedLab(spec(seed)))
        problems = [f"{name}: {device.problem}" for name, device in lab.devices.items() if device.problem]
        for problem in problems:
            out.print(f"Continuing without {problem}")
        bench = write_bench(folder, lab, Timing(), seed, naming)
        settings = Settings(data_dir=folder, port=port, host=LOOPBACK, bench=bench)
        planted = {server: _planted(lab, server) for server in lab.planted}
        reader = Reader(StartOrder(folder, planted=planted), first=first_reader)
        with unless_in_use("Give the demo a folder of its own with --data DIR"):
            opened = open_service(settings, planted=planted.get, reader=reader)
        service = await stack.enter_async_context(opened)
        if headless:
            on_termination(partial(_end, service, out))
            page = None
        else:
            page = _open_page(service, settings, out, await _show_example(service, out))
        status = await _campaign(service, out)
        if repeat:
            status = await _repeat_disturbed(service, status, out)
        results = service.results.results_of(status.campaign_id)
        summary = summarise(results, service.comparisons, SERVER, lab.planted[SERVER], problems)
        for line in summary.lines():
            out.print(line)
        if page is not None:
            if not page.done():
                out.print("The web app stays open; stop with Ctrl-C.")
            await page
    return status, summary


async def _show_example(service: Service, out: Console) -> str:
    """Import the recorded example; return the path of its page, empty without it.

    Ctrl-C ends the demo after the import, as a thread cannot be broken off.
    """
    is_ending = False

    def end() -> None:
        nonlocal is_ending
        is_ending = True
        out.print("The demo ends as soon as the recorded example is imported.")

    on_termination(end)
    page = ""
    try:
        await asyncio.to_thread(restore_example, service.wings.archives)
        page = example_page(service.comparisons.choices())
    except WattmarkError as error:
        out.print(f"Continuing without the recorded example: {error.cause}")
    if is_ending:
        raise asyncio.CancelledError
    return page


def _open_page(service: Service, settings: Settings, out: Console, example: str) -> asyncio.Task[None]:
    """Serve the web app in the background; Ctrl-C ends the load, the streams and then the page."""
    sock = listen(settings.host, settings.port)
    service.announce(address(sock))
    server = Server(create_app(service, AccessPolicy.for_address(settings.host, None)))

    def end() -> None:
        _end(service, out)
        service.end_streams()
        server.should_exit = True

    on_termination(end)
    out.print(f"\n  Open {address(sock)}{example}\n", style="bold")
    if example:
        out.print(
            "That page shows a recorded example with its answer: simulated power, another machine, a quiet one. "
            f"The campaign of this machine runs beside it: {address(sock)}/live"
        )
    return asyncio.create_task(server.serve(sockets=[sock]), name="web app")


def _end(service: Service, out: Console) -> None:
    """End the load in order, and say so where there is one."""
    if service.campaigns.running:
        out.print(LOAD_ENDS)
    service.campaigns.stop()


async def _repeat_disturbed(service: Service, status: CampaignOut, out: Console) -> CampaignOut:
    """Repeat the runs that other programs disturbed, once; not where they disturbed most, for they would again."""
    results = service.results.results_of(status.campaign_id)
    disturbed = sum(disturbed_pct(result) is not None for result in results)
    if status.state != "complete" or not disturbed or disturbed > len(results) / 2:
        return status
    runs = "1 run" if disturbed == 1 else f"{disturbed} runs"
    out.print(f"Other programs disturbed {runs}. Repeating {'it' if disturbed == 1 else 'them'} once.")
    service.campaigns.repeat_disturbed(status.campaign_id)
    return await follow(service)


async def _campaign(service: Service, out: Console) -> CampaignOut:
    out.print(
        "Running RSA-1024 signatures at full load, five times on each of five configurations: an FB-DIMM server "
        "with 2, 4 and 8 simulated DIMMs, an RDIMM server with 2 and 8; about seven minutes."
    )
    out.print("This needs a quiet machine: close other programs. Runs that they disturb are not ranked.")
    service.campaigns.start(PLAN)
    return await follow(service)


def _planted(lab: SimulatedLab, server: str) -> dict[str, float]:
    planted = lab.planted[server]
    return {
        "watts_per_dimm_dc": planted.watts_per_dimm_dc,
        "watts_per_dimm_wall": planted.watts_per_dimm_wall,
    }


@dataclass(frozen=True, slots=True)
class Summary:
    """Results, comparison and watts per DIMM of the demo's campaign."""

    results: list[Result]
    comparison: CompareOut | None
    memory: MemoryOut | None
    break_even: PartBreakEvenOut | None
    """At how many DIMMs the other server draws less."""
    planted: Planted
    problems: list[str]

    @property
    def planted_inside(self) -> bool | None:
        """Return whether the planted watts per DIMM lie in the reported interval; None without one."""
        estimate = None if self.memory is None else self.memory.watts_per_part
        if estimate is None or not estimate.complete:
            return None
        return estimate.low <= self.planted.watts_per_dimm_wall <= estimate.high

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as JSON data."""
        return {
            "results": [result_json(result) for result in self.results],
            "comparison": self.comparison,
            "memory": self.memory,
            "break_even": self.break_even,
            "planted": asdict(self.planted),
            "planted_inside": self.planted_inside,
            "problems": self.problems,
        }

    def lines(self) -> Iterator[str]:
        """Say it in words."""
        if self.comparison:
            yield self.comparison.statement
        if self.memory:
            yield self.memory.statement
        if self.break_even:
            yield self.break_even.statement
        if self.planted_inside is not None:
            where = "inside" if self.planted_inside else "outside"
            wall, dc = self.planted.watts_per_dimm_wall, self.planted.watts_per_dimm_dc
            yield f"Set in the load model: {dc:.2f} W per DIMM (DC), {wall:.2f} W at the wall: {where} the interval."
        if busy := busy_words(self.results):
            yield busy
            if self.planted_inside is None:
                yield from learned(self.results)


def summarise(
    results: list[Result], comparisons: Comparisons, server: str, planted: Planted, problems: list[str]
) -> Summary:
    """Collect what a finished demo campaign found."""
    complete = next((result for result in results if result.status == "complete"), None)
    servers = {result.server for result in results if result.status == "complete"}
    return Summary(
        results=results,
        comparison=comparisons.compare(complete.workload, complete.level) if complete else None,
        memory=comparisons.memory(server, complete.workload, complete.level) if complete else None,
        break_even=comparisons.break_even((SERVER, OTHER), complete.workload, complete.level)
        if complete and {SERVER, OTHER} <= servers
        else None,
        planted=planted,
        problems=problems,
    )
