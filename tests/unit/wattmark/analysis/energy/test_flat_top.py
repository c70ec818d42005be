"""Which readings are cut at one value, and which only look alike: drawn readings with a known cause."""

import numpy as np
import pytest
from wattmark.analysis.energy.flat_top import cut_readings
from wattmark.analysis.energy.power import analyse_power
from wattmark.analysis.verdict import Limits

N = 240
T = np.arange(N)
DIGIT_W = 0.01


def wide(rng):
    return 250 + rng.normal(0, 20, N)


def slow(rng):
    """Noise that is correlated over 20 readings."""
    kicks = rng.normal(0, 6, N + 100)
    return 250 + np.convolve(kicks, 0.95 ** np.arange(100), "same")[50 : 50 + N]


CUT = {
    "a sixth at the top": lambda rng: np.minimum(wide(rng), 270.0),
    "half at the top": lambda rng: np.minimum(wide(rng), 250.0),
    "four fifths at the top": lambda rng: np.minimum(wide(rng), 233.0),
    "a sixth at the bottom": lambda rng: np.maximum(wide(rng), 230.0),
    "long stays at the top": lambda rng: np.minimum(slow(rng), 262.0),
    "crests of a sine": lambda rng: np.minimum(250 + 30 * np.sin(T / 11) + rng.normal(0, 1, N), 270.0),
}
WHOLE = {
    "noise": wide,
    "quiet": lambda rng: 250 + rng.normal(0, 0.05, N),
    "not even a digit of noise": lambda rng: 250 + rng.normal(0, 0.002, N),
    "constant": lambda rng: np.full(N, 250.0),
    "constant with peaks": lambda rng: 250 + 300 * (rng.random(N) < 0.04),
    "two levels": lambda rng: 250 + 60 * (np.floor(T / 3.65) % 2 * 2 - 1) + rng.normal(0, 0.5, N),
    "two levels without noise": lambda rng: 250 + 60.0 * (np.floor(T / 3.65) % 2 * 2 - 1),
    "ramps between two levels": lambda rng: 250 + 60 * np.clip(3 * np.sin(T / 3), -1, 1),
    "sine without noise": lambda rng: 250 + 60 * np.sin(T / 5),
    "a power cap that regulates": lambda rng: np.minimum(wide(rng), 270) + rng.normal(0, 0.3, N),
    "each reading five times": lambda rng: np.repeat(wide(rng)[: N // 5], 5),
    "held for six in thirty": lambda rng: wide(rng)[T - np.where(T % 30 <= 5, T % 30, 0)],
    "drift": lambda rng: 250 + 0.05 * T + rng.normal(0, 0.3, N),
}


def rounded(power, digit_w=DIGIT_W):
    return np.round(power / digit_w) * digit_w


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("digit_w", [DIGIT_W, 0.1])
def test_readings_cut_at_one_value_are_seen(name, digit_w):
    rng = np.random.default_rng(5)
    ends = [cut_readings(rounded(CUT[name](rng), digit_w), digit_w) for _ in range(20)]
    assert sum(end is not None and end.cut for end in ends) >= 19
    assert {end.end for end in ends if end.cut} == {"lowest" if "bottom" in name else "highest"}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("digit_w", [DIGIT_W, 0.1, 1.0])
def test_readings_that_only_look_alike_are_not(name, digit_w):
    rng = np.random.default_rng(6)
    ends = [cut_readings(rounded(WHOLE[name](rng), digit_w), digit_w) for _ in range(20)]
    assert not any(end is not None and end.cut for end in ends)


def test_a_digit_as_coarse_as_a_power_cap_scatters_tells_nothing():
    """1 W of 270 W: a server at its cap shows one whole number as well."""
    assert cut_readings(rounded(CUT["half at the top"](np.random.default_rng(1)), 1.0), 1.0) is None
    assert cut_readings(np.arange(19.0), 0.01) is None


@pytest.mark.parametrize(("limit_w", "outcome"), [(270.0, "fail"), (None, "pass")])
def test_the_verdict_names_value_and_share(make_trace, make_window, limit_w, outcome):
    power = wide(np.random.default_rng(7))
    value = rounded(power if limit_w is None else np.minimum(power, limit_w))
    result = analyse_power([make_trace(T + 0.5, value, resolution=DIGIT_W)], make_window(N), Limits())
    verdict = next(verdict for verdict in result.verdicts if verdict.rule == "flat-top")
    assert verdict.outcome == outcome
    if limit_w is not None:
        share_pct = 100 * np.mean(value == limit_w)
        assert verdict.value == pytest.approx(share_pct, rel=0.02)
        assert "270 W, the highest of all" in verdict.text
