"""Samples as CSV (RFC 4180): one row a sample, stamps as UTC nanoseconds and as ISO 8601, units in the header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

import numpy as np
from wattmark_drivers.reading import Quality

from wattmark.core.csv_text import spreadsheet_text
from wattmark.runs.samples.blocks import Block

HEADER = (
    "time [ns since 1970 UTC]",
    "time [ISO 8601 UTC]",
    "source",
    "channel",
    "quantity",
    "value [unit of the row]",
    "unit",
    "quality",
    "u(time) [s]",
)


def csv_lines(blocks: Iterable[Block]) -> Iterator[bytes]:
    """Write the header, then every block as it comes. A value that is not a number is an empty cell."""
    yield _lines([HEADER])
    for block in blocks:
        yield _lines(_rows(block))


def quality_names(quality: np.ndarray[tuple[int], np.dtype[np.uint16]]) -> list[str]:
    """Return the flags of each sample: "good", or its defects, separated by bars."""
    codes, code_index = np.unique(quality, return_inverse=True)
    names = [(Quality(int(code)).name or "good").lower() for code in codes]
    return [names[i] for i in code_index.tolist()]


def block_quality(block: Block) -> list[str]:
    """Return the flags of each sample of a block; all samples of a simulated source have that flag."""
    simulated = int(Quality.SIMULATED) if block.series.key.simulated else 0
    return quality_names(block.samples.quality | np.uint16(simulated))


def _rows(block: Block) -> Iterator[tuple[object, ...]]:
    samples, key = block.samples, block.series.key
    iso = np.datetime_as_string(samples.t_ns.view("datetime64[ns]"), unit="ns", timezone="UTC").tolist()
    values = [repr(value) if np.isfinite(value) else "" for value in samples.value.tolist()]
    quality, u_t_s = block_quality(block), samples.u_t_s.tolist()
    name = f"{key.channel} {key.label}".strip() if key.label and key.label != key.channel else key.channel
    source, name, quantity, unit = map(spreadsheet_text, (key.source, name, key.quantity, key.unit))
    for t_ns, time, value, flags, u_s in zip(samples.t_ns.tolist(), iso, values, quality, u_t_s, strict=True):
        yield t_ns, time, source, name, quantity, value, unit, flags, f"{u_s:.3g}"


def _lines(rows: Iterable[Iterable[object]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()
