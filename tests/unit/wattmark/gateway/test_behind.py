"""What a gateway says of the meter behind it: ranges in force, and how far its power may be off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest
from wattmark.gateway.behind import with_meter
from wattmark.gateway.indication import sum_of
from wattmark.recording.monitor import MonitoredMeter
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.identity import identify
from wattmark_drivers.meter import MeterIdentity, RangedInput, RangeInForce
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.indication import Behind, Indication

FIXED = {"voltage": RangeInForce(False, 300.0), "current": RangeInForce(False, 5.0)}


@dataclass
class Analyser:
    """A meter as far as the gateway describes it."""

    ranges_in_force: Mapping[RangedInput, RangeInForce]
    model: str = "yokogawa.wt310e"
    pushes: bool = True
    identity: MeterIdentity = field(init=False)

    def __post_init__(self) -> None:
        settings = MeterSettings("wall", self.model, "scpi-tcp://127.0.0.1:1")
        self.identity = identify(settings, find_model(self.model), update_period_s=0.25)

    async def set_range(self, which: RangedInput, least: float | None) -> float | None:
        raise NotImplementedError


def described(meter, behind=None, limit=lambda *_: 0.002, period_s=1.0, range_name=None) -> Behind:
    indication = Indication((), {"power": 400.0, "voltage": 230.0}, behind=behind)
    shown = with_meter(indication, MonitoredMeter(meter, "wall", None, period_s), range_name, limit)
    assert shown.behind is not None
    assert shown.total == indication.total
    return shown.behind


def test_ranges_as_the_driver_read_them_and_the_limit_of_error():
    assert described(Analyser(FIXED)) == Behind(0.25, 300.0, 5.0, automatic=False, power_limit=0.002)


def test_a_limit_is_computed_from_what_the_meter_shows():
    asked = []
    described(Analyser(FIXED), limit=lambda *values: asked.append(values))
    assert asked == [(400.0, 230.0, None, None)]


def test_under_auto_range_nobody_knows_the_limit_of_error():
    behind = described(Analyser(FIXED | {"current": RangeInForce(True, 5.0)}))
    assert (behind.automatic, behind.current_range_a, behind.power_limit) == (True, 5.0, None)


def test_a_corrected_power_has_the_limit_of_its_certificate():
    assert described(Analyser(FIXED), behind=Behind(power_limit=0.0004)).power_limit == 0.0004


@pytest.mark.parametrize(("pushes", "update_s"), [(True, 0.25), (False, 2.0)])
def test_a_polled_meter_has_new_values_once_per_poll(pushes, update_s):
    assert described(Analyser(FIXED, pushes=pushes), period_s=2.0).update_s == update_s


def test_a_meter_with_one_range_has_that_of_its_datasheet():
    """Eastron SDM120: 230 V, 45 A."""
    behind = described(Analyser({}, model="eastron.sdm120"))
    assert (behind.voltage_range_v, behind.current_range_a, behind.automatic) == (230.0, 45.0, False)


def test_ranges_that_nobody_knows_are_none():
    behind = described(Analyser({}))
    assert (behind.voltage_range_v, behind.current_range_a, behind.automatic) == (None, None, None)


def of_sum(first: Behind | None, second: Behind | None) -> Behind | None:
    """Describe the sum of a meter with 100 W and one with 300 W."""
    return sum_of(
        [Indication((), {"power": 100.0}, behind=first), Indication((), {"power": 300.0}, behind=second)]
    ).behind


FIRST = Behind(1.0, 300.0, 5.0, automatic=False, power_limit=0.002)
SECOND = Behind(2.0, 300.0, 10.0, automatic=False, power_limit=0.001)


def test_a_sum_has_the_limits_of_error_and_the_reach_of_all_its_meters_and_the_pace_of_the_slowest():
    """0.2 % of 100 W and 0.1 % of 300 W are 0.5 W of 400 W; 300 V and 5 A beside 300 V and 10 A are 300 V and 15 A."""
    assert of_sum(FIRST, SECOND) == Behind(2.0, 300.0, 15.0, automatic=False, power_limit=pytest.approx(0.00125))


@pytest.mark.parametrize(
    ("second", "whole"),
    [
        (replace(SECOND, voltage_range_v=150.0), Behind(2.0, automatic=False, power_limit=0.00125)),
        (replace(SECOND, current_range_a=None), Behind(2.0, automatic=False, power_limit=0.00125)),
        (replace(SECOND, automatic=True, power_limit=None), Behind(2.0, 300.0, 15.0, automatic=True)),
        (replace(SECOND, automatic=None), Behind(2.0, 300.0, 15.0, power_limit=0.00125)),
        (replace(SECOND, update_s=None), Behind(None, 300.0, 15.0, automatic=False, power_limit=0.00125)),
        (None, None),
    ],
)
def test_what_is_not_known_of_one_meter_is_not_known_of_the_sum(second, whole):
    assert of_sum(FIRST, second) == whole
