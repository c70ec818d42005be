"""`wattmark audit`: who did what, and whether the log is whole."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.access.views import AuditEntryOut, entry_out
from wattmark.access.whole import newest_hash
from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.console.plain_console import console
from wattmark.cli.console.stored import stored
from wattmark.cli.tables.shown import FormatOption, OutputFile, file_format, put_json, show
from wattmark.tables.table import Column, Table


def audit(
    data: DataDir = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many entries, newest first.")] = 100,
    verify: Annotated[bool, typer.Option("--verify", help="Verify the whole chain and print its newest hash.")] = False,
    format_: FormatOption = "table",
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Print who started, stopped, deleted or decided what; newest first. Exit code 1: the log was changed."""
    format_ = file_format(format_, output, as_json=as_json)
    with stored(data, "is no audit log") as storage:
        newest = newest_hash(storage.audit) if verify else None
        entries = [entry_out(entry) for entry in storage.audit.before(None, limit)]
    if verify:
        console().print(
            f"The chain is intact; its newest hash is {newest}. Store the hash elsewhere to detect entries removed at "
            "the end."
        )
    if format_ == "json":
        put_json(entries, output)
    else:
        show(_table(entries), format_, output)


def _table(entries: list[AuditEntryOut]) -> Table:
    columns = (
        Column("number", "No.", kind="integer"),
        Column("at", "When", kind="time"),
        Column("who", "Who"),
        Column("role", "Role"),
        Column("address", "From"),
        Column("action", "What"),
        Column("target", "About"),
        Column("status", "Outcome", kind="integer"),
        Column("hash", "Hash", for_people=False),
    )
    rows = tuple(
        (
            entry.number,
            entry.at,
            entry.who,
            entry.role,
            entry.address,
            entry.action,
            entry.target,
            entry.status,
            entry.hash,
        )
        for entry in entries
    )
    return Table("audit", "Audit log", columns, rows, ("An outcome of 0 is a command on the machine itself.",))
