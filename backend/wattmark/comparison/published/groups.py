"""Published figures as groups, to be shown beside measured runs."""

from __future__ import annotations

import re

from wattmark.comparison.compare.groups import inverse
from wattmark.comparison.compare.views import CompareGroup, GroupFacts
from wattmark.comparison.published.article import Article, Figure, Workload
from wattmark.comparison.published.loading import Library
from wattmark.comparison.published.pairing import pair
from wattmark.comparison.published.rounding import printed_interval, quotient_interval

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def published_groups(library: Library, workload: str | None = None) -> list[CompareGroup]:
    """Return the figures of one workload, or of all; none is traceable, and its intervals come from rounding only."""
    return [
        _group(article, each, figure)
        for article in library.articles
        for each in article.workloads
        if workload in (None, each.id)
        for figure in each.figures
    ]


def year_of(date: str | None) -> int | None:
    """Read the year of a date as printed; None where it begins with none."""
    return int(date[:4]) if date and date[:4].isdecimal() else None


def _group(article: Article, workload: Workload, figure: Figure) -> CompareGroup:
    system, paired = article.system(figure.system), pair(article, figure)
    throughput = printed_interval(article.value(figure.at)) if figure.at else None
    power = printed_interval(article.value(paired.power.at)) if paired.power else None
    efficiency = quotient_interval(throughput, power) if throughput and power else None
    same_memory = paired.power is None or paired.power.memory_gib == system.memory_gib
    return CompareGroup(
        key=f"published:{figure.id}",
        title=f"{system.title} ({figure.detail})" if figure.detail else system.title,
        server=system.id,
        configuration=figure.detail or "as published",
        dimm_count=system.modules if same_memory else None,
        kind="published",
        workload=workload.id,
        level=figure.level,
        runs=[],
        n=1,
        efficiency=efficiency,
        power_w=power,
        throughput=throughput,
        efficiency_unit=f"{workload.unit}/J",
        throughput_unit=workload.throughput_unit,
        energy_per_op=inverse(efficiency) if efficiency else None,
        steady=None,
        full_load=None,
        traceable=False,
        source=f"{article.source.site}, {article.source.title} ({article.source.date})",
        refusal=paired.refusal,
        remarks=list(paired.remarks),
        facts=GroupFacts(
            cpu=system.cpu,
            memory_type=system.memory_type if same_memory else None,
            memory_gib=system.memory_gib if same_memory else None,
            year=year_of(article.source.date),
            collection=article.source.site,
            published_on=article.source.date if _DAY.fullmatch(article.source.date) else None,
        ),
    )
