"""At how many DIMMs the advantage of one server over another is gone, in words."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.analysis.break_even import break_even
from wattmark.analysis.refusal import Refused
from wattmark.errors import InputError
from wattmark.results.memory import counted_runs, fit_counted
from wattmark.runs.record import Result


def break_even_statement(results: Sequence[Result], servers: tuple[str, str], workload: str, level: str) -> str:
    """Say where the lines of watts against DIMM count of two servers cross, or why that cannot be told.

    Raises `InputError` for one server given twice, and for a server that did not run this workload and level.
    """
    if servers[0] == servers[1]:
        raise InputError(f"{servers[0]} cannot be held against itself.", "Name another server: --against SERVER.")
    runs = {server: _runs(results, server, workload, level) for server in servers}
    note = "Simulated power: " if any(r.simulated for mine in runs.values() for r in mine) else ""
    try:
        fits = {server: fit_counted(counted_runs(mine)) for server, mine in runs.items()}
        frugal_base, frugal_modules = sorted(servers, key=lambda server: fits[server].intercept)
        found = break_even(fits[frugal_base], fits[frugal_modules])
    except Refused as refusal:
        return f"{note}No break-even of {servers[0]} and {servers[1]}: {refusal.text}"
    return f"{note}{frugal_base} draws less without DIMMs, {frugal_modules} adds less per DIMM. {found.text}"


def _runs(results: Sequence[Result], server: str, workload: str, level: str) -> list[Result]:
    mine = [r for r in results if (r.server, r.workload, r.level) == (server, workload, level)]
    if not mine:
        raise InputError(
            f"Server {server[:80]!r} did not run {workload} at {level}.", "List the runs with `wattmark results`."
        )
    return mine
