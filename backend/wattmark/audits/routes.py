"""Audits of published results: the list, one of them, and their tables as files."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response

from wattmark.audits.audit import AuditRow
from wattmark.audits.audit_table import audits_table, runs_table
from wattmark.audits.audits import Audits
from wattmark.audits.views import PublishedAuditOut
from wattmark.core.errors import InputError
from wattmark.tables.formats import FORMATS, write_to
from wattmark.web.provided import provided
from wattmark.web.spooled import SpoolDep, sent
from wattmark.web.stored import StoredRoute

router = APIRouter(prefix="/api/audits", tags=["audits"], route_class=StoredRoute)
AuditsDep = Annotated[Audits, provided(Audits)]


@router.get("")
def list_audits(audits: AuditsDep) -> list[AuditRow]:
    """List the published results that were imported: published, by their own rule, over the complete window."""
    return audits.rows()


@router.get("/table.{extension}")
def audit_table(
    audits: AuditsDep,
    spool: SpoolDep,
    extension: str,
    audit_id: Annotated[str | None, Query(max_length=200, description="The runs of this submission")] = None,
) -> Response:
    """Write the table of all submissions, or of the runs of one, as a file."""
    if extension not in FORMATS:
        raise InputError(f"Tables are not available as {extension[:20]!r}.", f"Formats: {', '.join(FORMATS)}.")
    table = audits_table(audits.all()) if audit_id is None else runs_table(audits.audit(audit_id))
    write = partial(write_to, table=table, format=extension)
    return sent(spool, write, name=f"{table.id}.{extension}", media_type=FORMATS[extension], small=True)


@router.get("/{audit_id}")
def one_audit(audits: AuditsDep, audit_id: str) -> PublishedAuditOut:
    """Return one audit: figures, findings, runs with their readings before, inside and after the window, traces."""
    return audits.view(audit_id)
