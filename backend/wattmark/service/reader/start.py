"""What a reader process is told when it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

READY = b"ready"
"""What it says when it can be asked; anything else is why it cannot."""


@dataclass(frozen=True, slots=True)
class StartOrder:
    """The data folder, how to write the log, and the load models of simulated servers."""

    data_dir: Path
    log_as_json: bool = False
    planted: Mapping[str, dict[str, float]] = field(default_factory=dict)
    control: int = -1
    """Number of the inherited socket."""

    def as_argument(self, control: int) -> str:
        """Write the order as one argument of a command."""
        order = StartOrder(self.data_dir.absolute(), self.log_as_json, self.planted, control)
        return _ORDER.dump_json(order).decode()

    @staticmethod
    def from_argument(text: str) -> StartOrder:
        return _ORDER.validate_json(text)


_ORDER = TypeAdapter(StartOrder)
