"""What a reader process is told when it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

READY = b"ready"
"""What it says when it can be asked; anything else is why it cannot."""
LARGEST = 2**17
"""Bytes of an order or of that answer."""


@dataclass(frozen=True, slots=True)
class StartOrder:
    """The data folder, how to write the log, and the load models of simulated servers."""

    data_dir: Path
    log_as_json: bool = False
    planted: Mapping[str, dict[str, float]] = field(default_factory=dict)

    def as_message(self) -> bytes:
        """Write the order as one message."""
        return _ORDER.dump_json(StartOrder(self.data_dir.absolute(), self.log_as_json, self.planted))

    @staticmethod
    def from_message(message: bytes) -> StartOrder:
        return _ORDER.validate_json(message)


_ORDER = TypeAdapter(StartOrder)
