"""Verify that the audit log was not changed."""

from __future__ import annotations

from collections.abc import Iterator

from wattmark.access.audit import FIRST_HASH, AuditEntry, first_broken
from wattmark.access.store import AuditStore
from wattmark.core.errors import StoreError

PAGE = 1000


def newest_hash(log: AuditStore) -> str:
    """Check every entry and return the newest hash. Raises `StoreError` naming the first changed one."""
    number, before = 1, FIRST_HASH
    for page in _pages(log):
        broken = first_broken(page, number, before)
        if broken is not None:
            raise StoreError(
                f"Entry {broken} of the audit log was changed or removed outside wattmark.",
                "Compare with a backup; the entries before it are intact.",
            )
        number, before = page[-1].number + 1, page[-1].hash
    return before


def _pages(log: AuditStore) -> Iterator[list[AuditEntry]]:
    last = 0
    while page := log.after(last, PAGE):
        yield page
        last = page[-1].number
