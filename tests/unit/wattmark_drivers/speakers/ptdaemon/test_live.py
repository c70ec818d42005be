"""What a daemon makes of the readings of a meter: phases and elements by their names, ranges that are exceeded."""

from __future__ import annotations

import math

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import ClosesSlowly
from wattmark_drivers.reading import Channel, Kind, Quality, Reading, part_of
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.face import Doorway
from wattmark_drivers.speakers.ptdaemon.live import DaemonOptions, LiveDaemon, OwnMeter, observe
from wattmark_drivers.speakers.ptdaemon.ranges import FixedRanges
from wattmark_drivers.speakers.ptdaemon.samples import Exceeded

from tests.set_clock import SetClock

QUANTITIES = {"power": "W", "voltage": "V", "current": "A", "power_factor": "1"}


def channels(*endings: str) -> list[Channel]:
    return [
        Channel(f"{quantity}{ending}", quantity, unit, Kind.AVERAGED)
        for ending in endings
        for quantity, unit in QUANTITIES.items()
    ]


def readings(values, quality=None) -> list[Reading]:
    marks = quality or {}
    return [
        Reading(name, value, "", 7, 0, Kind.AVERAGED, quality=marks.get(name, Quality.GOOD))
        for name, value in values.items()
    ]


WHOLE = {"power": 400.0, "voltage": 230.0, "current": 1.8, "power_factor": 0.96}


def test_the_whole_meter():
    observation = observe(channels(""), readings(WHOLE), ())
    assert observation is not None
    assert (observation.t_ns, observation.groups) == (7, ((400.0, 230.0, 1.8, 0.96),))


@pytest.mark.parametrize("ending", ["_l", "_ch"])
def test_phases_and_elements_by_their_names(ending):
    """A WT330E names its elements l1 to l3, a PW3336 its channels ch1 and ch2."""
    values = {f"{name}{ending}{n}": value + n for n in (1, 2, 3) for name, value in WHOLE.items()}
    everything = channels("", *(f"{ending}{n}" for n in (1, 2, 3)))
    observation = observe(everything, readings(WHOLE | values), (2, 3))
    assert observation is not None
    assert observation.groups == ((402.0, 232.0, 3.8, 2.96), (403.0, 233.0, 4.8, 3.96))


def test_each_model_with_several_channels_of_power_can_be_read_by_channel():
    """No name of a channel of power in the catalogue escapes the rule."""
    several = {
        model: names
        for model, declaration in load_catalogue().items()
        if len(names := [item.channel for item in declaration.protocol.measured if item.quantity == "power"]) > 1
    }
    assert {"hioki.pw3336", "yokogawa.wt330e"} <= several.keys()
    for model in ("hioki.pw3336", "hioki.pw3337", "yokogawa.wt330e", "yokogawa.wt500", "chroma.66204"):
        parts = sorted(part for name in several[model] if (part := part_of(name)) is not None)
        assert parts == list(range(1, len(parts) + 1))


@pytest.mark.parametrize(
    ("flagged", "exceeded"),
    [
        (["voltage"], Exceeded(0, "V")),
        (["current", "power"], Exceeded(0, "A")),
        (["power"], Exceeded(0)),
        (["power", "voltage", "current", "power_factor"], Exceeded(0)),
    ],
)
def test_which_range_is_exceeded_as_far_as_the_device_says(flagged, exceeded):
    marks = dict.fromkeys(flagged, Quality.OVER_RANGE)
    observation = observe(channels(""), readings(WHOLE, marks), ())
    assert observation is not None
    assert (observation.trouble, observation.exceeded) == ("over-range", exceeded)


def test_the_channel_that_exceeds_its_range_is_the_one_that_is_named():
    values = {f"{name}_l{n}": value for n in (1, 2) for name, value in WHOLE.items()}
    observation = observe(channels("_l1", "_l2"), readings(values, {"current_l2": Quality.OVER_RANGE}), (1, 2))
    assert observation is not None
    assert observation.exceeded == Exceeded(1, "A")


def test_what_cannot_be_used_is_no_value():
    marks = {"voltage": Quality.INVALID, "power_factor": Quality.STALE}
    observation = observe(channels(""), readings(WHOLE, marks), ())
    assert observation is not None
    power, volts, amps, factor = observation.groups[0]
    assert (power, amps) == (400.0, 1.8)
    assert math.isnan(volts)
    assert math.isnan(factor)


def test_power_that_cannot_be_used_is_an_error_and_a_stale_one_nothing_new():
    bad = observe(channels(""), readings(WHOLE, {"power": Quality.INVALID}), ())
    assert bad is not None
    assert bad.trouble == "error"
    assert observe(channels(""), readings(WHOLE, {"power": Quality.STALE}), ()) is None


def test_readings_without_power_are_none():
    assert observe(channels(""), readings({"voltage": 230.0}), ()) is None


@pytest.mark.parametrize("certified", [True, False])
def test_a_certificate_tells_the_uncertainty_of_a_meter_without_limits_of_error(certified):
    """A Shelly Plug S has none from its manufacturer."""
    settings = MeterSettings("plug", "shelly.plusplugs", "http://127.0.0.1:1")
    meter = create_meter(settings)
    assert meter.identity.power_accuracy is None
    options = DaemonOptions("0", "Linux", Doorway(), 0, certified=certified)
    console: list[str] = []
    live = LiveDaemon(meter, options, FixedRanges(), SetClock(), console.append)
    assert live.daemon.identity.tells_uncertainty is certified
    live.daemon.announce()
    assert any("Uncertainty checking for" in line for line in console) is certified


def test_a_meter_that_closes_slowly_has_the_time_for_it():
    """A power daemon's own driver may have ranges to put back, which takes seconds; others have the usual time."""

    class Slow:
        closing_s = 9.0

    own = OwnMeter(Slow())  # type: ignore[arg-type]
    assert isinstance(own, ClosesSlowly)
    assert own.closing_s == 9.0
    meter = create_meter(MeterSettings("wall", "eastron.sdm120", "modbus-tcp://127.0.0.1:1/1"))
    assert OwnMeter(meter).closing_s == 2.0
