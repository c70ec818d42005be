"""Ten thousand device faults on the wire: none becomes a good reading with a wrong value."""

from __future__ import annotations

import sys

from .device_faults import KINDS, attack


def test_no_fault_becomes_a_good_reading_with_a_wrong_value() -> None:
    """Late, cut, stuck, rebooted, exchanged and cleared devices of every protocol; it matters for every figure."""
    tally = attack(10_000, seed=1, rigs=4)
    sys.stdout.write(tally.table() + "\n")
    assert not tally.gone
    assert not tally.wrong, "\n".join(tally.wrong[:10])
    assert tally.total("unnoticed") == 0
    assert sum(tally.counts.values()) >= 10_000
    assert {kind for _, kind, _ in tally.counts} == set(KINDS)
