"""The published library as tables: printed figures, derived figures, and contradictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wattmark.comparison.published import conclusions, power_claims
from wattmark.comparison.published.article import Article, Check, Remark
from wattmark.comparison.published.break_even import break_even
from wattmark.comparison.published.groups import published_groups
from wattmark.comparison.published.loading import Library
from wattmark.comparison.published.power_claims import AMB_W, OPTERON_TDP_W, XEON_TDP_W
from wattmark.comparison.published.recompute import recompute
from wattmark.comparison.published.views import PublishedOut, PublishedTable

NOTICE = "Published figures with their sources, not measured here. Intervals come only from rounding."
Row = list[str | float | None]
_EFFICIENCY_COLUMNS = (
    "Workload",
    "System",
    "Level",
    "Throughput",
    "Unit",
    "Power [W]",
    "Performance per watt",
    "Lowest",
    "Highest",
    "Unit of performance per watt",
    "Energy per operation [J]",
    "Why there is none",
)
_AMB_COLUMNS = (
    "CPUs",
    "Opteron TDP [W]",
    "Xeon TDP [W]",
    "Advantage [W]",
    "AMB [W per FB-DIMM]",
    "Break-even [FB-DIMMs]",
    "First whole number",
    "AMB for break-even at eight [W]",
)


def published_out(library: Library) -> PublishedOut:
    """Return the library for the API: notice, sources and all tables."""
    tables: list[PublishedTable] = []
    for article in library.articles:
        tables.extend(_printed(article))
        if article.power:
            tables += [_efficiency(library, article), _conclusions(library, article), _power_claims(article)]
            tables.append(_amb(article))
        tables += [_systems(article), _recomputed(article, library.checks.get(article.source.id, ()))]
        tables.append(_claims(article))
    tables.append(_remarks(library.remarks))
    return PublishedOut(
        notice=NOTICE, sources=[article.source.model_dump() for article in library.articles], tables=tables
    )


def _table(
    article: Article,
    identity: str,
    title: str,
    columns: Sequence[str],
    rows: Iterable[Row],
    remarks: Sequence[str] = (),
) -> PublishedTable:
    return PublishedTable(
        id=f"{article.source.id}.{identity}",
        title=title,
        source=f"{article.source.site}, {article.source.title} ({article.source.date})",
        columns=list(columns),
        rows=list(rows),
        remarks=list(remarks),
    )


def _printed(article: Article) -> Iterator[PublishedTable]:
    for table in article.tables:
        yield _table(article, table.id, table.title, table.columns, map(list, table.rows), table.remarks)


def _efficiency(library: Library, article: Article) -> PublishedTable:
    """Combine throughput and power where they belong together, else explain why they do not."""
    own = {figure.id for workload in article.workloads for figure in workload.figures}
    groups = [group for group in published_groups(library) if group.key.removeprefix("published:") in own]
    rows: list[Row] = [
        [
            group.workload,
            group.title,
            group.level,
            group.throughput.value if group.throughput else None,
            group.throughput_unit,
            group.power_w.value if group.power_w else None,
            group.efficiency.value if group.efficiency else None,
            group.efficiency.low if group.efficiency else None,
            group.efficiency.high if group.efficiency else None,
            group.efficiency_unit,
            group.energy_per_op.value if group.energy_per_op else None,
            group.refusal,
        ]
        for group in groups
    ]
    remarks = ["Computed here from the printed figures; lowest and highest come from the rounding of the print."]
    return _table(
        article, "efficiency", "Performance per watt from printed figures", _EFFICIENCY_COLUMNS, rows, remarks
    )


def _conclusions(library: Library, article: Article) -> PublishedTable:
    rows = conclusions.conclusions(library, article)
    title = "Conclusions about performance per watt"
    return _table(article, "conclusions", title, conclusions.COLUMNS, rows, conclusions.REMARKS)


def _power_claims(article: Article) -> PublishedTable:
    rows = power_claims.power_claims(article)
    return _table(article, "power-claims", "Claims about watts, recomputed", power_claims.COLUMNS, rows)


def _amb(article: Article) -> PublishedTable:
    cases = [
        (opteron_w, xeon_w, break_even(cpus, opteron_w, xeon_w, AMB_W))
        for cpus in (1, 2)
        for opteron_w in OPTERON_TDP_W
        for xeon_w in XEON_TDP_W
    ]
    rows: list[Row] = [
        [c.cpus, opteron_w, xeon_w, c.advantage_w, AMB_W, c.modules, c.first_whole, c.amb_w_for_eight]
        for opteron_w, xeon_w, c in cases
    ]
    remarks = [
        "The article claims that the advantage ends at eight FB-DIMMs. At 5 W per AMB two CPUs break even at ten "
        "or eleven; eight would need 6.0 to 6.75 W per AMB.",
        "The Xeon tested is the 80 W part; the 65 W of the claim are those of a slower model.",
    ]
    return _table(article, "fb-dimm-break-even", "FB-DIMM buffers against CPU power", _AMB_COLUMNS, rows, remarks)


def _systems(article: Article) -> PublishedTable:
    columns = (
        "System",
        "CPU",
        "CPUs",
        "Cores",
        "Memory [GB]",
        "Modules",
        "Memory type",
        "Disks",
        "OS",
        "Power",
        "Role",
        "Place",
    )
    rows: list[Row] = [
        [
            *(s.title, s.cpu, s.cpus, s.cores, s.memory_gib, s.modules, s.memory_type, s.disks, s.os),
            *(s.no_power, s.role, s.place),
        ]
        for s in article.systems
    ]
    return _table(article, "systems", "Systems", columns, rows, ["The article does not state the empty cells."])


def _recomputed(article: Article, checks: Sequence[Check]) -> PublishedTable:
    rows: list[Row] = []
    for check in checks:
        recomputed = recompute(check.operation, check.inputs, check.half_width, check.printed, check.decimals)
        rows.append(
            [
                check.id,
                check.operation,
                check.printed,
                recomputed.value,
                recomputed.low,
                recomputed.high,
                check.unit,
                recomputed.status,
            ]
        )
    columns = ("Figure", "Operation", "Printed", "Recomputed", "Lowest", "Highest", "Unit", "Status")
    remarks = [
        "Rounded half away from zero; for lowest and highest, every printed input is shifted by half of its last digit."
    ]
    return _table(article, "recomputed", "Derived figures recomputed from printed ones", columns, rows, remarks)


def _claims(article: Article) -> PublishedTable:
    rows: list[Row] = [[claim] for claim in article.claims]
    return _table(article, "claims", "Claims without supporting figures", ["Claim"], rows)


def _remarks(remarks: Sequence[Remark]) -> PublishedTable:
    rows: list[Row] = [[r.id, ", ".join(r.sources), r.where, r.what, r.severity] for r in remarks]
    return PublishedTable(
        id="remarks",
        title="Inconsistencies in the articles",
        source="all",
        columns=["Number", "Source", "Where", "What", "Kind"],
        rows=rows,
        remarks=[],
    )
