"""What a plan promises before it starts: a difference of the forecast size is found in four of five campaigns."""

from __future__ import annotations

import math

import numpy as np
from wattmark.analysis.comparison.forecast import detectable, expected_system
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.observation import efficiency_observation

from tests.coverage.scenario import FOUND, Outcome, Scenario
from tests.coverage.scenarios_repeats import WT310E, measured, rescaled


def promised(runs: int, sd_pct: float) -> Scenario:
    """Forecast the difference that so many runs of each find, measure just that difference, and see who is first."""

    def trial(rng: np.random.Generator) -> dict[str, Outcome]:
        template = measured(rng, WT310E.drawn(rng), 250.0)
        expected = efficiency_observation(template)
        if expected is None:
            return {FOUND: Outcome(None, None, "no work per joule")}
        system = expected_system(expected, runs, sd_pct / 100)
        difference = detectable(system, system)
        if difference is None:
            return {FOUND: Outcome(None, None, "nothing can be tested")}
        results = [
            rescaled(template, math.exp(-more - rng.normal(0, sd_pct / 100)), configuration, repeat)
            for repeat in range(1, runs + 1)
            for configuration, more in (("a", 0.0), ("b", math.log1p(difference)))
        ]
        places = {group.configuration: group.rank_low for group in compare(results, "work", "all").groups}
        return {FOUND: Outcome(0.0 if (places["b"], places["a"]) == (1, 2) else 1.0, 0.5)}

    return Scenario(f"forecast, {runs} runs each, scatter {sd_pct:g} %", "3", trial, {FOUND: "covers"})


SCENARIOS = tuple(promised(runs, sd_pct) for runs in (3, 5, 10) for sd_pct in (0.1, 0.3, 1.0))
