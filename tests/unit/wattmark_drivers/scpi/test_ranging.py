"""Range plans, against sums done by hand and the rules of the manuals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.scpi.ranging import Extent, expect_power, expect_supply, plan_ranges, range_name

RANGES = load_catalogue()["yokogawa.wt310e"].protocol.ranges


@pytest.mark.parametrize(
    ("extent", "crest", "name"),
    [
        (Extent(230, 2.0), 3, "300V-5A"),  # 230 x 1.1 = 253; 2.2 A
        (Extent(230, 1.8), 3, "300V-2A"),  # 1.98 A
        (Extent(115, 1.8), 3, "150V-2A"),
        (Extent(230, 1.8, None, 5.6), 3, "300V-5A"),  # peak 5.6 x 1.1 = 6.16 A is above 3 x 2 A
        (Extent(230, 0.5, None, 2.9), 3, "300V-2A"),  # 3.19 A is above 3 x 1 A
        (Extent(230, 0.5, None, 2.9), 6, "300V-1A"),  # 3.19 A is below 6 x 1 A, above 6 x 0.5 A; 0.55 A
        (Extent(260, 18.0), 3, "300V-20A"),
    ],
)
def test_the_smallest_range_that_holds_value_and_peak(extent: Extent, crest: float, name: str) -> None:
    plan = plan_ranges(RANGES, extent, crest)
    assert range_name(plan.voltage_v, plan.current_a) == name


def test_expected_watts_and_a_supply_become_amperes() -> None:
    # 750 W at 230 V and power factor 0.95: 3.43 A. A supply of 750 W that is 85 % efficient draws 882 W: 4.04 A.
    assert expect_power(750, 230).current_a == pytest.approx(3.4325, abs=1e-4)
    assert expect_supply(750, 230).current_a == pytest.approx(4.0382, abs=1e-4)


@pytest.mark.parametrize("extent", [Extent(600, 1), Extent(230, 19), Extent(230, 1, None, 60)])
def test_what_fits_no_range_is_refused_with_the_largest(extent: Extent) -> None:
    with pytest.raises(ValueError, match="largest range"):
        plan_ranges(RANGES, extent, 3)


def test_an_unknown_crest_factor_is_refused() -> None:
    with pytest.raises(ValueError, match="only for 3, 6"):
        plan_ranges(RANGES, Extent(230, 1), 4)


@given(st.floats(1, 500), st.floats(0.001, 17), st.sampled_from([3.0, 6.0]))
def test_a_plan_holds_the_load_and_no_smaller_range_would(volts: float, amperes: float, crest: float) -> None:
    extent = Extent(volts, amperes, volts * 2**0.5, amperes * 1.8)
    try:
        plan = plan_ranges(RANGES, extent, crest)
    except ValueError:
        assert volts * 1.1 > RANGES.voltage.crest[crest][-1] or amperes * 1.1 > RANGES.current.crest[crest][-1]
        return
    for kind, chosen, value, peak in (
        (RANGES.voltage, plan.voltage_v, volts, volts * 2**0.5),
        (RANGES.current, plan.current_a, amperes, amperes * 1.8),
    ):
        assert chosen >= 1.1 * value
        assert crest * chosen >= 1.1 * peak
        smaller = [size for size in kind.crest[crest] if size < chosen]
        assert not smaller or smaller[-1] < 1.1 * value or crest * smaller[-1] < 1.1 * peak
