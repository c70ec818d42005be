"""Meters of one model without serial numbers, in two laboratories: never one meter, wherever their runs lie."""

from __future__ import annotations

import numpy as np
import pytest
from wattmark.comparison.compare.compare import compare

from ..traceability.conftest import Lab
from .conftest import Open, packed, unpacked

ONE_PERCENT = {
    "serial": None, "model": "eastron.sdm120", "title": "Eastron SDM120", "reading_pct": 1.0, "fixed_w": None,
    "power_factor": None,
}  # fmt: skip
UNKNOWN = {**ONE_PERCENT, "model": "bmc", "reading_pct": None, "indicative": True}


def three_runs(lab: Lab, name: str, gain: float, meter: dict) -> None:
    """Three repeats of a server of 250 W, as a meter that is off by ``gain`` shows them."""
    scatter = np.random.default_rng(len(name)).normal(0, 1e-4, 3)
    for k, part in enumerate(scatter):
        lab.measure(f"{name}-{k}", watts=250 * (1 + gain) * (1 + part), day=f"2025-06-0{k + 1}", noise_w=0.1, **meter)


@pytest.fixture
def compared(open_lab: Open):
    """Hold what two laboratories archived against each other in a third folder."""

    def make(meter: dict, names: tuple[str, str] = ("Lab A", "Lab B")):
        target = open_lab("target")
        for name, key, gain in zip(names, ("a", "b-b"), (0.006, -0.006), strict=True):
            lab = open_lab(key)
            three_runs(lab, key, gain, meter)
            unpacked(target, packed(lab, name=name))
        return compare(target.queries.results(), "rsa", "1 process"), target

    return make


def test_two_meters_of_one_percent_are_a_tie(compared) -> None:
    """Two rectangles of 1 %, the 0.816 % of their sum as u: its 95 % is 1.55 %, were the meters perfectly linear."""
    comparison, target = compared(ONE_PERCENT)
    (pair,) = comparison.pairs
    assert pair.significant is False
    assert "are not distinguishable" in pair.verdict or "are equal within 2 %" in pair.verdict
    assert 0.0150 < pair.ratio.U95 / pair.ratio.value < 0.0165
    assert pair.ratio.low < 1 < pair.ratio.high
    assert {(g.rank_low, g.rank_high) for g in comparison.groups} == {(1, 2)}
    assert pair.cancels == []
    gains = [line for line in pair.budget if line.name == "Specification of wall"]
    assert [line.note.startswith("of “") for line in gains] == [True, True]
    assert len({r.meter_identities for r in target.queries.results()}) == 2


def test_two_laboratories_without_a_name_have_two_meters(compared) -> None:
    comparison, target = compared(ONE_PERCENT, ("", ""))
    assert len({r.meter_identities for r in target.queries.results()}) == 2
    assert len({r.server for r in target.queries.results()}) == 2
    assert comparison.pairs[0].significant is False


def test_two_meters_of_which_nothing_is_known_are_not_tested(compared) -> None:
    (pair,) = compared(UNKNOWN)[0].pairs
    assert (pair.significant, *pair.ratio.ends) == (None, None, None)
    assert "the meters differ and their uncertainty is not known" in pair.verdict


def test_one_meter_of_one_laboratory_cancels(open_lab: Open) -> None:
    lab = open_lab("one")
    three_runs(lab, "a", 0.006, ONE_PERCENT)
    three_runs(lab, "bb", 0.006, {**ONE_PERCENT, "dimms": 8})
    (pair,) = compare(lab.queries.results(), "rsa", "1 process").pairs
    assert "The gain of wall cancels" in " ".join(pair.cancels)
    # A fifth of 1 % of each is taken as non-linearity: 1.96 x 0.2 % x sqrt(2)/sqrt(3) = 0.32 %, and scatter.
    assert 0.0025 < pair.ratio.U95 / pair.ratio.value < 0.004
    lines = [line.name for line in pair.budget]
    assert lines.count("Non-linearity of wall (assumed 20 % of its limit)") == 2
    assert "the same meter as long as bench, name and calibration do not change" in next(
        line.note for line in lab.result("a-0").power.budget if line.name == "Specification of wall"
    )


def test_a_run_that_comes_back_has_the_meter_that_it_had(open_lab: Open) -> None:
    """An appliance discloses itself, so its own archive and its own folder speak of one meter."""
    lab, target = open_lab("source"), open_lab("target")
    disclosure = {"recorded_by": {"lab": "A", "appliance": "1f", "bench": "2e"}}
    run = lab.measure("r1", **ONE_PERCENT).changed(disclosure=disclosure)
    lab.storage.runs.put(run)
    unpacked(target, packed(lab))
    assert target.result("r1").meter_identities == lab.result("r1").meter_identities
    assert lab.result("r1").meter_identities == (
        "A, appliance 1f, bench 2e: Eastron SDM120 (eastron.sdm120) wall, calibration date not stated",
    )
