"""Evaluation of stored runs in the reader process for the service, which alone writes the results."""

from __future__ import annotations

from collections.abc import Callable

from wattmark.core.errors import EVALUATION_REMEDY, EvaluationFailed, StoreError
from wattmark.results.issued.orders import EVALUATE, EvaluationOrder
from wattmark.results.result import Result

Ask = Callable[[str, bytes], bytes]
"""Function that posts a body to a path of the reader and returns the answer."""


def computed_by(ask: Ask) -> Callable[[EvaluationOrder], Result]:
    """Return a function that evaluates runs in the reader. That raises `EvaluationFailed` or `StoreError`."""

    def compute(order: EvaluationOrder) -> Result:
        try:
            return Result.model_validate_json(ask(EVALUATE, order.model_dump_json().encode()))
        except StoreError as error:
            if error.remedy == EVALUATION_REMEDY:
                raise EvaluationFailed(error.cause, error.remedy) from error
            raise

    return compute
