"""Samples as line protocol with nanosecond stamps. Floats are written so that the server stores them bit for bit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from wattmark.fleet.influx import schema
from wattmark.store.outbox.outbox_types import SampleSlice

_ESCAPED = str.maketrans({",": "\\,", "=": "\\=", " ": "\\ "})
_UNFIT = {ord("\\"): "_", **dict.fromkeys(range(32), "_")}
_NONE = "none"
_DIGITS = 8


def tagged(measurement: str, tags: Mapping[str, str]) -> str:
    """Write a measurement with any tags, up to the space before the fields."""
    named = (f"{name}={stored_tag(value).translate(_ESCAPED)}" for name, value in tags.items())
    return ",".join((measurement, *named)) + " "


def stored_tag(value: str) -> str:
    """Return a tag as the server keeps it: line protocol has no empty ones, no line ends and no plain backslash.

    One that loses a sign ends with its digest, so that two names that differ in such signs stay two series.
    """
    plain = value.translate(_UNFIT)
    if plain == value:
        return value or _NONE
    return f"{plain}~{hashlib.sha256(value.encode(errors='backslashreplace')).hexdigest()[:_DIGITS]}"


def sample_lines(sample_slice: SampleSlice, lab: str) -> list[str]:
    """Write one line per sample of a piece that a lab recorded, without line ends."""
    key, samples = sample_slice.key, sample_slice.samples
    tags = dict(zip(schema.TAGS, (key.run_id, key.server, key.source, key.channel), strict=True))
    begin = tagged(schema.SAMPLES, {**tags, schema.LAB: lab})
    extras = _extras(sample_slice)
    stamps = (samples.t_ns + _later_ns(sample_slice)).tolist()
    if extras is None and bool(np.isfinite(samples.value).all()):
        begin += f"{schema.VALUE}="
        return [f"{begin}{value!r} {t}" for value, t in zip(samples.value.tolist(), stamps, strict=True)]
    extras = extras or [""] * len(samples)
    values = _values(samples.value)
    return [f"{begin}{value}{extra} {t}" for value, extra, t in zip(values, extras, stamps, strict=True)]


def body(lines: Iterable[str]) -> bytes:
    """Join lines to what is posted."""
    return "\n".join(lines).encode()


def _values(values: NDArray[np.float64]) -> list[str]:
    if bool(np.isfinite(values).all()):
        return [f"{schema.VALUE}={value!r}" for value in values.tolist()]
    return [_field(value) for value in values.tolist()]


def _field(value: float) -> str:
    if value != value:
        return f"{schema.NOT_FINITE}=0"
    if value in (float("inf"), float("-inf")):
        return f"{schema.NOT_FINITE}={1 if value > 0 else -1}"
    return f"{schema.VALUE}={value!r}"


def _later_ns(sample_slice: SampleSlice) -> NDArray[np.int64]:
    """Compute how much later than its stamp each sample is stored, so that none replaces another [ns]."""
    return sample_slice.repeats + sample_slice.part * schema.PART_NS


def _extras(sample_slice: SampleSlice) -> list[str] | None:
    """Write the fields after the value, one text per sample; None where no sample has any."""
    samples = sample_slice.samples
    part = np.full(len(samples), float(sample_slice.part))
    simulated = np.full(len(samples), float(sample_slice.key.simulated))
    columns: Sequence[tuple[str, NDArray[np.generic]]] = (
        (schema.QUALITY, samples.quality.astype(np.float64)),
        (schema.STAMP_UNCERTAINTY, samples.u_t_s.astype(np.float64)),
        (schema.LATER, _later_ns(sample_slice).astype(np.float64)),
        (schema.PART, part),
        (schema.SIMULATED, simulated),
    )
    written = [_column(name, column) for name, column in columns if column.any()]
    if not written:
        return None
    return written[0] if len(written) == 1 else ["".join(texts) for texts in zip(*written, strict=True)]


def _column(name: str, column: NDArray[np.generic]) -> list[str]:
    if bool((column == column[0]).all()):
        return [f",{name}={column[0].item()!r}"] * len(column)
    return [f",{name}={value!r}" if value else "" for value in column.tolist()]
