from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.analysis.comparison.exact import round_half_away
from wattmark.comparison.published.recompute import OPERATIONS, recompute
from wattmark.core.errors import InputError

VECTORS = Path(__file__).with_name("vectors.json")
"""[id, operation, inputs, half width, printed, decimals, value, interval, status], computed beside the articles."""


def opteron_at_3_ghz(base: int, pct_per_10_pct: int) -> dict[str, float]:
    return {"base": base, "mhz": 2400, "target_mhz": 3000, "pct_per_10_pct": pct_per_10_pct}


@pytest.mark.parametrize(
    ("operation", "inputs", "half_width", "printed", "decimals", "value", "status"),
    [
        ("pct_change", {"new": 433, "old": 362}, 0.5, 20, 0, 19.61326, "exact"),
        # A tie: only rounding half away from zero gives what is printed.
        ("mean", {"values": (2.9, -4.4, -5.8, -5.7)}, 0.05, -3.3, 1, -3.25, "exact"),
        ("mean", {"values": (13.3, 11.3, 13.4, 10.1)}, 0.05, 12.1, 1, 12.025, "within input rounding"),
        ("chain_scaling_pct", {"s1": 34, "s2": 17}, 0.5, 56, 0, 56.78, "within input rounding"),
        ("cycles_from_ns", {"ns": 117.3, "mhz": 3000}, {"ns": 0.05}, 345, 0, 351.9, "inconsistent"),
        ("ratio", {"num": 264, "den": 271}, 0.5, 0.97, 3, 0.97417, "inconsistent"),
        ("pct_change_of_means", {"new": (508, 502), "old": (502, 490)}, 0.5, None, 0, 1.814516, "derived"),
        ("closed_loop_rt_drop_pct", {"throughput_gain_pct": 71}, 0.5, 42, 0, 41.520468, "exact"),
        ("little_n", {"x_per_s": 685, "r_ms": 30}, 0.5, 20, 0, 20.55, "within input rounding"),
        # An Opteron at 3 GHz by the rule that the article prints: 25 % more clock, 7 % for every 10 %.
        ("scaled_by_clock", opteron_at_3_ghz(805, 7), {"base": 0.5}, 946, 0, 945.875, "exact"),
        ("scaled_by_clock", opteron_at_3_ghz(524, 7), {"base": 0.5}, 616, 0, 615.7, "exact"),
        ("scaled_by_clock", opteron_at_3_ghz(154, 7), {"base": 0.5}, 182, 0, 180.95, "within input rounding"),
        ("scaled_by_clock", opteron_at_3_ghz(622, 5), {"base": 0.5}, 703, 0, 699.75, "inconsistent"),
        ("scaled_by_clock", opteron_at_3_ghz(1042, 6), {"base": 0.5}, 1178, 0, 1198.3, "inconsistent"),
    ],
)
def test_printed_figures(operation, inputs, half_width, printed, decimals, value, status) -> None:  # type: ignore[no-untyped-def]
    outcome = recompute(operation, inputs, half_width, printed, decimals)
    assert outcome.value == pytest.approx(value, abs=1e-6)
    assert outcome.low <= outcome.value <= outcome.high
    assert outcome.status == status


def test_all_published_vectors() -> None:
    """Figures that the five articles print or imply, each with the value that exact arithmetic on the print gives."""
    vectors = json.loads(VECTORS.read_text())
    assert Counter(status for *_, status in vectors) == {
        "exact": 154, "derived": 33, "within input rounding": 17, "inconsistent": 4,
    }  # fmt: skip
    for identity, operation, inputs, half_width, printed, decimals, value, interval, status in vectors:
        outcome = recompute(operation, inputs, half_width, printed, decimals)
        assert outcome.status == status, identity
        assert (outcome.value, outcome.low, outcome.high) == pytest.approx((value, *interval), abs=2e-6), identity


@pytest.mark.parametrize(
    ("value", "rounded"), [("-3.25", "-3.3"), ("3.25", "3.3"), ("-3.2499", "-3.2"), ("0.05", "0.1")]
)
def test_rounding_is_half_away_from_zero(value: str, rounded: str) -> None:
    assert round_half_away(Fraction(value), 1) == Fraction(rounded)


@settings(deadline=None)
@given(st.fractions(), st.integers(0, 6))
def test_rounding_moves_by_at_most_half_a_step(value: Fraction, decimals: int) -> None:
    assert abs(round_half_away(value, decimals) - value) <= Fraction(1, 2 * 10**decimals)


def test_unknown_operation_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="no operation 'median'") as caught:
        recompute("median", {})
    assert all(name in caught.value.remedy for name in OPERATIONS)
