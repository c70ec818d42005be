"""Memory modules as the parts that runs are counted by."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.comparison.parts.counting import Counting
from wattmark.core.numbers import format_number
from wattmark.core.part_words import DIMM
from wattmark.results.provenance import balance_warnings
from wattmark.results.result import Result

UNKNOWN = "unknown modules"


def module_kind(r: Result) -> str:
    """Name the modules of a run by capacity and type, such as "16 GiB RDIMM"."""
    kind, capacity = _type(r), _capacity(r)
    return " ".join(part for part in (capacity, kind or ("modules" if capacity else "")) if part) or UNKNOWN


def _not_stated(r: Result) -> str | None:
    """Name what of the modules of a run is not known, by which others may be of another kind."""
    known = {"capacity": _capacity(r), "type": _type(r)}
    return " and ".join(name for name, text in known.items() if not text) or None


def _type(r: Result) -> str:
    return r.memory.type if r.memory else ""


def _capacity(r: Result) -> str:
    """Write the capacity of each module; empty where that of any is not known."""
    if r.memory and r.memory.modules:
        sizes = {r.memory.capacity_gib[channel] / count for channel, count in r.memory.modules.items() if count}
    elif r.memory_gib and r.dimm_count:
        sizes = {r.memory_gib / r.dimm_count}
    else:
        sizes = set()
    return " + ".join(f"{format_number(size)} GiB" for size in sorted(sizes)) if all(sizes) else ""


def _order(r: Result) -> tuple[object, ...]:
    """Return the sort key of runs with one DIMM count: what their slots hold."""
    channels = tuple(r.memory.modules.values()) if r.memory else ()
    return r.memory_gib or 0.0, r.memory.type if r.memory else "", channels


def _channels(results: Sequence[Result]) -> list[str]:
    """Explain that the DIMM count changed the memory channels in use, where it did."""
    channels = {
        (r.dimm_count, len(r.memory.modules)) for r in results if r.memory and r.memory.modules and r.dimm_count
    }
    if len({in_use for _, in_use in channels}) < 2:
        return []
    shown = ", ".join(f"{in_use} with {count} DIMMs" for count, in_use in sorted(channels))
    return [
        f"The DIMM count also changes the memory channels in use ({shown}) and so the throughput: compare performance "
        "per watt as well."
    ]


DIMMS = Counting(
    part=DIMM,
    count=lambda r: r.dimm_count,
    kind=module_kind,
    not_stated=_not_stated,
    factor="memory.dimm_count",
    tied=("memory.type",),
    order=_order,
    warnings=balance_warnings,
    remarks=_channels,
    mixed=True,
)
"""Runs are counted by their memory modules."""
