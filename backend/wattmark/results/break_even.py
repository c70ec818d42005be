"""At how many DIMMs the advantage of one server over another is gone, as numbers and in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from wattmark.analysis.break_even import break_even
from wattmark.analysis.memory import MemoryFit
from wattmark.analysis.refusal import Refused
from wattmark.analysis.slopes import SlopeDifference, slope_difference
from wattmark.errors import InputError
from wattmark.results.break_even_views import BreakEvenOut, Crossing, MemoryLine
from wattmark.results.installations import installations
from wattmark.results.memory import choices_said, counted_runs, fit_counted
from wattmark.results.ranking_bars import inclusion_text
from wattmark.results.views import Interval95
from wattmark.runs.result import Result


def break_even_view(results: Sequence[Result], servers: tuple[str, str], workload: str, level: str) -> BreakEvenOut:
    """Find where the lines of watts against DIMM count of two servers cross, or say why that cannot be told.

    Raises `InputError` for one server given twice, and for a server that did not run this workload and level.
    """
    if servers[0] == servers[1]:
        raise InputError(
            f"{servers[0]} cannot be held against itself.", "Name another server (against; --against SERVER)."
        )
    runs = {server: _runs(results, server, workload, level) for server in servers}
    model = [server for server, mine in runs.items() if any(r.simulated for r in counted_runs(mine))]
    view = BreakEvenOut(
        server=servers[0], against=servers[1], workload=workload, level=level, statement="", simulated=bool(model)
    )
    note = f"Simulated power{f' of {model[0]}' if len(model) == 1 else ''}: " if model else ""
    return view.model_copy(update=_found(runs, servers, note, installations(results)))


def _found(
    runs: Mapping[str, Sequence[Result]], servers: tuple[str, str], note: str, fitted: Mapping[str, str]
) -> dict[str, object]:
    try:
        fits = {server: fit_counted(counted_runs(mine), fitted) for server, mine in runs.items()}
    except Refused as refusal:
        said = f"{note}No break-even of {servers[0]} and {servers[1]}: {refusal.text}"
        return {"statement": " ".join([said, *_choices(runs)])}
    crossing, said = _crossing(fits, servers)
    dear, cheap = sorted(servers, key=lambda server: -fits[server].slope)
    lines = [_line(server, fits[server], runs[server]) for server in (dear, cheap)]
    complete = all(line.watts_per_dimm.complete for line in lines)
    found: dict[str, object] = {"lines": lines, "crossing": crossing}
    try:
        more = slope_difference(fits[dear], fits[cheap])
    except Refused as refusal:
        said = f"{note}{said} Their DIMMs are not compared: {refusal.text}"
        return {**found, "statement": " ".join([said, *_choices(runs)])}
    return {
        **found,
        "statement": " ".join([f"{note}{said} {_difference(more, *lines)}", *_choices(runs)]),
        "slope_difference": _interval(more.value, more.interval, more.u, more.dof, complete=complete),
    }


def _choices(runs: Mapping[str, Sequence[Result]]) -> list[str]:
    return [f"{server}: {text}" for server, mine in runs.items() for text in choices_said(mine)]


def _crossing(fits: Mapping[str, MemoryFit], servers: tuple[str, str]) -> tuple[Crossing | None, str]:
    frugal_base, frugal_modules = sorted(servers, key=lambda server: fits[server].intercept)
    try:
        found = break_even(fits[frugal_base], fits[frugal_modules])
    except Refused as refusal:
        return None, f"No break-even of {servers[0]} and {servers[1]}: {refusal.text}"
    crossing = Crossing(
        dimms=found.modules,
        low=found.low,
        high=found.high,
        first_whole=found.first_whole,
        extrapolated=found.extrapolated,
    )
    return crossing, f"{frugal_base} draws less without DIMMs, {frugal_modules} adds less per DIMM. {found.text}"


def _line(server: str, fit: MemoryFit, results: Sequence[Result]) -> MemoryLine:
    complete = fit.bounded and all(r.power_u_w is not None for r in counted_runs(results))
    slope = _interval(fit.slope, fit.interval, fit.slope_u, fit.dof, complete=complete)
    return MemoryLine(
        server=server,
        memory_type=_types(results),
        watts_per_dimm=slope,
        watts_without_dimms=fit.intercept,
        included=any(inclusion_text(r, "power") for r in counted_runs(results)),
    )


def _interval(value: float, ends: tuple[float, float], u: float, dof: float, *, complete: bool) -> Interval95:
    known = dof if math.isfinite(dof) else None
    return Interval95(value=value, low=ends[0], high=ends[1], u=u, dof=known, complete=complete)


def _difference(found: SlopeDifference, dear: MemoryLine, cheap: MemoryLine) -> str:
    """Say how much more a DIMM of one server costs than one of the other, with their types."""
    low, high = found.interval
    doubt = "" if low > 0 else "; they cannot be told apart"
    return (
        f"At the wall a {dear.memory_type} of {dear.server} costs {found.value:.2f} W more than a "
        f"{cheap.memory_type} of {cheap.server} (95 % interval {low:.2f} to {high:.2f} W){doubt}."
    )


def _types(results: Sequence[Result]) -> str:
    return " or ".join(sorted({r.memory.type for r in results if r.memory and r.memory.type})) or "DIMM"


def _runs(results: Sequence[Result], server: str, workload: str, level: str) -> list[Result]:
    mine = [r for r in results if (r.server, r.workload, r.level) == (server, workload, level)]
    if not mine:
        raise InputError(
            f"Server {server[:80]!r} did not run {workload} at {level}.", "List the runs with `wattmark results`."
        )
    return mine
