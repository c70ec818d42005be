"""Instants as text are cut, never rounded into the next second."""

import pytest
from wattmark.core.instants import iso

INSTANT_NS = 1_700_000_000 * 10**9
"""2023-11-14 22:13:20 UTC by `date -u -d @1700000000`."""


@pytest.mark.parametrize(
    ("rest_ns", "timespec", "text"),
    [
        (0, "seconds", "2023-11-14T22:13:20+00:00"),
        (999_999_999, "seconds", "2023-11-14T22:13:20+00:00"),
        (999_999_999, "milliseconds", "2023-11-14T22:13:20.999+00:00"),
        (999_999_999, "microseconds", "2023-11-14T22:13:20.999999+00:00"),
        (-1, "microseconds", "2023-11-14T22:13:19.999999+00:00"),
    ],
)
def test_an_instant_is_cut_to_its_digits(rest_ns, timespec, text):
    assert iso(INSTANT_NS + rest_ns, timespec) == text
