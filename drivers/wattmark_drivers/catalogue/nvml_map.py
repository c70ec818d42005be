"""The queries to NVIDIA's management library (NVML)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from wattmark_drivers.catalogue.protocol_map import DeclaredChannel, ProtocolMap

Query = Literal[
    "energy",
    "power_average",
    "power_instant",
    "power_usage",
    "temperature",
    "clock_sm",
    "clock_memory",
    "utilisation_gpu",
    "utilisation_memory",
    "memory_used",
    "clock_limits",
]


class NvmlChannel(DeclaredChannel):
    """One answer of the library: value in ``unit`` = number x ``scale``."""

    query: Query
    scale: float = Field(gt=0)


class NvmlMap(ProtocolMap):
    """Everything the NVML engine needs; what a GPU does not support is excluded when it is opened."""

    schemes: ClassVar = ("nvml",)
    engine: Literal["nvml"]
    largest_power_w: float = Field(gt=0)
    """No GPU draws more [W]; tells an energy counter that was reset."""
    shortest_mean_s: float = Field(gt=0)
    """Mean power is derived from the energy counter over no less than this [s]."""
    answers: tuple[NvmlChannel, ...] = Field(min_length=1)

    @property
    def measured(self) -> Sequence[NvmlChannel]:
        """List the declared channels."""
        return self.answers
