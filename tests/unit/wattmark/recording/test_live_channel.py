"""The last minutes of a channel, against a plain list."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from wattmark.recording.live_channel import RecentPoints

steps = st.lists(st.tuples(st.sampled_from([0.0, 0.02, 1.0, 7.0]), st.none() | st.floats(-1e6, 1e6)), max_size=400)


@given(steps, st.integers(1, 150))
def test_what_is_kept_is_what_is_young_enough(taken: list[tuple[float, float | None]], most: int) -> None:
    points, plain, now_s = RecentPoints(60.0, most), [], 1_700_000_000.0
    for step_s, value in taken:
        now_s += step_s
        points.add(now_s, math.nan if value is None else value)
        plain.append((now_s, value))
    young = [(t_s, value) for t_s, value in plain if t_s >= now_s - 60.0][-most:]
    assert list(zip(*points.columns(), strict=True)) == young
