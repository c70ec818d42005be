"""A result as commands write it in JSON: as the API answers it, with its state in words beside it."""

from __future__ import annotations

from typing import Any

from wattmark.results.result import Result
from wattmark.results.state import run_state


def result_json(result: Result) -> dict[str, Any]:
    """Return a result and its state as JSON data."""
    return {**result.model_dump(mode="json"), "state": run_state(result).model_dump(mode="json")}
