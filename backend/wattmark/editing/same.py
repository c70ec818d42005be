"""Whether two pieces of plain data are the same in a file: true is not 1, though Python says so; 1.0 is."""

from __future__ import annotations

from typing import Any


def same(one: Any, other: Any) -> bool:
    """Compare plain data; the order of keys counts as little as it does in YAML."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
