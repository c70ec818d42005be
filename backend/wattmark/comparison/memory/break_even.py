"""Break-even of two servers: the DIMM count at which an advantage ends, as numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.comparison.compare.installations import installations
from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.parts.break_even import Side, break_even_of, runs_of
from wattmark.comparison.parts.kinds import mixture
from wattmark.comparison.parts.line import select_kind
from wattmark.comparison.parts.views import PartBreakEvenOut
from wattmark.core.errors import InputError
from wattmark.core.part_words import DIMM
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord


def break_even_view(
    results: Sequence[Result],
    servers: tuple[str, str],
    workload: str,
    level: str,
    fitted: Mapping[str, str] | None = None,
    records: Sequence[RunRecord] = (),
) -> PartBreakEvenOut:
    """Find where the lines of watts against DIMM count of two servers cross, or explain why that is not known.

    ``fitted`` names the installation of each run, by its id, where other runs than these help to determine it.
    ``records`` are those of the runs: they tell what else changes with the count.
    Raises `InputError` for one server given twice, and for a server that did not run this workload and level.
    """
    if servers[0] == servers[1]:
        raise InputError(
            f"{servers[0]} cannot be compared with itself.", "Name another server (against; --against SERVER)."
        )
    first, second = (_side(results, server, workload, level) for server in servers)
    fitted = installations(results) if fitted is None else fitted
    return break_even_of((first, second), "The two servers", (workload, level), fitted, records)


def _side(results: Sequence[Result], server: str, workload: str, level: str) -> Side:
    """Return the line of a server over its main kind of modules. Raises `InputError` without runs."""
    kinds, chosen, own = select_kind(runs_of(results, server, workload, level), DIMMS, None)
    types = " or ".join(sorted({r.memory.type for r in own if r.memory and r.memory.type})) or DIMM.one
    return Side(server, server, chosen, types, own, DIMMS, mixture(kinds, chosen, DIMM))
