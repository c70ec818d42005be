"""A small share of the ten thousand device faults of `tests/attack`, one protocol of each kind of wire."""

from __future__ import annotations

from tests.attack.device_faults import CASES, KINDS, attack

FEW = [case for case in CASES if case.name in ("modbus-tcp", "modbus-rtu", "snmp", "http")]


def test_no_fault_becomes_a_good_reading_with_a_wrong_value() -> None:
    tally = attack(160, seed=3, cases=FEW, rigs=4)
    assert not tally.gone
    assert not tally.wrong, "\n".join(tally.wrong[:10])
    assert tally.total("unnoticed") == 0
    assert tally.total("marked") > 3, tally.table()
    assert tally.total("gap") > 3, tally.table()
    assert {kind for _, kind, _ in tally.counts} == set(KINDS)
