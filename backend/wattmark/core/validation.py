"""Errors of pydantic in words."""

from __future__ import annotations

from pydantic import ValidationError


def first_mistake(error: ValidationError) -> str:
    """Explain where a record is wrong first, and why: "throughput.0.amount: Value error, 1e+150 is above 1e+30 ..."."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    return f"{place}: {first['msg']}"[:300] if place else first["msg"][:300]
