"""Answers of InfluxQL whose rows are grouped by tags, as JSON: in CSV InfluxDB 2 does not quote the tags. Pure."""

from __future__ import annotations

from pydantic import BaseModel, ValidationError

from wattmark.core.errors import StoreError

Group = tuple[dict[str, str], dict[str, float | None]]
"""Tags by name, and the columns of the first row by name."""


class _Series(BaseModel):
    tags: dict[str, str]
    columns: list[str]
    values: list[list[float | None]]


class _Result(BaseModel):
    series: list[_Series] = []
    error: str | None = None


class _Answer(BaseModel):
    results: list[_Result]


def read_groups(text: str) -> list[Group]:
    """Read the groups of one question. Raises `StoreError` where the answer is an error, or no answer of InfluxDB."""
    try:
        (result,) = _Answer.model_validate_json(text).results
    except (ValidationError, ValueError):
        raise StoreError(
            "The server does not answer InfluxQL queries like InfluxDB.",
            "Check that WATTMARK_INFLUX_URL points to InfluxDB; runs cannot be read back from VictoriaMetrics.",
        ) from None
    if result.error is not None:
        raise StoreError(f"InfluxDB does not answer: {result.error[:200]}.", "Check the database and its permissions.")
    return [
        (group.tags, dict(zip(group.columns, group.values[0], strict=True))) for group in result.series if group.values
    ]
