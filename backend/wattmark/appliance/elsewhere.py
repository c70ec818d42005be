"""Work on stored runs that the reader does for the service, which alone writes down what comes of it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator

from wattmark.appliance.orders import EVALUATE, ROWS, EvaluationOrder, MadeRows
from wattmark.build import build
from wattmark.errors import EVALUATION_REMEDY, EvaluationFailed, StoreError
from wattmark.runs.result import Result
from wattmark.storage.open import Storage
from wattmark.storage.revision import revision

Ask = Callable[[str, bytes], bytes]
"""Post something to a path of the reader."""
LOOK_EVERY_S = 2.0
_log = logging.getLogger(__name__)


def computed_by(ask: Ask) -> Callable[[EvaluationOrder], Result]:
    """Have runs evaluated by the reader. Raises `EvaluationFailed`, or `StoreError` where nothing could be read."""

    def compute(order: EvaluationOrder) -> Result:
        try:
            return Result.model_validate_json(ask(EVALUATE, order.model_dump_json().encode()))
        except StoreError as error:
            if error.remedy == EVALUATION_REMEDY:
                raise EvaluationFailed(error.cause, error.remedy) from error
            raise

    return compute


def rows_kept(storage: Storage, ask: Ask, wanted: threading.Event) -> Iterator[None]:
    """Keep the rows of the list of runs that the reader makes, a few at each step, whenever anything has changed."""
    kept_at: int | None = None
    while True:
        now = revision(storage.database)
        try:
            done = now == kept_at or _kept_whole(storage, ask)
        except StoreError as error:
            _log.info("Rows of the list of runs are made later: %s", error)
            done = True
        else:
            kept_at = now if done else None
        if done:
            wanted.wait(LOOK_EVERY_S)
            wanted.clear()
        yield


def _kept_whole(storage: Storage, ask: Ask) -> bool:
    """Keep what the reader has made; tells whether nothing waits any more. Raises `StoreError`."""
    made = MadeRows.model_validate_json(ask(ROWS, b""))
    if made.rows:
        storage.run_rows.keep(made.rows, build(), made.revision)
    return not made.rows and not made.waiting
