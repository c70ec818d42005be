"""A version of a result as it was issued, and as it is shown: unchanged, with its version and build."""

from __future__ import annotations

from dataclasses import dataclass

from wattmark.core.build import build
from wattmark.core.instants import iso
from wattmark.results.issued.relocated import relocated
from wattmark.results.result import Result
from wattmark.runs.origin import lab_of, machine
from wattmark.runs.record import RunRecord
from wattmark.runs.thinned import is_thinned

_REPEATED = ("status", "reason", "campaign_id", "configuration", "workload", "level", "repeat")
"""Fields that a result repeats from the record of its run, on whichever appliance."""


@dataclass(frozen=True, slots=True)
class Issue:
    """Basis of a version of a result: the register's revision, and the certificate with the as-found points."""

    version: int
    issued_ns: int
    register_revision: int
    as_found: str | None = None
    by: str | None = None
    reason: str = ""
    software: str = ""


@dataclass(frozen=True, slots=True)
class IssuedResult:
    """An issued version with the result as it was then."""

    issue: Issue
    result: Result


COMPUTED_BY = "Computed by "
"""Begin of the note on the build of a result: about the reader's wattmark, not about the result."""


def as_issued(run: RunRecord, result: Result, issue: Issue) -> Result | None:
    """Return an issued result as it is shown for its run; None where the record of the run changed since.

    A run whose samples were thinned is shown as issued, whatever its record contains. What a lab issued before
    the run was imported is valid too, with the source and the names of server and meters that the run has here.
    """
    if is_thinned(run):
        notes = (*result.notes, *run.disclosure.notes)
        return with_version(relocated(result, run).model_copy(update={"notes": tuple(dict.fromkeys(notes))}), issue)
    if any(getattr(run, name) != getattr(result, name) for name in _REPEATED):
        return None
    if (result.source, result.server) == (run.source, machine(run)):
        return with_version(result, issue)
    issued_there = lab_of(run.source) is not None and result.server == run.server
    return with_version(relocated(result, run), issue) if issued_there else None


def with_version(result: Result, issue: Issue | None) -> Result:
    """Add version and build to a result, and a note where an older build computed it."""
    if issue is None:
        return result.model_copy(update={"software": build()})
    version = {"result_version": issue.version, "issued": iso(issue.issued_ns), "software": issue.software}
    return with_build_note(result.model_copy(update=version))


def with_build_note(result: Result) -> Result:
    """Add a note to an issued result that another build than this one computed."""
    if not result.software or result.software == build():
        return result
    note = f"{COMPUTED_BY}{result.software}; recompute it with {build()}."
    return result.model_copy(update={"notes": (*result.notes, note)})
