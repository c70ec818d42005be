"""Watts against DIMM count over published servers: every result of one kind of modules, and a line for each server."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from wattmark.analysis.parts.fit import CountedRun, fit_counts
from wattmark.analysis.refusal import Refused
from wattmark.comparison.parts.slope_words import slope_words
from wattmark.comparison.published.imported_groups import IDLE, KEY, build_of, cpu_of, level_name, modules_of, name_of
from wattmark.comparison.published.published_result import PublishedSummary
from wattmark.comparison.published.rounding import printed_interval
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval
from wattmark.core.part_words import DIMM
from wattmark.core.schema import Schema

NOT_STATED = "not stated"
"""Kind of the modules of results that do not state it."""
_VARIANT = re.compile(r"\s*\(.*", re.DOTALL)
"""Suffixes of a model's name: its CPU, the order number of its board."""
LINE_POINTS = 13
"""Points of a drawn line: many servers are sent at once."""
_LEAST = 2
"""DIMM counts that a line needs."""
SCATTER_ONLY = (
    "The interval holds the scatter of the published results only: the errors of their meters are not known, and "
    "firmware, software and settings may differ."
)


class PublishedMemoryPoint(Schema):
    """One published result at one load level."""

    key: str
    """As on Compare."""
    name: str
    build: str
    server: str
    """Key of its server."""
    modules: int
    module_gib: float | None
    power_w: float
    tested_on: str | None
    source: str


class PublishedSlope(Schema):
    """What one module costs at one load level."""

    level: str
    watts_per_dimm: Interval
    line: list[tuple[float, float, float, float]] = []
    """(DIMM count, fitted W, low, high) along the line; low and high are the fitted W where there is no interval."""


class PublishedServer(Schema):
    """Results of one model with the same CPUs and several DIMM counts."""

    key: str
    counts: list[int]
    results: int
    populations: list[str]
    """"4 × 2 GiB", by count."""
    slopes: list[PublishedSlope]
    """Full load first, active idle last."""
    statement: str


class PublishedKind(Schema):
    """Results with one kind of modules."""

    kind: str
    results: int
    servers: int
    """Servers with several DIMM counts."""


class PublishedMemoryOut(Schema):
    """Power of published servers against their DIMM count."""

    workloads: list[str]
    """Those with most results first."""
    workload: str
    kinds: list[PublishedKind]
    """FB-DIMMs first, then those with most servers of several DIMM counts."""
    kind: str
    levels: list[str]
    level: str
    points: list[PublishedMemoryPoint]
    servers: list[PublishedServer]
    left_out: int
    """Results of several nodes, without a DIMM count, or whose modules do not come to the printed amount."""


def published_memory(
    results: Sequence[PublishedSummary],
    kind: str | None = None,
    level: str | None = None,
    workload: str | None = None,
) -> PublishedMemoryOut:
    """Fit watts over DIMM count [W/DIMM] for each published server that was tested with several DIMM counts.

    ``kind`` names the kind of modules; None: FB-DIMMs, else the one with most such servers.
    ``level`` is a load level as on Compare; None: active idle. ``workload`` None: that of most results.
    Raises `InputError` for one that no result has.
    """
    by_workload = Counter(result.workload for result in results)
    workloads = sorted(by_workload, key=lambda name: (-by_workload[name], name))
    ran = workload or next(iter(workloads), "")
    if workload is not None and workload not in by_workload:
        raise InputError(
            f"No published result has the workload {workload[:80]!r}.",
            f"Choose one of: {', '.join(workloads) or 'none'}.",
        )
    results = [result for result in results if result.workload == ran]
    stated = [
        result
        for result in results
        if result.memory.modules and not result.memory.doubt and result.nodes in (None, 1) and result.levels
    ]
    by_kind: dict[str, list[PublishedSummary]] = defaultdict(list)
    for result in stated:
        by_kind[result.memory.kind or NOT_STATED].append(result)
    kinds = sorted((_kind(name, of) for name, of in by_kind.items()), key=_order)
    chosen = kind or next((k.kind for k in kinds if k.servers), kinds[0].kind if kinds else NOT_STATED)
    if kind is not None and kind not in by_kind:
        raise InputError(f"No published result has the modules {kind[:80]!r}.", f"Choose one of: {_names(kinds)}.")
    own = by_kind.get(chosen, [])
    targets = sorted({each.target_pct for result in own for each in result.levels}, reverse=True)
    levels = [level_name(target) for target in targets]
    at = level or (IDLE if IDLE in levels or not levels else levels[0])
    if levels and at not in levels:
        raise InputError(f"No published result has the level {at[:80]!r}.", f"Choose one of: {', '.join(levels)}.")
    return PublishedMemoryOut(
        workloads=workloads,
        workload=ran,
        kinds=kinds,
        kind=chosen,
        levels=levels,
        level=at,
        points=[point for result in own if (point := _point(result, at)) is not None],
        servers=[_server(key, of) for key, of in _servers(own).items()],
        left_out=len(results) - len(stated),
    )


def server_of(result: PublishedSummary) -> str:
    """Return what the systems of a line must share: the model without its variants, and its CPUs."""
    model, cpu = _VARIANT.sub("", name_of(result)), cpu_of(result)
    return f"{model}, {result.cpus} × {cpu}" if result.cpus else f"{model}, {cpu}"


def _order(kind: PublishedKind) -> tuple[bool, int, str]:
    """Return the sort key of kinds: FB-DIMMs, whose buffers cost most, then those with most lines."""
    return not (kind.kind == "FB-DIMM" and kind.servers), -kind.servers, kind.kind


def _names(kinds: Iterable[PublishedKind]) -> str:
    return ", ".join(kind.kind for kind in kinds) or "none"


def _kind(name: str, results: Sequence[PublishedSummary]) -> PublishedKind:
    return PublishedKind(kind=name, results=len(results), servers=len(_servers(results)))


def _servers(results: Sequence[PublishedSummary]) -> dict[str, list[PublishedSummary]]:
    """Group results by server; those with one DIMM count are left out, those with most results come first."""
    servers: dict[str, list[PublishedSummary]] = defaultdict(list)
    for result in results:
        servers[server_of(result)].append(result)
    several = {key: of for key, of in servers.items() if len({each.memory.modules for each in of}) >= _LEAST}
    return dict(sorted(several.items(), key=lambda item: (-len(item[1]), item[0])))


def _watts(result: PublishedSummary, level: str) -> float | None:
    return next((each.power_w for each in result.levels if level_name(each.target_pct) == level), None)


def _point(result: PublishedSummary, level: str) -> PublishedMemoryPoint | None:
    power = _watts(result, level)
    if power is None:
        return None
    return PublishedMemoryPoint(
        key=f"{KEY}{result.id}",
        name=name_of(result),
        build=build_of(result),
        server=server_of(result),
        modules=result.memory.modules or 0,
        module_gib=result.memory.module_gib,
        power_w=power,
        tested_on=result.tested_on,
        source=result.source,
    )


def _server(key: str, results: Sequence[PublishedSummary]) -> PublishedServer:
    counts = sorted({result.memory.modules or 0 for result in results})
    targets = sorted({each.target_pct for result in results for each in result.levels}, reverse=True)
    slopes = [slope for target in targets if (slope := _slope(results, level_name(target))) is not None]
    populations = sorted({(result.memory.modules or 0, modules_of(result)) for result in results})
    return PublishedServer(
        key=key,
        counts=counts,
        results=len(results),
        populations=[words for _, words in populations],
        slopes=slopes,
        statement=_statement(key, results, slopes),
    )


def _slope(results: Sequence[PublishedSummary], level: str) -> PublishedSlope | None:
    """Fit one load level; two results, or counts that lie on every line, have a slope without interval."""
    pairs = [(result, power) for result in results if (power := _watts(result, level)) is not None]
    runs = [CountedRun(each.memory.modules or 0, power, None, {}, installation=each.id) for each, power in pairs]
    counts = [run.count for run in runs]
    if len(set(counts)) < _LEAST:
        return None
    try:
        fit = fit_counts(runs, DIMM)
    except Refused:  # two results: their difference
        (first, last) = sorted(runs, key=lambda run: run.count)
        rise = (last.value - first.value) / (last.count - first.count)
        line = [(float(run.count), run.value, run.value, run.value) for run in (first, last)]
        return PublishedSlope(level=level, watts_per_dimm=Interval(value=rise), line=line)
    # Results that agree to the printed digit do so by chance: their scatter is not known.
    known = fit.bounded and fit.residual_sd > max(printed_interval(power).u for _, power in pairs)
    slope = Interval.of(fit.slope, fit.interval.ends if known else None)
    points = fit.across(LINE_POINTS if known else 2)
    line = points if known else [(count, watts, watts, watts) for count, watts, *_ in points]
    return PublishedSlope(level=level, watts_per_dimm=slope, line=line)


def _statement(key: str, results: Sequence[PublishedSummary], slopes: Sequence[PublishedSlope]) -> str:
    """Describe the power of a module idle and at full load, and what changes with the count."""
    if not slopes:
        return f"{key}: no load level was published with several DIMM counts."
    costs = []
    for slope in (slopes[-1], slopes[0])[: len(slopes)]:
        cost, ends = slope_words(slope.watts_per_dimm)
        costs.append(f"{cost}{ends} at {slope.level if slope.level == IDLE else f'{slope.level} load'}")
    per_count = Counter(result.memory.modules or 0 for result in results)
    counted = " and ".join(f"{n} with {count} modules" for count, n in sorted(per_count.items()))
    module = results[0].memory.kind or "module"
    sentences = [f"{key}: each {module} costs {' and '.join(costs)}, from {len(results)} published results: {counted}."]
    if all(slope.watts_per_dimm.U95 is None for slope in slopes):
        sentences.append("There is no interval: two results lie on every line, and equal ones show no scatter.")
    else:
        sentences.append(SCATTER_ONLY)
        if agreeing := [slope.level for slope in slopes if slope.watts_per_dimm.U95 is None]:
            sentences.append(f"At {', '.join(agreeing)} the results agree to the printed digit: there is no interval.")
    return " ".join([*sentences, *_confounded(results)])


def _confounded(results: Sequence[PublishedSummary]) -> list[str]:
    """Explain what else changes with the DIMM count: the size of the modules, the power supplies."""
    sentences = []
    sizes = {result.memory.mixed or result.memory.module_gib for result in results}
    if len(sizes) > 1:
        populations = sorted({(result.memory.modules or 0, modules_of(result)) for result in results})
        listed = ", ".join(words for _, words in populations)
        sentences.append(f"The size of the modules changes too ({listed}), so its cost is in the slope.")
    supplies = sorted({(r.supplies.count or 0, r.supplies.rating_w or 0.0) for r in results})
    if len(supplies) > 1:
        listed = ", ".join(f"{count} × {rating:g} W" if rating else "not stated" for count, rating in supplies)
        sentences.append(f"The power supplies differ too ({listed}).")
    return sentences
