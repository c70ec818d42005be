"""Waits double up to a minute, spread so that many appliances do not come back together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from wattmark.fleet.sending.step import wait_s


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_the_wait_lies_between_half_and_all_of_the_doubled_one(failures, drawn):
    full = min(60.0, 2.0 ** min(failures - 1, 20))
    assert full / 2 <= wait_s(failures, lambda: drawn) <= full


def test_what_the_server_asks_for_is_kept_to_within_reason():
    assert wait_s(1, lambda: 0.5, 30.0) == 30.0
    assert wait_s(1, lambda: 0.5, 1e9) == 600.0
    assert wait_s(10, lambda: 0.5, 1.0) == 45.0
