"""Stated results are read as they were stated, instead of being evaluated again; each names the build that made it."""

from __future__ import annotations

from collections.abc import Mapping

from wattmark.build import build
from wattmark.certificates.describe import iso
from wattmark.certificates.store import Stated, StatementStore
from wattmark.results.relocated import relocated
from wattmark.retention.mark import is_thinned
from wattmark.runs.origin import lab_of, machine
from wattmark.runs.record import RunRecord
from wattmark.runs.result import Result

_TOLD = ("status", "reason", "campaign_id", "configuration", "workload", "level", "repeat")
"""What a result repeats from the record of its run, whichever appliance keeps that."""


def recalled(
    statements: StatementStore, runs: Mapping[str, RunRecord], stated: Mapping[str, Stated]
) -> dict[str, Result]:
    """Give the latest stated results of those runs that they stand for still, whichever build stated them."""
    wanted = [run_id for run_id in runs if run_id in stated]
    found = {one.run_id: _standing(runs[one.run_id], one) for one in statements.latest(wanted)}
    return {run_id: with_statement(one, stated[run_id]) for run_id, one in found.items() if one is not None}


def recalled_one(statements: StatementStore, run: RunRecord, stated: Stated) -> Result | None:
    """Give one stated version of a run; None where it is not stated yet, or its record says something else since."""
    found = next((one.result for one in statements.of(run.run_id) if one.stated.version == stated.version), None)
    said = None if found is None else _standing(run, found)
    return None if said is None else with_statement(said, stated)


def with_statement(result: Result, stated: Stated | None) -> Result:
    """Add which version a result is and which build computed it; that of an older build says so."""
    here = build()
    if stated is None:
        return result.model_copy(update={"software": here})
    notes = result.notes
    if stated.software and stated.software != here:
        notes = (*notes, f"Computed by {stated.software}; recompute it to have the figures of {here}.")
    told = {"result_version": stated.version, "stated": iso(stated.stated_ns), "software": stated.software}
    return result.model_copy(update={**told, "notes": notes})


def _standing(run: RunRecord, result: Result) -> Result | None:
    """Give a result that says what its run's record says; None where the record says something else since.

    A run whose samples were thinned since is given as it was stated whatever its record says. What a lab stated before
    the run came here stands as well, with the source and the names of server and meters that the run has here.
    """
    if is_thinned(run):
        notes = (*result.notes, *map(str, run.disclosure.get("notes", ())))
        return relocated(result, run).model_copy(update={"notes": tuple(dict.fromkeys(notes))})
    if any(getattr(run, name) != getattr(result, name) for name in _TOLD):
        return None
    if (result.source, result.server) == (run.source, machine(run)):
        return result
    stated_there = lab_of(run.source) is not None and result.server == run.server
    return relocated(result, run) if stated_there else None
