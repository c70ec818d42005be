"""Samples as rows of stamp, value, quality and uncertainty of the stamp."""

import numpy as np
from wattmark.store.columns import columns_of, make_samples
from wattmark.store.sample_store import Samples, SeriesKey

Row = tuple[int, float, int, float]


def key(run_id: str, channel: str = "power", **fields: object) -> SeriesKey:
    base = {"server": "r1", "source": "wall1", "quantity": "power", "unit": "W", "kind": "averaged"}
    return SeriesKey(run_id=run_id, channel=channel, **{**base, **fields})  # type: ignore[arg-type]


def columns(rows: list[Row]) -> Samples:
    t, value, quality, u = zip(*rows, strict=True) if rows else ((), (), (), ())
    return make_samples(t, value, quality, u)


def same(samples: Samples, rows: list[Row]) -> None:
    for actual, wanted in zip(columns_of(samples), columns_of(columns(rows)), strict=True):
        assert actual.dtype == wanted.dtype
        np.testing.assert_array_equal(actual, wanted)
