"""What runs a plan of the bench: a campaign runner in the lab as it is now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wattmark.bench.plan import Plan
from wattmark.bench.service import BenchService
from wattmark.campaigns.campaign import CampaignRunner
from wattmark.campaigns.context import Lab
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import StoredCampaign
from wattmark.runs.record import MeterRecord


@dataclass(slots=True)
class Runners:
    """Make the runner of a plan. ``planned`` is the plan of the newest one, None before the first."""

    bench_service: BenchService
    lab: Lab
    require_unmeasured: Callable[[frozenset[str]], None]
    """Raises `Conflict` where one of the servers is being measured without a plan."""
    planned: Plan | None = None

    def make(
        self, plan: str | Plan, on_status: Callable[[CampaignOut], None], resume: StoredCampaign | None = None
    ) -> CampaignRunner:
        """Prepare a plan, of the bench by its name, or the rest of a stored campaign.

        Raises `Conflict` while the bench is being changed or one of its servers is measured without a plan, and
        `InputError` for a configuration that the bench does not have.
        """
        self.bench_service.require_rest()
        bench = self.bench_service.editor.bench
        planned = bench.plan(plan) if isinstance(plan, str) else plan
        if resume is None:
            for reference in planned.configurations:
                bench.configuration(reference)
        self.require_unmeasured(planned.servers)
        self.planned = planned
        return CampaignRunner(replace(self.lab, bench=bench), planned, on_status, resume)

    def bench_records(self) -> list[MeterRecord]:
        """Describe every meter of the bench as a run would record it now."""
        return [record for server in self.bench_service.editor.bench.servers for record in self.lab.meters(server.id)]
