"""At how many DIMMs the advantage of one server over another is gone, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.analysis.break_even import break_even
from wattmark.analysis.memory import MemoryFit
from wattmark.analysis.refusal import Refused
from wattmark.analysis.slopes import slope_difference
from wattmark.errors import InputError
from wattmark.results.memory import counted_runs, fit_counted
from wattmark.runs.result import Result


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
    except Refused as refusal:
        return f"{note}No break-even of {servers[0]} and {servers[1]}: {refusal.text}"
    return f"{note}{_break_even(fits, servers)} {_difference(fits, runs, servers)}"


def _break_even(fits: Mapping[str, MemoryFit], servers: tuple[str, str]) -> str:
    frugal_base, frugal_modules = sorted(servers, key=lambda server: fits[server].intercept)
    try:
        found = break_even(fits[frugal_base], fits[frugal_modules])
    except Refused as refusal:
        return f"No break-even of {servers[0]} and {servers[1]}: {refusal.text}"
    return f"{frugal_base} draws less without DIMMs, {frugal_modules} adds less per DIMM. {found.text}"


def _difference(fits: Mapping[str, MemoryFit], runs: Mapping[str, Sequence[Result]], servers: tuple[str, str]) -> str:
    """Say how much more a DIMM of one server costs than one of the other, with their types."""
    dear, cheap = sorted(servers, key=lambda server: -fits[server].slope)
    found = slope_difference(fits[dear], fits[cheap])
    low, high = found.interval
    doubt = "" if low > 0 else "; they cannot be told apart"
    return (
        f"At the wall a {_types(runs[dear])} of {dear} costs {found.value:.2f} W more than a {_types(runs[cheap])} of "
        f"{cheap} (95 % interval {low:.2f} to {high:.2f} W){doubt}."
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
