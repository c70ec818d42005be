"""Imported results as groups, to be shown beside measured runs: each load level, and the overall figure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from wattmark.comparison.compare.load import OVERALL
from wattmark.comparison.compare.views import CompareGroup, GroupFacts
from wattmark.comparison.published.dates import possible_dates
from wattmark.comparison.published.groups import year_of
from wattmark.comparison.published.imported import ImportedResults
from wattmark.comparison.published.published_result import PublishedLevel, PublishedSummary
from wattmark.comparison.published.rounding import printed_interval, quotient_interval
from wattmark.core.interval import Interval95
from wattmark.core.numbers import format_number

IDLE = "active idle"
KEY = "published:"
NO_WORK = "No work is done at active idle, so there is no performance per watt."
_MOST_DIGITS = 12
"""Characters of a printed number."""
MOST_KEPT = 24
"""Levels whose groups are kept; those of 780 results take 2 MB."""
_EXTRAS = re.compile(r"\s*(?:\(|@|,? [0-9.]+ ?GHz).*$", re.ASCII | re.DOTALL)
"""Suffixes of a CPU's name: its base and boost clocks."""
_WORDS = re.compile(r"\((?:R|TM)\)|\b(?:Processor|CPU)\b", re.ASCII | re.IGNORECASE)
_COMPANY = re.compile(
    r"[ ,]+(?:Inc|Incorporated|Corp|Corporation|Company|Co|Ltd|Limited|Computers?|Technolog(?:y|ies)|Global)\b\.?",
    re.ASCII | re.IGNORECASE,
)
OVER_ALL = "Throughput and power are means over all load levels, active idle included."


def level_name(target_pct: float) -> str:
    """Name a load level by its target [%]."""
    return IDLE if target_pct == 0 else f"{target_pct:g} %"


def levels_of(result: PublishedSummary) -> list[str]:
    """List the levels under which a result can be compared."""
    names = [level_name(level.target_pct) for level in result.levels]
    return [OVERALL, *names] if len(names) > 1 else names


class Standing(NamedTuple):
    """Workload and level of an imported figure."""

    workload: str
    level: str


class ImportedGroups:
    """Imported figures by workload and level, built once for as long as no result changes.

    Safe to call from several threads.
    """

    def __init__(self, results: ImportedResults) -> None:
        self.results = results
        self._standing: tuple[tuple[PublishedSummary, ...], list[Standing]] = (), []
        self._built: tuple[tuple[PublishedSummary, ...], dict[Standing, list[CompareGroup]]] = (), {}

    def standing(self) -> list[Standing]:
        """List the workload and level of each figure."""
        summaries = self.results.summaries()
        if self._standing[0] is not summaries:
            listed = [Standing(each.workload, level) for each in summaries for level in levels_of(each)]
            self._standing = summaries, listed
        return self._standing[1]

    def of(self, workload: str, level: str) -> list[CompareGroup]:
        """Return the figures of one workload and level; none is traceable, and intervals come from rounding only."""
        summaries = self.results.summaries()
        known, built = self._built
        if known is not summaries or len(built) >= MOST_KEPT:
            built = {}
            self._built = summaries, built
        if (groups := built.get(Standing(workload, level))) is None:
            groups = built[Standing(workload, level)] = imported_groups(summaries, workload, level)
        return groups


def imported_groups(results: Sequence[PublishedSummary], workload: str, level: str) -> list[CompareGroup]:
    """Return the figures of one workload and level; none is traceable, and intervals come from rounding only."""
    groups = []
    for result in results:
        if result.workload == workload and level in levels_of(result):
            printed = next((each for each in result.levels if level_name(each.target_pct) == level), None)
            groups.append(_group(result, level, *(_overall(result) if printed is None else _of_level(printed))))
    return groups


def cpu_of(result: PublishedSummary) -> str:
    """Return the name of the CPU without its base and boost clocks."""
    name = _EXTRAS.sub("", _WORDS.sub(" ", result.cpu))
    return " ".join(name.split())


def maker_of(result: PublishedSummary) -> str:
    """Return the maker's name without its legal form, so that all spellings agree."""
    return _COMPANY.sub("", result.maker).rstrip(" ,") or result.maker


def name_of(result: PublishedSummary) -> str:
    """Name a system by its model, and by its maker where the model does not."""
    maker = maker_of(result)
    first = maker.partition(" ")[0].casefold()
    return result.model if first in result.model.casefold() else f"{maker} {result.model}".strip()


def build_of(result: PublishedSummary) -> str:
    """Describe what distinguishes results of one model: nodes, CPUs, memory, when it was tested."""
    memory, cpu = result.memory, cpu_of(result)
    parts = [
        f"{result.nodes} nodes" if result.nodes and result.nodes > 1 else None,
        f"{result.cpus} × {cpu}" if result.cpus and cpu else cpu,
        " ".join(part for part in (modules_of(result), memory.kind) if part) if memory.modules else None,
        result.tested_on or result.published_on,
    ]
    return ", ".join(part for part in parts if part)


def modules_of(result: PublishedSummary) -> str:
    """Describe the modules: "4 × 2 GiB", each group where sizes differ; empty where the result does not state them."""
    count, each = result.memory.modules, result.memory.module_gib
    if result.memory.mixed:
        return result.memory.mixed
    if count is None:
        return ""
    return f"{count} modules" if each is None else f"{count} × {format_number(each)} GiB"


def units_of(result: PublishedSummary) -> tuple[str, str]:
    """Return the units of throughput and of work per joule; ssj_ops are a rate by themselves."""
    work = result.unit.removesuffix("/s")
    return result.unit, f"{work}/J" if work != result.unit else f"{work}/W"


Figures = tuple[Interval95 | None, Interval95, Interval95 | None]
"""Throughput, power, performance per watt."""


def _of_level(level: PublishedLevel) -> Figures:
    power = printed_interval(_printed(level.power_w))
    if not level.ops_per_s:
        return None, power, None
    rate = printed_interval(_printed(level.ops_per_s))
    return rate, power, quotient_interval(rate, power)


def _printed(value: float) -> float:
    """Return a figure as printed; one that an importer computed, which has no end of digits, with five of them."""
    return value if len(repr(value)) <= _MOST_DIGITS else float(f"{value:.5g}")


def _overall(result: PublishedSummary) -> Figures:
    rate = _mean([printed_interval(level.ops_per_s) for level in result.levels], 0)
    power = _mean([printed_interval(level.power_w) for level in result.levels], 1)
    printed = result.stated_overall
    return rate, power, quotient_interval(rate, power) if printed is None else printed_interval(printed)


def _mean(printed: Sequence[Interval95], decimals: int) -> Interval95:
    """Average printed numbers, whose digits end there; the interval has every mean of values that round to them."""
    n = len(printed)
    return Interval95(
        value=round(math.fsum(each.value for each in printed) / n, decimals),
        low=math.fsum(each.low for each in printed) / n,
        high=math.fsum(each.high for each in printed) / n,
        u=math.hypot(*(each.u for each in printed)) / n,
    )


def _group(
    result: PublishedSummary,
    level: str,
    throughput: Interval95 | None,
    power: Interval95,
    efficiency: Interval95 | None,
) -> CompareGroup:
    memory, (rate_unit, efficiency_unit) = result.memory, units_of(result)
    dates = possible_dates(result)
    return CompareGroup(
        key=f"{KEY}{result.id}",
        title=name_of(result),
        server=f"{maker_of(result)} {result.model}".strip(),
        configuration=build_of(result) or "as published",
        dimm_count=None if memory.doubt else memory.modules,
        kind="published",
        workload=result.workload,
        level=level,
        runs=[],
        n=1,
        efficiency=efficiency,
        power_w=power,
        throughput=throughput,
        efficiency_unit=efficiency_unit,
        throughput_unit=rate_unit,
        steady=None,
        full_load=None,
        traceable=False,
        source=result.source,
        program_versions=[result.program_version] if result.program_version else [],
        refusal=None if throughput is not None else NO_WORK,
        remarks=[
            *([OVER_ALL] if level == OVERALL else []),
            *result.contradictions,
            *([memory.doubt] if memory.doubt else []),
            *dates.doubts,
        ],
        facts=GroupFacts(
            cpu=cpu_of(result) or None,
            maker=maker_of(result) or None,
            memory_type=memory.kind,
            memory_gib=memory.total_gib,
            year=year_of(dates.published_on or dates.available_on),
            collection=result.collection or result.kind,
            available_on=dates.available_on,
            published_on=dates.published_on,
        ),
    )
