"""Errors of an evaluation become the failure of its one run."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from wattmark.core.errors import EVALUATION_REMEDY, EvaluationFailed, StoreError

_log = logging.getLogger(__name__)
_MOST = 300
"""Characters of an error's text that are shown."""


class Failures:
    """Turn errors into `EvaluationFailed`; the traceback of each is logged once."""

    def __init__(self) -> None:
        self._logged: set[tuple[str, str]] = set()

    @contextmanager
    def of(self, run_id: str) -> Iterator[None]:
        """Convert any error of the block into `EvaluationFailed`; `StoreError` passes, as it names its cause."""
        try:
            yield
        except (StoreError, MemoryError):
            raise
        except Exception as error:
            message = f"{type(error).__name__}: {' '.join(str(error).split())}"[:_MOST]
            if (run_id, message) not in self._logged:
                self._logged.add((run_id, message))
                _log.exception("Run %s cannot be evaluated.", run_id)
            raise EvaluationFailed(f"Run {run_id} cannot be evaluated ({message}).", EVALUATION_REMEDY) from error
