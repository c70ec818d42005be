"""The search for cyclic garbage is paused while many objects are made, and goes on afterwards whatever happened."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from wattmark.uncollected import uncollected


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


def test_it_goes_on_after_the_outermost_pause() -> None:
    with uncollected():
        with uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), uncollected():
        _ = 1 / 0
    assert gc.isenabled()


def test_it_stays_off_where_it_was_off() -> None:
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()


def test_what_lasts_is_left_out_of_later_searches() -> None:
    before = gc.get_freeze_count()
    with uncollected(lasting=True):
        made = [[k] for k in range(1000)]
    assert gc.get_freeze_count() - before >= len(made)
