"""Run one statement and fetch everything, so that no cursor outlives its snapshot or its transaction."""

from __future__ import annotations

from typing import Any

import apsw


def query(connection: apsw.Connection, sql: str, *values: apsw.Binding) -> list[Any]:
    """Return all rows as tuples."""
    return connection.execute(sql, values).fetchall()
