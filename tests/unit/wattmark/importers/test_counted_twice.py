"""A meter that measured what all others did: found by its values, whatever it is called."""

from __future__ import annotations

import numpy as np
import pytest
from wattmark.importers.counted_twice import total_of_others

SPANS = np.arange(10)
NODES = [3000 + 40 * np.sin(SPANS), 2500 + 90 * np.cos(SPANS), 2800 + 10 * np.sin(3 * SPANS)]


@pytest.mark.parametrize(
    ("meters", "half_digits", "total"),
    [
        ([*NODES, sum(NODES)], 0.0, 3),
        ([sum(NODES), *NODES], 0.0, 0),
        ([*NODES, sum(NODES) + 0.001 * sum(NODES)], 0.0, 3),
        ([*NODES, 1.05 * sum(NODES)], 0.0, None),
        ([*NODES, np.full(10, np.mean(sum(NODES)))], 0.0, None),
        (NODES, 0.0, None),
        ([*NODES, sum(NODES) + 60], 70.0, 3),
        ([*NODES, sum(NODES) + 60], 700.0, None),
        ([NODES[0], NODES[0], np.full(10, 0.1)], 0.0, None),
        ([np.zeros(10)] * 3, 0.0, None),
    ],
    ids=[
        *("behind", "before", "another meter", "supply losses", "its mean only", "none"),
        *("within digits", "digits that prove nothing", "equal meters", "nothing"),
    ],
)
def test_a_total_is_told_from_its_parts(meters: list[np.ndarray], half_digits: float, total: int | None) -> None:
    assert total_of_others(np.column_stack(meters), half_digits) == total
