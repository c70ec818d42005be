"""Views of parts under the names that the API has for memory, and back."""

from __future__ import annotations

from typing import Any, TypeVar

from wattmark.comparison.memory.views import MemoryOut
from wattmark.comparison.parts.views import CountedKind, ExcludedPart, IdleParts, PartPoint, PartsOut
from wattmark.core.part_words import DIMM
from wattmark.core.schema import Schema

View = TypeVar("View", bound=Schema)


def renamed(view: Schema, to: type[View], **own: Any) -> View:
    """Return a view as another kind of view; ``own`` are the fields that it does not share with it by name."""
    shared = type(view).model_fields.keys() & to.model_fields.keys() - own.keys()
    return to(**{name: getattr(view, name) for name in shared}, **own)


def as_parts(memory: MemoryOut) -> PartsOut:
    """Return watts against DIMM count as those against a number of parts."""
    idle = memory.idle
    return renamed(
        memory,
        PartsOut,
        kind=DIMM.one,
        part=memory.modules,
        parts=[renamed(kind, CountedKind, part=kind.modules) for kind in memory.kinds],
        points=[renamed(point, PartPoint, count=point.dimm_count) for point in memory.points],
        excluded=[renamed(run, ExcludedPart, count=run.dimm_count) for run in memory.excluded],
        watts_per_part=memory.watts_per_dimm,
        watts_per_part_dc=memory.watts_per_dimm_dc,
        idle=None if idle is None else renamed(idle, IdleParts, watts_per_part=idle.watts_per_dimm),
    )
