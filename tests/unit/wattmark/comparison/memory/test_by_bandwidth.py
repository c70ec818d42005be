"""Watts per DIMM at each bandwidth and for traffic, of a server whose watts are known."""

from __future__ import annotations

import numpy as np
import pytest
from wattmark.comparison.memory.by_bandwidth import rates_by_bandwidth
from wattmark.comparison.parts.kinds import ALL
from wattmark.comparison.parts.views import PartRate
from wattmark.runs.disclosure import Disclosure

from tests.coverage.meters import Meter
from tests.coverage.scenarios_memory import BASE_W, IDLE, LEVELS, WAKING_W, Campaign

DIMM_W, TRAFFIC_W = 8.0, 4.0
METER = Meter()
TRAFFIC = "W per GB/s of memory traffic"


def measured(counts: tuple[int, ...], levels: dict[str, float], meter: Meter = METER) -> Campaign:
    """2 GB/s and 0.5 GB/s for each module at most; 8 W for each module, 4 W for each GB/s, 15 W for any traffic."""
    rng, campaign = np.random.default_rng(5), Campaign()
    for number, modules in enumerate(counts):
        for level, share in levels.items():
            gb_per_s = share * (2 + 0.5 * modules)
            power_w = BASE_W + DIMM_W * modules + TRAFFIC_W * gb_per_s + WAKING_W * (share > 0) + rng.normal(0, 0.05)
            campaign.measure(rng, meter, modules, f"fitting {number}", level, gb_per_s, power_w)
    return campaign


def rates(campaign: Campaign) -> dict[str, PartRate]:
    fitted = {result.run_id: result.installation or "" for _, result in campaign.pairs}
    return {rate.quantity: rate for rate in rates_by_bandwidth(campaign.pairs, fitted, ALL)}


@pytest.fixture(scope="module")
def by_quantity() -> dict[str, PartRate]:
    return rates(measured((4, 2, 8, 8, 4, 2), dict(LEVELS)))


def test_each_level_has_its_watts_per_module_idle_first(by_quantity: dict[str, PartRate]) -> None:
    """A module adds 0.5 GB/s to the most: at 50 % it costs 8 W + 0.5 x 0.5 GB/s x 4 W/(GB/s) = 9 W."""
    named = [quantity.split(",")[0] for quantity in by_quantity]
    assert named == [f"W per DIMM at {level}" for level in (IDLE, "25 %", "50 %", "75 %", "100 %")] + [TRAFFIC]
    values = [rate.value.value for rate in by_quantity.values() if rate.value is not None]
    assert values == pytest.approx([8.0, 8.5, 9.0, 9.5, 10.0, 4.0], abs=0.1)


def test_the_interval_of_each_holds_what_was_planted(by_quantity: dict[str, PartRate]) -> None:
    for rate, truth in zip(by_quantity.values(), (8.0, 8.5, 9.0, 9.5, 10.0, 4.0), strict=True):
        assert rate.value is not None
        assert rate.value.low is not None
        assert rate.value.high is not None
        assert rate.value.low < truth < rate.value.high
        assert rate.value.high - rate.value.low < 1


def test_bandwidth_is_said_beside_the_level(by_quantity: dict[str, PartRate]) -> None:
    """On average over 4, 2 and 8 modules the most is 2 + 0.5 x 14/3 = 4.33 GB/s."""
    assert "W per DIMM at 100 %, 4.33 GB/s on average" in by_quantity


def test_what_is_in_the_watts_for_traffic_is_said(by_quantity: dict[str, PartRate]) -> None:
    remark = by_quantity[TRAFFIC].remark or ""
    assert "what the processor draws for the traffic are in it" in remark
    assert "24 runs of 6 installations of the modules, idle excluded" in remark


def test_one_curve_from_full_bandwidth_down_has_no_interval() -> None:
    """What drifted meanwhile acts as traffic does."""
    rate = rates(measured((4,), dict(LEVELS)))[TRAFFIC]
    assert rate.value is not None
    assert rate.value.value == pytest.approx(4.0, abs=0.1)
    assert rate.value.U95 is None
    assert "measured one after the other" in (rate.remark or "")


def test_a_meter_of_unknown_error_gives_no_interval_and_says_so() -> None:
    unknown = Meter(model="bmc", serial=None, reading_pct=0.0, range_pct=0.0, range_w=None)
    for rate in rates(measured((4, 2, 8, 8, 4, 2), dict(LEVELS), unknown)).values():
        assert rate.value is not None
        assert rate.value.U95 is None
        assert "the uncertainty of the meter is not known" in (rate.remark or "")


def test_a_single_level_is_no_list() -> None:
    assert rates(measured((4, 2, 8), {"100 %": 1.0})) == {}


def test_two_bandwidths_give_no_watts_for_traffic() -> None:
    rate = rates(measured((4, 2, 8, 8, 2, 4), {"100 %": 1.0, "50 %": 0.5}))[TRAFFIC]
    assert rate.value is None
    assert rate.remark == "No figure: Watts for traffic need runs at three bandwidths or more of one installation."


@pytest.mark.parametrize(
    ("disclosed", "shown"),
    [({"task": {"task": "calibrate"}}, False), ({"workload": {"limited_by": "cpu"}}, False), ({}, True)],
)
def test_calibration_and_other_loads_are_no_levels(disclosed: dict[str, dict[str, str]], shown: bool) -> None:
    campaign = measured((4, 2, 8), {"100 %": 1.0, "50 %": 0.5, "25 %": 0.25})
    campaign.pairs = [
        (record.model_copy(update={"disclosure": _changed(record.disclosure, disclosed)}), r)
        for record, r in campaign.pairs
    ]
    assert bool(rates(campaign)) is shown


def _changed(disclosure: Disclosure, parts: dict[str, dict[str, str]]) -> Disclosure:
    changed = {name: getattr(disclosure, name).model_copy(update=fields) for name, fields in parts.items()}
    return disclosure.model_copy(update=changed)
