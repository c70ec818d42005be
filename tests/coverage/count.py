"""Run the trials of scenarios and count: bias, coverage, width against the ideal, share refused."""

from __future__ import annotations

import multiprocessing
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
import scipy
from wattmark.core.progress import note_done

from tests.coverage.scenario import FOUND, UNITS, Expectation, Outcome, Scenario
from tests.coverage.scenarios_energy import SCENARIOS as ENERGY
from tests.coverage.scenarios_evidence import SCENARIOS as EVIDENCE
from tests.coverage.scenarios_forecast import SCENARIOS as FORECASTS
from tests.coverage.scenarios_memory import SCENARIOS as MEMORY
from tests.coverage.scenarios_order import SCENARIOS as ORDER
from tests.coverage.scenarios_parts import SCENARIOS as PARTS
from tests.coverage.scenarios_repeats import SCENARIOS as REPEATS

ALL = (*ENERGY, *EVIDENCE, *REPEATS, *PARTS, *MEMORY, *ORDER, *FORECASTS)
SCENARIOS: Mapping[str, Scenario] = {s.name: s for s in ALL}
LOWEST_COVERAGE = 0.93
FALSE_DIFFERENCES = 0.06
KEPT_FORECASTS = 0.80
WIDEST = 2.0
CHANCE = 0.02
"""How probable it may be that the drawn trials alone let an honest interval look too sure."""
FEWEST_STATED = 20
REFUSED_SHARE = 0.95
SOME_REFUSED = 0.05
CHUNK = 50


@dataclass(frozen=True)
class Row:
    """One claim of one scenario, counted; None where nothing was there to count."""

    scenario: str
    section: str
    claim: str
    expected: Expectation
    trials: int
    bias: float | None
    coverage: float | None
    half_width: float | None
    ideal: float | None
    refused: float
    reason: str
    """The commonest reason for refusing."""
    faults: tuple[str, ...]
    """What falls short of the goal, in words."""


def trial_outcomes(scenario: Scenario, first: int, last: int) -> list[Mapping[str, Outcome]]:
    """Run trials; each has its own seed from the scenario's name and its number."""
    name = zlib.crc32(scenario.name.encode())
    return [scenario.trial(np.random.default_rng([name, number])) for number in range(first, last)]


def count(scenario: Scenario, outcomes: Sequence[Mapping[str, Outcome]], chance: float = CHANCE) -> list[Row]:
    """Count every claim of a scenario."""
    return [_row(scenario, claim, [trial[claim] for trial in outcomes], chance) for claim in scenario.expect]


def _row(scenario: Scenario, claim: str, outcomes: Sequence[Outcome], chance: float) -> Row:
    errors = np.array([o.error for o in outcomes if o.error is not None])
    stated = [o for o in outcomes if o.half_width is not None]
    covered = sum(o.covered for o in stated)
    widths = [o.half_width for o in stated if o.half_width is not None]
    tested = not UNITS[claim]
    ideal = None if tested or not len(errors) else float(np.quantile(np.abs(errors), 0.95))
    half_width = None if tested or not widths else float(np.mean(widths))
    goal = KEPT_FORECASTS if claim == FOUND else 1 - FALSE_DIFFERENCES if tested else LOWEST_COVERAGE
    too_sure = scipy.stats.binom.cdf(covered, len(stated), goal) < chance
    wide = half_width is not None and ideal is not None and half_width > WIDEST * ideal
    reasons = Counter(o.reason for o in outcomes if o.half_width is None)
    refused = 1 - len(stated) / len(outcomes)
    narrow = scenario.narrow and not (claim == "full-load power" and scenario.expect[claim] == "either")
    return Row(
        scenario=scenario.name,
        section=scenario.section,
        claim=claim,
        expected=scenario.expect[claim],
        trials=len(outcomes),
        bias=None if tested or not len(errors) else float(errors.mean()),
        coverage=covered / len(stated) if stated else None,
        half_width=half_width,
        ideal=ideal,
        refused=refused,
        reason=max(sorted(reasons), key=lambda text: reasons[text], default=""),
        faults=tuple(
            fault
            for fault, occurs in {
                "too sure": bool(stated) and too_sure and scenario.expect[claim] != "named",
                "too wide": wide and narrow and len(stated) >= FEWEST_STATED,
                "not named": scenario.expect[claim] == "named" and not all(o.names_what_it_leaves_out for o in stated),
                "stated": scenario.expect[claim] == "refused" and refused < REFUSED_SHARE,
                "refused": scenario.expect[claim] == "covers" and refused > SOME_REFUSED,
                "no reason": reasons[""] > 0,
            }.items()
            if occurs
        ),
    )


def _chunk(task: tuple[str, int, int]) -> tuple[str, list[Mapping[str, Outcome]]]:
    name, first, last = task
    return name, trial_outcomes(SCENARIOS[name], first, last)


def count_all(scenarios: Sequence[Scenario], trials: int | None = None, processes: int = 1) -> list[Row]:
    """Count scenarios, with their own number of trials unless ``trials`` is given, on several processes."""
    tasks = []
    for scenario in scenarios:
        number = scenario.trials if trials is None else min(trials, scenario.trials)
        tasks += [(scenario.name, first, min(first + CHUNK, number)) for first in range(0, number, CHUNK)]
    outcomes: dict[str, list[Mapping[str, Outcome]]] = defaultdict(list)
    total = sum(last - first for _, first, last in tasks)
    with ExitStack() as stack:
        done = map(_chunk, tasks)
        if processes > 1:
            done = stack.enter_context(multiprocessing.Pool(processes)).imap(_chunk, tasks)
        for name, part in done:
            outcomes[name] += part
            note_done("evaluated", len(part), of=total)
    return [row for scenario in scenarios for row in count(scenario, outcomes[scenario.name])]
