"""One repeat among others, by Grubbs' test."""

from __future__ import annotations

import pytest
from wattmark.analysis.comparison.outlier import outlier


@pytest.mark.parametrize(
    ("values", "place", "above"),
    [
        # A cold first run of a database, as its users posted it.
        ([5300.0, 10010.0, 10030.0], 0, 5300 / 10020 - 1),
        # NIST handbook 1.3.5.17.1: 245.57 is rejected (there at 5 %, G = 2.47 of at most 2.03).
        ([199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57], 7, 245.57 / 200.8428571 - 1),
        ([100.0, 101.0, 102.0, 104.0], None, 0),
        ([100.0, 100.0, 100.0], None, 0),
        ([100.0, 100.001, 101.9], None, 0),
        ([100.0, 50.0], None, 0),
    ],
)
def test_a_repeat_far_from_the_others_is_found(values: list[float], place: int | None, above: float) -> None:
    odd = outlier(values)
    assert (None if odd is None else odd.place) == place
    if odd is not None:
        assert odd.above == pytest.approx(above)
