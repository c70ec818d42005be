"""Ratios of many systems at once against the same ratio pair by pair."""

import math

import numpy as np
import pytest
from wattmark.analysis.comparison.comparison import Observation, ratio, system
from wattmark.analysis.comparison.pairwise import Ratios


def systems(seed: int, count: int = 14):
    """Make systems of one to six runs with own, shared and rectangular errors, some of them in two boots."""
    random = np.random.default_rng(seed)
    made = []
    for k in range(count):
        meter = f"gain {k % 3}"
        rectangular = frozenset({meter}) if k % 2 else frozenset()
        n = int(random.integers(1, 7))
        made.append(
            system(
                [
                    Observation(
                        value=float(math.exp(random.normal(3, 0.02))),
                        within=float(random.uniform(1e-4, 2e-3)),
                        within_dof=float(random.choice([3.0, 9.0, math.inf])),
                        shared={meter: float(random.choice([0.0, 1e-3, 2e-2])), f"offset {k % 2}": 3e-4},
                        complete=True,
                        meter=meter,
                        rectangular=rectangular,
                        boot=str(run % 2) if k % 4 == 0 else "",
                        made_s=None if k % 5 == 0 else float(random.uniform(0, 1e5)),
                    )
                    for run in range(n)
                ]
            )
        )
    return made


@pytest.mark.parametrize("seed", range(6))
def test_p_values_are_those_of_each_pair(seed):
    of = systems(seed)
    ratios = Ratios(of)
    for i in range(len(of)):
        others = [j for j in range(len(of)) if j != i]
        one_by_one = [ratio(of[i], of[j]).p for j in others]
        assert ratios.p(i, others) == pytest.approx(one_by_one, rel=1e-9, abs=1e-15)


def test_exact_ratios_are_not_tested():
    equal = [system([Observation(v, None, math.inf, {}, True, "m")] * 2) for v in (30.0, 20.0)]
    assert Ratios(equal).p(0, [1]) == [None]
    assert Ratios(equal).p(0, []) == []
