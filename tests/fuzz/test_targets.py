"""The fuzz targets themselves: they accept what the parsers are made for, and random bytes near it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples

from .targets import SEEDS, TARGETS


def test_every_target_has_seeds():
    assert set(SEEDS) == set(TARGETS)
    assert all(SEEDS.values())


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_keep_the_promises(name):
    for seed in SEEDS[name]:
        TARGETS[name](seed)


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=examples(40))
@given(data=st.data())
def test_whatever_comes_keeps_the_promises(name, data):
    seed = data.draw(st.sampled_from(SEEDS[name]))
    start = data.draw(st.integers(0, len(seed)))
    length = data.draw(st.integers(0, len(seed) - start))
    TARGETS[name](seed[:start] + data.draw(st.binary(max_size=60)) + seed[start + length :])
