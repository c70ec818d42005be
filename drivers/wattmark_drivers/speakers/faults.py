"""Faults that tests and demonstrations inject into simulated devices."""

from __future__ import annotations

from collections import deque
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from wattmark_drivers.errors import ConfigurationError


class _Fault(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    count: int = Field(default=1, ge=1, le=1_000_000)
    """How many answers or records it hits."""


class Delay(_Fault):
    """Answer late by ``seconds``."""

    kind: Literal["delay"]
    seconds: float = Field(gt=0, le=3600)


class Drop(_Fault):
    """Do not answer."""

    kind: Literal["drop"]


class ExceptionCode(_Fault):
    """Modbus: answer with an exception code."""

    kind: Literal["exception"]
    code: Literal[1, 2, 3, 4, 5, 6, 7, 8, 10, 11]


class Disconnect(_Fault):
    """Close the connection instead of answering."""

    kind: Literal["disconnect"]


class WrongValue(_Fault):
    """Give another value for a channel [its unit]; a missing value is a NaN (or the invalid marker)."""

    kind: Literal["wrong-value"]
    channel: str
    value: float | None = None


class Torn(_Fault):
    """Lose the second half of a record."""

    kind: Literal["torn"]


class Garbage(_Fault):
    """Send noise before a record."""

    kind: Literal["garbage"]


class Silence(_Fault):
    """Send nothing for ``count`` records."""

    kind: Literal["silence"]


class Unplug(_Fault):
    """Pull the plug and put it back after ``seconds``."""

    kind: Literal["unplug"]
    seconds: float = Field(gt=0, le=3600)


class WrongChecksum(_Fault):
    """Spoil the checksum of an answer."""

    kind: Literal["wrong-checksum"]


class Saturation(_Fault):
    """Show every quantity at the end of its range, with the flag that the device has for it."""

    kind: Literal["saturation"]


class HttpStatus(_Fault):
    """Answer with an HTTP status instead of data."""

    kind: Literal["http-status"]
    code: int = Field(ge=400, le=599)


class Freeze(_Fault):
    """Hang for ``seconds``, then go on where it was."""

    kind: Literal["freeze"]
    seconds: float = Field(gt=0, le=3600)


class Restart(_Fault):
    """Lose power and sessions, and come back after ``seconds``."""

    kind: Literal["restart"]
    seconds: float = Field(default=0.0, ge=0, le=3600)


class NoDcmi(_Fault):
    """BMC: refuse DCMI commands as unknown for ``seconds``."""

    kind: Literal["no-dcmi"]
    seconds: float = Field(gt=0, le=3600)


Fault = (
    Delay
    | Drop
    | ExceptionCode
    | Disconnect
    | WrongValue
    | Torn
    | Garbage
    | Silence
    | Unplug
    | WrongChecksum
    | Saturation
    | HttpStatus
    | Freeze
    | Restart
    | NoDcmi
)
FaultMessage = Annotated[Fault, Field(discriminator="kind")]


def kind_name(fault: type[Fault]) -> str:
    """Return the name of a kind of fault, as messages spell it."""
    (name,) = get_args(fault.model_fields["kind"].annotation)
    return str(name)


class FaultQueue:
    """Faults waiting for their turn, first in first out; only the given kinds can happen to the device."""

    def __init__(self, *kinds: type[Fault]) -> None:
        self._kinds = kinds
        self._waiting: deque[tuple[Fault, int]] = deque()

    def add(self, fault: Fault) -> None:
        """Schedule a fault for the next ``count`` answers or records. Raises `ConfigurationError` for another kind."""
        if not isinstance(fault, self._kinds):
            names = ", ".join(kind_name(kind) for kind in self._kinds)
            raise ConfigurationError(f"This device does not support the fault {fault.kind}.", f"Choose one of {names}.")
        self._waiting.append((fault, fault.count))

    def take(self) -> Fault | None:
        """Use up one occurrence; None when nothing is wrong."""
        if not self._waiting:
            return None
        fault, left = self._waiting.popleft()
        if left > 1:
            self._waiting.appendleft((fault, left - 1))
        return fault
