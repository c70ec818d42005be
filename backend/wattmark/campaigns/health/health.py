"""Bench health from the stored campaigns: one point of a chart per campaign, and the campaigns of a night."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, tzinfo
from statistics import fmean

from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.campaigns.health.chart import health_chart
from wattmark.campaigns.health.views import (
    BenchHealth,
    Figure,
    HealthChart,
    HealthPoint,
    NightCampaign,
    ReferenceHealth,
)
from wattmark.campaigns.history import StoredCampaigns
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_KIND, read_start, read_state
from wattmark.core.errors import StoreError
from wattmark.core.quantity import Quantity
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.pages.row import RunRow, run_row
from wattmark.runs.record import RunStatus

FIGURES: tuple[tuple[Figure, str], ...] = (("power", "W"), ("efficiency", "1/J"))
MOST_NIGHT = 50
"""Campaigns of a night, newest first."""


class Health:
    """Bench health of a data folder; safe to call from several threads."""

    def __init__(
        self,
        storage: Storage,
        results: Evaluations,
        bench: Callable[[], Bench],
        history: StoredCampaigns,
        zone: tzinfo,
        left_settings: Callable[[], list[str]],
    ) -> None:
        """``zone`` is that of the days of plans, as of their calendars; ``left_settings`` says which servers still have
        power settings of a run.
        """
        self._storage = storage
        self._results = results
        self._bench = bench
        self._history = history
        self._zone = zone
        self._left_settings = left_settings

    def health(self, since_s: float, running: str | None) -> BenchHealth:
        """Chart the reference plans, and list the campaigns since an instant [Unix s]; ``running`` is under way."""
        references = [
            reference
            for plan in self._bench().plans
            if plan.reference is not None
            for reference in self._references(plan, running)
        ]
        return BenchHealth(
            references=references, night=self._night(since_s, running), left_settings=self._left_settings()
        )

    def _references(self, plan: Plan, running: str | None) -> Iterator[ReferenceHealth]:
        campaigns = self._campaigns(plan, running)
        rows = self._rows([row.run_id for out in campaigns for row in out.runs if row.run_id])
        places = [place.partition("/")[::2] for place in dict.fromkeys(plan.configurations)]
        variants = [(server, of.variant(configuration)) for server, configuration in places for of in plan.variants]
        for place in variants:
            for workload in dict.fromkeys(plan.workloads):
                wanted = (*place, workload)
                series = [(out, [row for row in _made(out, rows) if _subject(row) == wanted]) for out in campaigns]
                yield _reference(plan, wanted, series)

    def _campaigns(self, plan: Plan, running: str | None) -> list[CampaignOut]:
        """Read the campaigns of a plan that were made here at full load and have ended, oldest first."""
        runs = self._storage.runs
        names = runs.document_names(CAMPAIGN_KIND, "started_s", ("plan", plan.name))
        documents, starts = runs.some_documents(CAMPAIGN_KIND, names), runs.some_documents(START_KIND, names)
        begin_s = self._begin_s(plan)
        campaigns = []
        for name in (name for name in reversed(names) if name in documents and name in starts and name != running):
            try:
                out, started = read_state(name, documents[name]), read_start(name, starts[name])[0]
            except StoreError:
                continue
            if started.at_full_load and (out.started_s or 0.0) >= begin_s:
                campaigns.append(out)
        return campaigns

    def _begin_s(self, plan: Plan) -> float:
        since = plan.reference.since if plan.reference else None
        return 0.0 if since is None else datetime.combine(since, time(), self._zone).timestamp()

    def _rows(self, run_ids: Sequence[str]) -> dict[str, RunRow]:
        """Read the results of runs as they are shown now; runs in the trash are left out."""
        lines, kept = self._storage.results.lines(run_ids), self._storage.runs.kept(run_ids)
        rows = {run_id: RunRow.model_validate_json(line) for run_id, line in lines.items() if run_id in kept}
        # Stored lines do not know of a person's decision to rank a run.
        ranked_by_choice = sorted(rows.keys() & self._storage.annotations.inclusions().keys())
        return rows | {run.run_id: run_row(result) for run, result in self._results.each(ranked_by_choice)}

    def _night(self, since_s: float, running: str | None) -> list[NightCampaign]:
        """List what was under way after an instant, newest first."""
        names = self._storage.runs.document_names(CAMPAIGN_KIND, "started_s")[:MOST_NIGHT]
        night = []
        for out, campaign in self._history.described(names, running):
            if _last_seen_s(out) >= since_s or out.campaign_id == running:
                rows = self._rows([row.run_id for row in out.runs if row.run_id])
                night.append(NightCampaign(campaign=campaign, rows=_made(out, rows)))
        return night


def _last_seen_s(out: CampaignOut) -> float:
    """Return when a campaign was under way last [Unix s]; one that a crash ended has no end."""
    return max((out.started_s or 0.0) + (out.elapsed_s or 0.0), out.ended_s or 0.0)


def _made(out: CampaignOut, rows: dict[str, RunRow]) -> list[RunRow]:
    return [rows[row.run_id] for row in out.runs if row.run_id in rows]


def _subject(row: RunRow) -> tuple[str, str, str]:
    return row.server, row.configuration, row.workload


def _reference(
    plan: Plan, subject: Sequence[str], series: Sequence[tuple[CampaignOut, list[RunRow]]]
) -> ReferenceHealth:
    server, configuration, workload = subject
    complete = [(out, [row for row in rows if row.status is RunStatus.COMPLETE]) for out, rows in series]
    since = plan.reference.since if plan.reference else None
    charts = [_figure_chart(figure, unit, complete, since) for figure, unit in FIGURES]
    return ReferenceHealth(plan=plan.name, server=server, configuration=configuration, workload=workload, charts=charts)


def _figure_chart(
    figure: Figure, unit: str, series: Sequence[tuple[CampaignOut, list[RunRow]]], since: date | None
) -> HealthChart:
    """Chart a figure of complete runs. What limits from other runs cannot judge is left out and counted.

    That is a figure in another unit than the latest, and a simulated one where others are measured.
    """
    ranked = [
        (out, [(row, quantity) for row in rows if (quantity := _ranked(row, figure)) is not None])
        for out, rows in series
    ]
    units = [quantity.unit for _, figures in ranked for _, quantity in figures]
    measured = any(not row.simulated for _, figures in ranked for row, _ in figures)
    points, charted = [], 0
    for out, figures in ranked:
        alike = [
            (row, quantity)
            for row, quantity in figures
            if quantity.unit == units[-1] and not (measured and row.simulated)
        ]
        if alike:
            points.append(_point(out, alike))
            charted += len(alike)
    uncharted = sum(len(rows) for _, rows in series) - charted
    return health_chart(figure, units[-1] if units else unit, points, uncharted, since)


def _ranked(row: RunRow, figure: Figure) -> Quantity | None:
    """Return a figure by which a run is ranked."""
    quantity: Quantity | None = getattr(row, figure)
    return None if figure in row.not_ranked else quantity


def _point(out: CampaignOut, figures: Sequence[tuple[RunRow, Quantity]]) -> HealthPoint:
    """Average a figure over the runs of a campaign."""
    return HealthPoint(
        campaign_id=out.campaign_id or "",
        t_s=out.started_s or 0.0,
        value=fmean(quantity.value for _, quantity in figures),
        runs=len(figures),
        simulated=any(row.simulated for row, _ in figures),
        in_baseline=False,
        z=None,
        zone=None,
        violations=[],
    )
