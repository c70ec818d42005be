"""Make a workload from what its program prints, and try one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from wattmark.access.http.about import About
from wattmark.bench.service import BenchService
from wattmark.campaigns.own_workload import made_parser
from wattmark.campaigns.parser_views import MadeParser, ParserOrder, WorkloadTried, WorkloadTry
from wattmark.campaigns.running import TRYING, Campaigns
from wattmark.core.errors import InputError, NotFound
from wattmark.core.likely import meant_or_listed
from wattmark.web.provided import provided
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.local.programs import missing_program
from wattmark.workloads.trying import level_of, try_workload

router = APIRouter(prefix="/api/workloads", tags=["workloads"])
BenchServiceDep = Annotated[BenchService, provided(BenchService)]
CampaignsDep = Annotated[Campaigns, provided(Campaigns)]


@router.post("/parser")
def make_parser(order: ParserOrder) -> MadeParser:
    """Make the parser of an output from what is marked in it, and show what it reads there. Stores and runs nothing."""
    return made_parser(order)


@router.post("/{name}/try")
async def try_one(
    name: str, order: WorkloadTry, bench_service: BenchServiceDep, campaigns: CampaignsDep, about: About
) -> WorkloadTried:
    """Run a workload of the catalogue or the bench for some seconds on the appliance itself; stores nothing.

    Refused while a campaign runs; none can start meanwhile.
    """
    about(name)
    bench = bench_service.editor.bench
    declaration = _runnable(name, bench.workload_declarations())
    if missing := missing_program(declaration, bench.folder):
        raise InputError(missing)
    level = level_of(declaration, order.level)
    campaigns.require_free()
    with campaigns.kept_from_starting(TRYING):
        tried = await try_workload(declaration, level, order.seconds, bench.folder)
    return WorkloadTried(
        statement=tried.sentence(),
        level=declaration.level_text(level),
        throughput=tried.throughput,
        throughput_unit=f"{declaration.unit}/s",
        window_s=tried.work.duration_s,
        intervals=tried.rates,
        remarks=list(tried.work.remarks),
    )


def _runnable(name: str, declarations: dict[str, Declaration]) -> Declaration:
    """Return a workload that can be started here. Raises `NotFound` and `InputError`."""
    if name not in declarations:
        raise NotFound(
            f"There is no workload {name[:80]!r}.", meant_or_listed(name[:80], list(declarations), "Workloads")
        )
    declaration = declarations[name]
    if declaration.external:
        raise InputError(f"{name} is started elsewhere and sends its markers to a service.", "Run it in a plan.")
    if lacking := declaration.missing_parameters():
        cause = f"{name} needs {lacking[0]} ({declaration.parameters[lacking[0]].help})."
        raise InputError(cause, f"Set it in the bench file: `with: {{parameters: {{{lacking[0]}: ...}}}}`.")
    return declaration
