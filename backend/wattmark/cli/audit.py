"""`wattmark audit`: who did what, and whether the log is whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from wattmark.access.audit import FIRST_HASH, AuditEntry, first_broken
from wattmark.access.store import AuditStore
from wattmark.access.views import AuditEntryOut, entry_out
from wattmark.cli.options import AsJson, DataDir, data_dir
from wattmark.cli.output import console, emit_json
from wattmark.cli.tables import FormatOption, OutputFile, show
from wattmark.errors import NotFound, StoreError
from wattmark.reports.table import Column, Table
from wattmark.storage.open import open_storage

PAGE = 1000


def audit(
    data: DataDir = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many entries, newest first.")] = 100,
    verify: Annotated[bool, typer.Option("--verify", help="Check the whole chain and print its newest hash.")] = False,
    format_: FormatOption = "table",
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Print who started, stopped, deleted or decided what; newest first. Exit code 1: the log was changed."""
    folder = data_dir(data)
    if not (folder / "wattmark.db").is_file():
        raise NotFound(f"There is no audit log in {folder}.", "Give the data folder of a service: --data DIR.")
    storage = open_storage(folder, read_only=True)
    try:
        newest = _verify(storage.audit) if verify else None
        found = [entry_out(entry) for entry in storage.audit.before(None, limit)]
    finally:
        storage.close()
    if verify:
        console().print(f"The chain is whole; its newest hash is {newest}. Keep it elsewhere to notice a cut end.")
    if as_json:
        emit_json([one.model_dump() for one in found])
    else:
        show(_table(found), format_, output)


def _verify(log: AuditStore) -> str:
    """Check every entry and give the newest hash. Raises `StoreError` naming the first that is not whole."""
    number, before = 1, FIRST_HASH
    for page in _pages(log):
        broken = first_broken(page, number, before)
        if broken is not None:
            raise StoreError(
                f"Entry {broken} of the audit log was changed or removed behind wattmark's back.",
                "Compare with a backup; entries before it are whole.",
            )
        number, before = page[-1].number + 1, page[-1].hash
    return before


def _pages(log: AuditStore) -> Iterator[list[AuditEntry]]:
    last = 0
    while page := log.after(last, PAGE):
        yield page
        last = page[-1].number


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
        (one.number, one.at, one.who, one.role, one.address, one.action, one.target, one.status, one.hash)
        for one in entries
    )
    return Table("audit", "Audit log", columns, rows, ("An outcome of 0 is a command on the machine itself.",))
