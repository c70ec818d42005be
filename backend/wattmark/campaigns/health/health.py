"""Bench health from the stored campaigns: one point of a chart per campaign, and the campaigns of a night."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, time
from statistics import fmean

from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.campaigns.health.chart import health_chart
from wattmark.campaigns.health.views import BenchHealth, Figure, HealthPoint, NightCampaign, ReferenceHealth
from wattmark.campaigns.history import StoredCampaigns
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_KIND, read_start, read_state
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import Storage
from wattmark.results.pages.row import RunRow
from wattmark.runs.record import RunStatus

FIGURES: tuple[tuple[Figure, str], ...] = (("power", "W"), ("efficiency", "1/J"))
MOST_NIGHT = 50
"""Campaigns of a night, newest first."""


class Health:
    """Bench health of a data folder; safe to call from several threads."""

    def __init__(self, storage: Storage, bench: Callable[[], Bench], history: StoredCampaigns) -> None:
        self._storage = storage
        self._bench = bench
        self._history = history

    def health(self, since_s: float, running: str | None) -> BenchHealth:
        """Chart the reference plans, and list the campaigns since an instant [Unix s]; ``running`` is under way."""
        references = [
            reference
            for plan in self._bench().plans
            if plan.reference is not None
            for reference in self._references(plan)
        ]
        return BenchHealth(references=references, night=self._night(since_s, running))

    def _references(self, plan: Plan) -> Iterator[ReferenceHealth]:
        campaigns = self._campaigns(plan)
        rows = self._rows([row.run_id for out in campaigns for row in out.runs if row.run_id])
        for place in dict.fromkeys(plan.configurations):
            for workload in dict.fromkeys(plan.workloads):
                wanted = (*place.split("/", 1), workload)
                series = [(out, [row for row in _made(out, rows) if _subject(row) == wanted]) for out in campaigns]
                yield _reference(plan.name, wanted, series)

    def _campaigns(self, plan: Plan) -> list[CampaignOut]:
        """Read the campaigns of a plan that were made here at full load, oldest first."""
        runs = self._storage.runs
        names = runs.document_names(CAMPAIGN_KIND, "started_s", ("plan", plan.name))
        documents, starts = runs.some_documents(CAMPAIGN_KIND, names), runs.some_documents(START_KIND, names)
        begin_s = _begin_s(plan)
        campaigns = []
        for name in (name for name in reversed(names) if name in documents and name in starts):
            try:
                out, started = read_state(name, documents[name]), read_start(name, starts[name])[0]
            except StoreError:
                continue
            if started.at_full_load and (out.started_s or 0.0) >= begin_s:
                campaigns.append(out)
        return campaigns

    def _rows(self, run_ids: Sequence[str]) -> dict[str, RunRow]:
        """Read the results of runs as they are issued now; runs in the trash are left out."""
        lines, kept = self._storage.results.lines(run_ids), self._storage.runs.kept(run_ids)
        return {run_id: RunRow.model_validate_json(line) for run_id, line in lines.items() if run_id in kept}

    def _night(self, since_s: float, running: str | None) -> list[NightCampaign]:
        """List what was under way after an instant, newest first."""
        names = self._storage.runs.document_names(CAMPAIGN_KIND, "started_s")[:MOST_NIGHT]
        night = []
        for out, campaign in self._history.described(names, running):
            ended_s = max(out.started_s or 0.0, out.ended_s or 0.0)
            if ended_s >= since_s or out.campaign_id == running:
                rows = self._rows([row.run_id for row in out.runs if row.run_id])
                night.append(NightCampaign(campaign=campaign, rows=_made(out, rows)))
        return night


def _begin_s(plan: Plan) -> float:
    since = plan.reference.since if plan.reference else None
    return 0.0 if since is None else datetime.combine(since, time(), UTC).timestamp()


def _made(out: CampaignOut, rows: dict[str, RunRow]) -> list[RunRow]:
    return [rows[row.run_id] for row in out.runs if row.run_id in rows]


def _subject(row: RunRow) -> tuple[str, str, str]:
    return row.server, row.configuration, row.workload


def _reference(
    plan: str, subject: Sequence[str], series: Sequence[tuple[CampaignOut, list[RunRow]]]
) -> ReferenceHealth:
    server, configuration, workload = subject
    charts = []
    for figure, unit in FIGURES:
        points = [point for out, rows in series if (point := _point(out, rows, figure)) is not None]
        units = [quantity.unit for _, rows in series for row in rows if (quantity := getattr(row, figure)) is not None]
        charts.append(health_chart(figure, units[-1] if units else unit, points))
    complete = [row for _, rows in series for row in rows if row.status is RunStatus.COMPLETE]
    return ReferenceHealth(
        plan=plan,
        server=server,
        configuration=configuration,
        workload=workload,
        charts=charts,
        uncharted=sum(any(figure in row.not_ranked for figure, _ in FIGURES) for row in complete),
    )


def _point(out: CampaignOut, rows: Sequence[RunRow], figure: Figure) -> HealthPoint | None:
    """Average a figure over the runs of a campaign that are ranked by it; None where there is none."""
    ranked = [row for row in rows if row.status is RunStatus.COMPLETE and figure not in row.not_ranked]
    values = [quantity.value for row in ranked if (quantity := getattr(row, figure)) is not None]
    if not values:
        return None
    return HealthPoint(
        campaign_id=out.campaign_id or "",
        t_s=out.started_s or 0.0,
        value=fmean(values),
        runs=len(values),
        simulated=any(row.simulated for row in ranked),
        in_baseline=False,
        z=None,
        zone=None,
        violations=[],
    )
