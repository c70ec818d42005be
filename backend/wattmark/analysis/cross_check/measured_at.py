"""Where a source measures power, and what a comparison with the wall meter can therefore show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

MeasuredAt = Literal["inlet", "supply input", "server", "supply output", "processors", "gpu", "part"]
MEASURED_AT: tuple[MeasuredAt, ...] = get_args(MeasuredAt)


@dataclass(frozen=True, slots=True)
class Place:
    """A place of measurement in words; ``whole`` says that the source should show the power at the wall."""

    title: str
    whole: bool


PLACES: Mapping[MeasuredAt, Place] = {
    "inlet": Place("mains, at the inlets of the server", whole=True),
    "supply input": Place("inputs of the power supplies", whole=True),
    "server": Place("the whole server, as reported by its BMC or firmware", whole=True),
    "supply output": Place("DC outputs of the power supplies: wall power minus their losses", whole=False),
    "processors": Place("processor packages only", whole=False),
    "gpu": Place("one GPU only", whole=False),
    "part": Place("one part of the server", whole=False),
}
"""In the order of the chain from the wall inwards."""
