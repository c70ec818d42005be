"""Live readings that make a reading of the check standard, and those that do not."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.core.errors import WattmarkError
from wattmark.traceability.check_standards.take import REFUSED, take
from wattmark_drivers.reading import Kind, Quality, Reading


def readings(*watts: float, channel: str = "power", unit: str = "W") -> list[Reading]:
    return [Reading(channel, w, unit, k * 10**9, 0, Kind.AVERAGED, "300V/1A") for k, w in enumerate(watts)]


def test_mean_and_standard_deviation():
    taken = take("wall", readings(100, 101, 99, 100, 100))
    assert (taken.power_w, taken.n, taken.range, taken.simulated) == (100, 5, "300V/1A", False)
    assert taken.sd_w == pytest.approx(math.sqrt(2 / 4))


def test_other_channels_and_phases_do_not_count():
    mixed = readings(*[230] * 9, channel="voltage", unit="V") + readings(*[33] * 9, channel="power_l1")
    assert take("wall", mixed + readings(*[100] * 6)).power_w == 100


def test_a_simulated_sample_makes_the_reading_simulated():
    samples = readings(*[100] * 6)
    samples[2] = samples[2]._replace(quality=Quality.SIMULATED)
    assert take("wall", samples).simulated


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        (readings(100, 100, 100, 100), "it gave 4 power samples"),
        ([], "it gave 0 power samples"),
        (readings(*[100] * 5, math.nan), "1 of 6 samples are no number"),
        (readings(*range(80, 120)), "changed by"),
        (readings(*[0] * 6), "Switch the load on"),
        ([*readings(*[100] * 5), readings(100)[0]._replace(range="300V/5A")], "its range changed"),
    ],
)
def test_what_says_nothing_is_refused(samples: list[Reading], words: str):
    with pytest.raises(WattmarkError, match=words):
        take("wall", samples)


@given(flag=st.sampled_from([flag for flag in Quality if flag]), position=st.integers(0, 9))
def test_one_sample_of_bad_quality_is_enough(flag: Quality, position: int):
    samples = readings(*[100] * 10)
    samples[position] = samples[position]._replace(quality=flag)
    if flag & REFUSED:
        with pytest.raises(WattmarkError, match="1 of 10 samples are"):
            take("wall", samples)
    else:
        assert take("wall", samples).power_w == 100


def test_the_reason_names_the_quality():
    samples = [reading._replace(quality=Quality.OVER_RANGE) for reading in readings(*[100] * 6)]
    with pytest.raises(WattmarkError, match="6 of 6 samples are over range"):
        take("wall", samples)
