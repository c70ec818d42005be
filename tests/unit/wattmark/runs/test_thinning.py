"""Thinning against the definition written out sample by sample."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.runs.thinning import thin
from wattmark.store.columns import make_samples
from wattmark_drivers.reading import UNUSABLE, Quality

S = 10**9
BAD = next(flag for flag in Quality if int(flag) & int(UNUSABLE))
NOTED = next(flag for flag in Quality if int(flag) and not int(flag) & int(UNUSABLE))


@given(
    st.lists(
        st.tuples(
            st.integers(0, 4 * S),
            st.floats(-1e6, 1e6) | st.just(math.nan),
            st.sampled_from([0, 0, int(BAD), int(NOTED)]),
        ),
        min_size=20,
        max_size=80,
    )
)
def test_every_second_is_what_its_samples_say(rows):
    rows.sort(key=lambda row: row[0])
    thinned = thin(make_samples(*map(np.array, zip(*rows, strict=True))), "averaged")
    seconds = {}
    for t, value, quality in rows:
        seconds.setdefault((t - 1) // S, []).append((t, value, quality))
    if thinned is None:
        assert len(rows) < 2 * 3 * len(seconds)
        return
    assert len(thinned) == 3 * len(seconds)
    for index, second in enumerate(seconds.values()):
        good = [(value, quality) for _, value, quality in second if math.isfinite(value) and not quality & UNUSABLE]
        assert thinned.samples.t_ns[index] == second[-1][0]
        flags = [quality for _, quality in good] or [quality for _, _, quality in second]
        assert thinned.samples.quality[index] == np.bitwise_or.reduce(np.array(flags, np.uint16))
        shown = [column.value[index] for column in (thinned.minimum, thinned.samples, thinned.maximum)]
        if good:
            values = [value for value, _ in good]
            assert shown == pytest.approx([min(values), math.fsum(values) / len(values), max(values)], abs=1e-7)
        else:
            assert np.isnan(shown).all()


def test_a_counter_keeps_the_last_usable_reading_of_each_second():
    t = np.arange(1, 31) * (S // 10)
    value = np.arange(30.0)
    quality = np.zeros(30, np.uint16)
    quality[9] = int(BAD)
    thinned = thin(make_samples(t, value, quality), "counter")
    assert (thinned.minimum, thinned.samples.value.tolist()) == (None, [8.0, 19.0, 29.0])


def test_instantaneous_readings_get_the_middle_of_their_stamps():
    thinned = thin(make_samples(np.arange(1, 21) * (S // 10), np.arange(20.0)), "instantaneous")
    assert thinned.samples.t_ns.tolist() == [int(0.55 * S), int(1.55 * S)]


def test_a_series_of_one_reading_a_second_stays_as_it_is():
    assert thin(make_samples(np.arange(100) * S, np.arange(100.0)), "averaged") is None
    assert thin(make_samples([], []), "averaged") is None
