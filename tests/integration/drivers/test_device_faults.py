"""A small share of the ten thousand device faults of `tests/attack`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.attack.device_faults import CASES, KINDS, Tally, injure

QUICK = [case for case in CASES if case.fast > 1]


async def test_no_fault_becomes_a_good_reading_with_a_wrong_value(tmp_path: Path) -> None:
    tally = Tally()
    await asyncio.gather(*(injure(case, 5, seed=3, folder=tmp_path, tally=tally) for case in QUICK))
    assert not tally.wrong, "\n".join(tally.wrong[:10])
    assert tally.total("unnoticed") == 0
    assert tally.total("marked") > 3, tally.table()
    assert tally.total("gap") > 3, tally.table()
    assert {kind for _, kind, _ in tally.counts} == set(KINDS)
