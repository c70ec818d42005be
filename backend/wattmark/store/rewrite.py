"""Put other samples in the place of a finished series."""

from __future__ import annotations

import apsw

from wattmark.core.errors import Conflict
from wattmark.store import chunks
from wattmark.store.database import Database
from wattmark.store.query import query
from wattmark.store.sample_store import Samples


def rewrite(database: Database, series_id: int, samples: Samples) -> None:
    """Replace all samples of a sealed series; durable when it returns.

    Raises `Conflict` while another server has not yet acknowledged the present samples.
    """

    def replace(connection: apsw.Connection) -> None:
        if query(connection, "SELECT 1 FROM unsent WHERE series_id = ? LIMIT 1", series_id):
            raise Conflict("Samples of this run have not yet been sent to another server.", "Wait until they are sent.")
        chunks.delete(connection, series_id)
        chunks.write(connection, series_id, samples)

    database.write(replace)
