"""How often anything changed that results rest on besides samples: runs, trash, statements, certificates, documents."""

from __future__ import annotations

from wattmark.storage.database import Database
from wattmark.storage.query import query


def revision(database: Database) -> int:
    """Read the number of such changes; whoever changed them, and in whichever process."""
    with database.snapshot() as connection:
        return int(query(connection, "SELECT number FROM revision")[0][0])
