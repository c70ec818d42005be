"""As many pairs as there can be: against every possible choice, and against what a greedy choice gives."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st
from wattmark.results.inventory.matching import most_pairs


def test_what_fits_everything_leaves_the_only_place_of_another() -> None:
    fits = {("any", "left"), ("any", "right"), ("left only", "left")}
    pairs = most_pairs(
        {1: "any", 2: "left only"}, {"l": "left", "r": "right"}, lambda here, there: (here, there) in fits
    )
    assert pairs == {1: "r", 2: "l"}


def test_giving_way_goes_on_along_a_row() -> None:
    """Each of 0 to 9 fits its own place and the next one; 10 fits the first alone, so that all have to move."""

    def fits(here: int, there: int) -> bool:
        return there == 0 if here == 10 else there in (here, here + 1)

    pairs = most_pairs({n: n for n in range(11)}, {n: n for n in range(11)}, fits)
    assert pairs == {**{n: n + 1 for n in range(10)}, 10: 0}


SIDE = st.integers(0, 4)


@given(SIDE, SIDE, st.sets(st.tuples(SIDE, SIDE)))
def test_no_other_choice_has_more_pairs(here: int, there: int, fits: set[tuple[int, int]]) -> None:
    names, others = range(here), range(there)
    pairs = most_pairs({n: n for n in names}, {n: n for n in others}, lambda a, b: (a, b) in fits)
    assert all(pair in fits for pair in pairs.items())
    assert len(set(pairs.values())) == len(pairs)
    short, long = sorted((names, others), key=len)
    ways = (zip(short, chosen, strict=True) for chosen in permutations(long, len(short)))
    most = max(sum(((a, b) if len(names) <= len(others) else (b, a)) in fits for a, b in way) for way in ways)
    assert len(pairs) == most
