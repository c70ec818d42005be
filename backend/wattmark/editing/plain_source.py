"""Plain data in the place of a file, for a check of what nobody has written yet: its values have no lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class PlainSource:
    """Data with the look-ups that the check of a bench needs."""

    def __init__(self, name: str, data: Any) -> None:
        self.name = name
        self.data = data

    def line(self, path: Sequence[str | int]) -> int:  # noqa: ARG002 - the same for every path
        """Tell that there is no line: 0."""
        return 0

    def written(self, path: Sequence[str | int]) -> list[str | int]:
        """Keep the steps of a path that the data has: pydantic adds steps of its own."""
        node, kept = self.data, []
        for step in path:
            if _has(node, step):
                node = node[step]
                kept.append(step)
        return kept


def _has(node: Any, step: str | int) -> bool:
    if isinstance(node, dict):
        return step in node
    return isinstance(node, list) and isinstance(step, int) and 0 <= step < len(node)
