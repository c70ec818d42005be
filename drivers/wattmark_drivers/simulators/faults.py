"""Faults that tests and demonstrations inject into simulated devices."""

from __future__ import annotations

from collections import deque
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Fault(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    count: int = Field(default=1, ge=1, le=1_000_000)
    """How many answers or records it hits."""


class Delay(_Fault):
    """Modbus: answer late by ``seconds``."""

    kind: Literal["delay"]
    seconds: float = Field(gt=0, le=3600)


class Drop(_Fault):
    """Modbus: do not answer."""

    kind: Literal["drop"]


class ExceptionCode(_Fault):
    """Modbus: answer with an exception code."""

    kind: Literal["exception"]
    code: Literal[1, 2, 3, 4, 5, 6, 7, 8, 10, 11]


class Disconnect(_Fault):
    """Modbus: close the connection instead of answering."""

    kind: Literal["disconnect"]


class WrongValue(_Fault):
    """Modbus: give another value for a channel [its unit]; a missing value is a NaN (or the invalid marker)."""

    kind: Literal["wrong-value"]
    channel: str
    value: float | None = None


class Torn(_Fault):
    """Serial: lose the second half of a record."""

    kind: Literal["torn"]


class Garbage(_Fault):
    """Serial: send noise before a record."""

    kind: Literal["garbage"]


class Silence(_Fault):
    """Serial: send nothing for ``count`` records."""

    kind: Literal["silence"]


class Unplug(_Fault):
    """Serial: pull the plug and put it back after ``seconds``."""

    kind: Literal["unplug"]
    seconds: float = Field(gt=0, le=3600)


ModbusFault = Delay | Drop | ExceptionCode | Disconnect | WrongValue
SerialFault = Torn | Garbage | Silence | Unplug
Fault = ModbusFault | SerialFault
FaultMessage = Annotated[Fault, Field(discriminator="kind")]


class FaultQueue:
    """Faults waiting for their turn, first in first out."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Fault, int]] = deque()

    def add(self, fault: Fault) -> None:
        """Let a fault hit the next ``count`` answers or records."""
        self._waiting.append((fault, fault.count))

    def take(self) -> Fault | None:
        """Use up one occurrence; None when nothing is wrong."""
        if not self._waiting:
            return None
        fault, left = self._waiting.popleft()
        if left > 1:
            self._waiting.appendleft((fault, left - 1))
        return fault
