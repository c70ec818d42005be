"""Answers about runs for programs that talk: every figure with unit and ±, or with the reason why it has none."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from wattmark.comparison.compare.views import CompareChoice, CompareGroup, CompareOut, ComparePair
from wattmark.comparison.compare.yardstick import ComparedBy, yardstick
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval95
from wattmark.core.quantity import BudgetLine, Quantity
from wattmark.core.schema import Schema
from wattmark.reading.readable import Readable
from wattmark.results.issued.versions import labels
from wattmark.results.names import group_names
from wattmark.results.pages.row import RunRow
from wattmark.results.plus_minus import NOT_KNOWN, NOT_TRACEABLE, SIGN, plus_minus_text
from wattmark.results.result import BudgetedQuantity, Claim
from wattmark.results.state import run_state
from wattmark.results.tables.run_rows import remark_of

MOST_RUNS = 200
PUBLISHED = "No ±: a published figure, not measured here; only the rounding of its print is known."


class Figure(Schema):
    """A value with its unit. U95 is its ± at 95 %, u its standard uncertainty; without them ``remark`` says why."""

    value: float
    unit: str
    U95: float | None = None
    u: float | None = None
    remark: str | None = Field(None, description="Why there is no ±, or what it does not include.")

    @model_validator(mode="after")
    def _with_reason(self) -> Self:
        if self.U95 is None and not self.remark:
            raise ValueError("a figure without ± needs the reason")
        return self


class ListedRun(Schema):
    """A run: what ran on what, how it went, and its figures. A figure that is null is not known: ``state`` says why."""

    run_id: str
    created: str
    lab: str
    server: str
    configuration: str
    workload: str
    level: str
    repeat: int
    kind: Literal["measured", "simulated", "imported"]
    state: str
    state_reason: str | None
    work_per_joule: Figure | None
    power: Figure | None
    throughput: Figure | None
    not_ranked: dict[Claim, str] = Field(description="Claims by which the run must not be ranked, with the reason.")


class RunList(Schema):
    """Runs, newest first."""

    total: int
    matching: int
    runs: list[ListedRun]
    next_offset: int | None


class Ratio(Schema):
    """A ratio to the baseline with the ends of its 95 % interval; without them ``remark`` says why."""

    value: float
    low: float | None
    high: float | None
    remark: str | None


class ComparedConfiguration(Schema):
    """A configuration in a comparison."""

    key: str
    name: str
    kind: Literal["measured", "simulated", "imported", "published"]
    runs: int
    figure: Figure | None = Field(
        description="The figure compared by: the mean of the runs. Null: ``remarks`` says why."
    )
    ratio: Ratio | None = Field(description="To the baseline; null for the baseline and where none can be given.")
    verdict: str | None = Field(description="Against the baseline, in words.")
    rank: str | None = Field(description="Place or tied places; null: not ranked.")
    not_ranked: str | None
    remarks: list[str]


class Comparison(Schema):
    """Configurations side by side. ``statement`` is the answer; do not derive another one from the figures."""

    title: str
    statement: str
    claim: str
    compared_by: ComparedBy
    better: Literal["higher", "lower"]
    smallest_difference_pct: float
    baseline: str | None
    configurations: list[ComparedConfiguration]


class Term(Schema):
    """A contribution to the uncertainty of a figure."""

    name: str
    kind: str
    evaluation: Literal["A", "B"]
    u: float = Field(description="Standard uncertainty that it contributes, in the unit of the figure.")
    share_pct: float = Field(description="Share of the variance [%].")
    note: str


class Budget(Schema):
    """What the ± of a figure consists of, largest contribution first."""

    run_id: str
    figure: Figure
    terms: list[Term]
    complete: bool = Field(description="False: a contribution is not known, so there is no ±.")
    advice: str | None = Field(description="The largest contribution, and what would make the ± smaller.")
    calibration: list[str] = Field(description="The certificate or specification behind each meter.")
    notes: list[str]


def list_runs(
    place: Readable,
    text: str = "",
    server: str | None = None,
    workload: str | None = None,
    level: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> RunList:
    """List runs, newest first; every word of ``text`` must be in their names, meter, tags or note."""
    rows = place.rows()
    wanted = {"server": server, "workload": workload, "level": level}
    words = text.lower().split()
    chosen = [
        row
        for row in reversed(rows)
        if all(value is None or getattr(row, name) == value for name, value in wanted.items())
        and all(word in _words(row) for word in words)
    ]
    limit, offset = max(1, min(limit, MOST_RUNS)), max(0, offset)
    end = offset + limit
    return RunList(
        total=len(rows),
        matching=len(chosen),
        runs=[_listed(row) for row in chosen[offset:end]],
        next_offset=end if end < len(chosen) else None,
    )


def list_comparisons(place: Readable) -> list[CompareChoice]:
    """List the workloads and levels at which configurations can be compared."""
    with place.comparing() as comparing:
        return comparing.choices()


def compare(
    place: Readable,
    workload: str | None = None,
    level: str | None = None,
    baseline: str | None = None,
    figure: ComparedBy = "efficiency",
    smallest_pct: float | None = None,
) -> Comparison:
    """Compare configurations: ratios to the baseline with 95 % intervals, verdicts, ranks with ties."""
    compared = place.comparison(workload, level, baseline, yardstick(figure, smallest_pct))
    pairs = {pair.key: pair for pair in compared.pairs}
    names = group_names(compared.groups)
    return Comparison(
        title=compared.title,
        statement=compared.statement,
        claim=compared.claim,
        compared_by=compared.compared_by,
        better=compared.direction,
        smallest_difference_pct=compared.smallest_difference_pct,
        baseline=compared.baseline,
        configurations=[
            _compared(group, compared, pairs.get(group.key), names[group.key]) for group in compared.groups
        ],
    )


def explain_budget(place: Readable, run: str, figure: ComparedBy = "efficiency") -> Budget:
    """Explain what the ± of a figure of a run consists of. Raises `InputError` where the run has no such figure."""
    result = place.result(run)
    quantity: BudgetedQuantity | None = getattr(result, figure)
    if quantity is None:
        state = run_state(result)
        raise InputError(
            f"Run {run[:80]} has no {figure}: {state.reason or state.words}", "Choose another figure or run."
        )
    return Budget(
        run_id=run,
        figure=_figure(quantity, plus_minus_text(result), of_work=figure != "power"),
        terms=[_term(line) for line in quantity.budget],
        complete=quantity.u is not None,
        advice=_advice(quantity),
        calibration=labels(result),
        notes=list(result.notes),
    )


def _words(row: RunRow) -> str:
    names = row.run_id, row.server, row.configuration, row.configuration_title, row.workload, row.level, row.meter
    return " ".join((*names, row.campaign_id or "", *row.tags, row.note)).lower()


def _listed(row: RunRow) -> ListedRun:
    remark = remark_of(row)
    return ListedRun(
        run_id=row.run_id,
        created=row.created,
        lab=row.lab,
        server=row.server,
        configuration=row.configuration_title or row.configuration,
        workload=row.workload,
        level=row.level,
        repeat=row.repeat,
        kind=row.kind,
        state=row.state.words,
        state_reason=row.state.reason,
        work_per_joule=None if row.efficiency is None else _figure(row.efficiency, remark, of_work=True),
        power=None if row.power is None else _figure(row.power, remark, of_work=False),
        throughput=None if row.throughput is None else _figure(row.throughput, remark, of_work=True),
        not_ranked=row.not_ranked,
    )


def _figure(quantity: Quantity, remark: str | None, *, of_work: bool) -> Figure:
    """State a quantity; ``remark`` speaks of its run: of a ± it may say what is missing, but of that of power alone."""
    said = remark if quantity.U95 is None or of_work else None
    return Figure(value=quantity.value, unit=quantity.unit, U95=quantity.U95, u=quantity.u, remark=said)


def _compared(group: CompareGroup, compared: CompareOut, pair: ComparePair | None, name: str) -> ComparedConfiguration:
    by = yardstick(compared.compared_by)
    interval = by.value(group)
    barred = group.not_ranked.get(compared.compared_by)
    return ComparedConfiguration(
        key=group.key,
        name=name,
        kind=group.kind,
        runs=group.n,
        figure=None if interval is None else _mean(group, interval, by.unit(group)),
        ratio=None if pair is None else _ratio(group, pair),
        verdict=None if pair is None else pair.verdict,
        rank=_rank(group),
        not_ranked=barred or group.refusal,
        remarks=group.remarks,
    )


def _mean(group: CompareGroup, interval: Interval95, unit: str) -> Figure:
    """State the mean of a group; the rounding of a print is no ±, and neither is scatter alone."""
    if group.kind == "published":
        return Figure(value=interval.value, unit=unit, remark=PUBLISHED)
    if interval.U95 is None:
        return Figure(value=interval.value, unit=unit, remark=_why_none(group))
    return Figure(value=interval.value, unit=unit, U95=interval.U95, u=interval.u)


def _why_none(group: CompareGroup) -> str:
    general = NOT_KNOWN if group.traceable else NOT_TRACEABLE
    return " ".join(remark for remark in group.remarks if SIGN in remark) or general


def _ratio(group: CompareGroup, pair: ComparePair) -> Ratio:
    low, high = (None, None) if group.kind == "published" else pair.ratio.ends
    why = PUBLISHED if group.kind == "published" else pair.verdict
    return Ratio(value=pair.ratio.value, low=low, high=high, remark=why if low is None or high is None else None)


def _rank(group: CompareGroup) -> str | None:
    if group.rank_low is None:
        return None
    return f"{group.rank_low}" if group.rank_low == group.rank_high else f"{group.rank_low} to {group.rank_high}"


def _term(line: BudgetLine) -> Term:
    return Term(
        name=line.name,
        kind=line.kind,
        evaluation=line.evaluation,
        u=line.u_result,
        share_pct=line.share_pct,
        note=line.note,
    )


def _advice(quantity: BudgetedQuantity) -> str | None:
    dominant = quantity.dominant
    return None if dominant is None else f"{dominant.name} ({dominant.share_pct:.0f} %): {dominant.action}"
