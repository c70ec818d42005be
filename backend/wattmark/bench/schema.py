"""The bench file's JSON Schema, for editors and for error messages."""

from __future__ import annotations

from typing import Any

from wattmark.bench.bench import Bench


def bench_schema() -> dict[str, Any]:
    """Write the JSON Schema (2020-12) of the bench file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Bench.model_json_schema(by_alias=True)}
