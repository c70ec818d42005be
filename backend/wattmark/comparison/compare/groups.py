"""Repeats of one configuration put together for a comparison."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from wattmark.analysis.comparison.comparison import Observation, System, absolute, system
from wattmark.analysis.comparison.outlier import outlier
from wattmark.analysis.efficiency.dominant import dominant_contribution
from wattmark.analysis.efficiency.run import FULL_LOAD
from wattmark.comparison.compare.group_budget import group_budget
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.compare.observation import (
    LEAST,
    MOST,
    efficiency_observation,
    power_observation,
    throughput_observation,
)
from wattmark.comparison.compare.views import CompareGroup, Unranked
from wattmark.comparison.compare.yardstick import ComparedBy
from wattmark.core.interval import Interval95
from wattmark.core.quantity import BudgetLine, budget_lines
from wattmark.results.disagreement import disagreements
from wattmark.results.overrides import by_run
from wattmark.results.plus_minus import SIMULATED_POWER, notes_on
from wattmark.results.ranking_bars import (
    TITLES,
    barring_texts,
    has_figure,
    inclusions_by_run,
    why_not_ranked,
    why_without,
)
from wattmark.results.result import CLAIMS, Claim, Result
from wattmark.results.undisturbed import UNDISTURBED
from wattmark.runs.origin import at_lab, is_at, lab_of

SHOWN = 4
SIMULATED = " (simulated)"
"""End of the key of simulated runs of a configuration that was also measured."""
_LONGEST_VERSION = 80
NO_PLUS_MINUS = "no ±"
"""Reason why a figure is not ranked although no verdict bars it."""
TAKEN_FOR_GRANTED = {UNDISTURBED: "other programs", FULL_LOAD: "full load"}
"""What a ranking assumes: a row states where its runs were not checked for it."""
"""The remark on a group whose watts come from a model."""
_Causes = Mapping[Claim, Sequence[str | None]]
"""Reasons why runs of a group are not ranked, by claim."""


@dataclass(frozen=True, slots=True)
class Group:
    """A configuration's view, and its repeats as a system by figure; None: it cannot be compared by that."""

    view: CompareGroup
    system: System | None
    throughput: System | None = None
    power: System | None = None

    def by(self, figure: ComparedBy) -> System | None:
        """Return the repeats of one figure."""
        return {"efficiency": self.system, "throughput": self.throughput, "power": self.power}[figure]


class Configured(Protocol):
    """Key of a configuration."""

    @property
    def server(self) -> str: ...
    @property
    def configuration(self) -> str: ...


def group_key(result: Configured) -> str:
    """Return the configuration: "<server>/<configuration>"."""
    return f"{result.server}/{result.configuration}"


def build_group(results: Sequence[Result], fitted: Mapping[str, str] | None = None, *, budgets: bool = True) -> Group:
    """Combine the repeats of one configuration; runs that may not be ranked by a figure are excluded and named.

    ``fitted`` names the installation of each run, by its id, where other runs than these help to determine it. Without
    ``budgets`` the group has no contributions to its ±, which are not read for hundreds of groups.
    """
    fitted = installations(results) if fitted is None else fitted
    causes = {claim: [why_not_ranked(result, claim) for result in results] for claim in CLAIMS}
    ranked = {
        claim: [r for r, cause in zip(results, barred, strict=True) if cause is None]
        for claim, barred in causes.items()
    }
    counted = ranked["efficiency"]
    efficiency, interval = _known(counted, efficiency_observation, fitted)
    throughput, rate = _known(ranked["throughput"], throughput_observation, fitted)
    power, watts = _known(ranked["power"], power_observation, fitted)
    view = _view(results, counted, interval, causes).model_copy(update={"throughput": rate, "power_w": watts})
    figures = {"throughput": rate, "efficiency": interval, "power": watts}
    unranked = {
        claim: shown
        for claim in CLAIMS
        if figures[claim] is None and (shown := _unranked(results, claim, view.not_ranked.get(claim))) is not None
    }
    view = view.model_copy(update={"unranked": unranked})
    if budgets and efficiency is not None:
        view = view.model_copy(update=_budget(efficiency, counted, view.efficiency_unit))
    return Group(view, efficiency, throughput, power)


def _known(
    results: Sequence[Result], observe: Callable[[Result, str], Observation | None], fitted: Mapping[str, str]
) -> tuple[System | None, Interval95 | None]:
    """Combine the runs' values of a quantity, with its interval; None for both where the uncertainty is not known."""
    of = _system(results, observe, fitted)
    interval = None if of is None else _interval(of)
    return (None, None) if interval is None else (of, interval)


def _unranked(results: Sequence[Result], claim: Claim, why: str | None) -> Unranked | None:
    """Average a figure that is not ranked; None where no run gives it."""
    figures = [{"throughput": r.throughput, "efficiency": r.efficiency, "power": r.power}[claim] for r in results]
    values = [figure.value for figure in figures if figure is not None and LEAST <= figure.value <= MOST]
    if not values:
        return None
    mean = math.exp(math.fsum(math.log(value) for value in values) / len(values))
    return Unranked(value=mean, n=len(values), why=why or NO_PLUS_MINUS)


def _budget(of: System, counted: Sequence[Result], unit: str) -> dict[str, object]:
    """Return the budget of the mean of the repeats, and what would halve its uncertainty."""
    value = group_budget(of, _lines(counted), unit)
    if value is None:
        return {}
    dominant = dominant_contribution(value) if value.complete else None
    return {"efficiency_budget": list(budget_lines(value)), "efficiency_dominant": dominant}


def _lines(counted: Sequence[Result]) -> Iterator[BudgetLine]:
    """Iterate over the budget lines of each run's efficiency, from the last run to the first, smallest line first."""
    for result in reversed(counted):
        yield from reversed(() if result.efficiency is None else result.efficiency.budget)


def _view(
    results: Sequence[Result], counted: Sequence[Result], efficiency: Interval95 | None, causes: _Causes
) -> CompareGroup:
    last = results[-1]
    return CompareGroup(
        key=group_key(last),
        title=group_title(last),
        server=last.server,
        configuration=last.configuration,
        dimm_count=last.dimm_count,
        kind=group_kind(results),
        workload=last.workload,
        level=last.level,
        runs=[r.run_id for r in results],
        n=len(counted),
        efficiency=efficiency,
        power_w=None,
        throughput=None,
        efficiency_unit=last.efficiency_unit,
        throughput_unit=last.throughput_unit,
        energy_per_op=None if efficiency is None else inverse(efficiency),
        steady=_all([r.steady for r in counted or results]),
        full_load=_all([r.full_load for r in counted or results]),
        traceable=all(r.traceable for r in counted or results),
        sources_disagree=bool(disagreements(results)),
        source=", ".join(dict.fromkeys(r.source for r in results)),
        program_versions=program_versions(counted or results),
        refusal=None if efficiency is not None else _refusal(results, counted, causes),
        remarks=_remarks(results, counted, causes),
        not_ranked={claim: why for claim in CLAIMS if (why := _none_ranked(causes[claim])) is not None},
        inclusions={claim: texts for claim in CLAIMS if (texts := inclusions_by_run(results, claim))},
    )


def group_title(result: Result) -> str:
    """Return the configuration's title, with its laboratory where that is another one."""
    title, lab = result.configuration_title or result.configuration, lab_of(result.source)
    return title if lab is None or not is_at(result.server, lab) else at_lab(title, lab)


def group_kind(results: Sequence[Result]) -> Literal["measured", "simulated", "imported"]:
    """Return what kind of figure repeats make: simulated where any of them is."""
    if any(r.simulated for r in results):
        return "simulated"
    return "imported" if any(r.source.startswith("imported") for r in results) else "measured"


def _system(
    results: Sequence[Result], observe: Callable[[Result, str], Observation | None], fitted: Mapping[str, str]
) -> System | None:
    """Combine the runs' values of a quantity; None where a run lacks it."""
    seen = [observe(r, fitted[r.run_id]) for r in results]
    runs = [o for o in seen if o is not None and o.value > 0]
    return system(runs) if runs else None


def _interval(of: System) -> Interval95 | None:
    """Return mean and 95 % interval; None where a single run has no known uncertainty of its own."""
    estimate = absolute(of)
    if estimate is None or (of.log.n == 1 and not of.complete):
        return None
    low, high = estimate.interval()
    dof = None if estimate.dof == float("inf") else estimate.dof
    return Interval95(
        value=estimate.value, low=low, high=high, u=estimate.value * estimate.u, dof=dof, complete=of.complete
    )


def inverse(of: Interval95) -> Interval95:
    """Compute the inverse of a positive value and of its interval; relative uncertainties stay."""
    u = of.u / of.value**2
    return Interval95(value=1 / of.value, low=1 / of.high, high=1 / of.low, u=u, dof=of.dof, complete=of.complete)


def _all(flags: Sequence[bool | None]) -> bool | None:
    """Return True when all flags are, False when any is not, None where any is not known."""
    if any(flag is False for flag in flags):
        return False
    return None if any(flag is None for flag in flags) else True


def _refusal(results: Sequence[Result], counted: Sequence[Result], causes: _Causes) -> str:
    """Explain in one sentence why there is no performance per watt."""
    if not counted:
        texts = " ".join(barring_texts(results[-1], "efficiency"))
        return f"No run can be ranked: {_none_ranked(causes['efficiency'])}. {texts}".strip() + _means(results)
    valued = [r for r in counted if r.efficiency is not None]
    if not valued:
        return next((note for r in counted for note in r.notes), "The run has no throughput or no power.")
    return f"The ± of this single run is not known, so it is neither drawn nor ranked.{_means(valued)}"


def _means(results: Sequence[Result]) -> str:
    """Describe the means without uncertainty."""
    texts = [
        f"{r.efficiency.value:.{SHOWN}g} {r.efficiency.unit} at {r.power.value:.{SHOWN}g} W"
        for r in results
        if r.efficiency is not None and r.power is not None
    ]
    return f" Mean over the window: {'; '.join(texts)}." if texts else ""


def _none_ranked(causes: Sequence[str | None]) -> str | None:
    """Explain why no run of a group is ranked by a claim; None where one is."""
    return None if None in causes else ", ".join(dict.fromkeys(cause for cause in causes if cause is not None))


def _excluded(results: Sequence[Result], causes: _Causes) -> list[str]:
    """Count the runs that are excluded by their causes; the figures are named where others of the run count."""
    counts: dict[str, Counter[Claim]] = {}
    claims = [claim for claim in CLAIMS if any(has_figure(result, claim) for result in results)]
    for i, result in enumerate(results):
        for claim in CLAIMS:
            without = claim in claims and not has_figure(result, claim)
            cause = (why_without(result, claim) or "without the figure") if without else causes[claim][i]
            if cause is not None:
                counts.setdefault(cause, Counter())[claim] += 1
    remarks = []
    for cause, by_claim in counts.items():
        n = max(by_claim.values())
        of = "" if len(by_claim) == len(CLAIMS) else f" of {' and '.join(TITLES[claim] for claim in by_claim)}"
        remarks.append(f"{n} of {len(results)} runs excluded{of}: {cause}.")
    return remarks


def _unchecked(counted: Sequence[Result]) -> list[str]:
    """Describe in one sentence which assumptions of a ranking were not checked for the runs; empty where all were."""
    runs: dict[int, list[str]] = {}
    for rule, words in TAKEN_FOR_GRANTED.items():
        n = sum(_left_unchecked(result, rule) for result in counted)
        if n:
            runs.setdefault(n, []).append(words)
    parts = [
        f"{'' if n == len(counted) else f'{n} of {len(counted)} runs '}not checked for {' and '.join(words)}"
        for n, words in runs.items()
    ]
    text = "; ".join(parts)
    return [f"{text[0].upper()}{text[1:]}."] if text else []


def _left_unchecked(result: Result, rule: str) -> bool:
    """Return whether a rule was not checked; a level below full load that was seen needs no check for full load."""
    outcomes = [verdict.outcome for verdict in result.verdicts if verdict.rule == rule]
    seen = rule == FULL_LOAD and result.cpu_utilisation_pct is not None
    return not seen and all(outcome == "not-checked" for outcome in outcomes)


def program_versions(results: Sequence[Result]) -> list[str]:
    """List the versions of the load program, as the program reports them, without unknown ones."""
    return sorted({" ".join(r.program_version.split())[:_LONGEST_VERSION] for r in results} - {""})


def _outliers(counted: Sequence[Result]) -> list[str]:
    """Describe the outlier among the repeats, by the first figure that has one."""
    for claim in CLAIMS:
        figures = [{"throughput": r.throughput, "efficiency": r.efficiency, "power": r.power}[claim] for r in counted]
        values = [figure.value for figure in figures if figure is not None and LEAST <= figure.value <= MOST]
        odd = outlier(values) if len(values) == len(counted) else None
        if odd is not None:
            way = "above" if odd.above > 0 else "below"
            return [
                f"Run {counted[odd.place].run_id} lies {100 * abs(odd.above):.2g} % {way} the other {len(values) - 1} "
                f"by {TITLES[claim]} (Grubbs' test, 1 %) and counts all the same: look for what was different in it."
            ]
    return []


def _remarks(results: Sequence[Result], counted: Sequence[Result], causes: _Causes) -> list[str]:
    """List the remarks on this group."""
    remarks = _excluded(results, causes)
    if any(r.steady is None and r.power is not None for r in counted):
        remarks.append("Steadiness was not checked: the window is too short.")
    remarks += _unchecked(counted)
    if any(r.full_load is False for r in counted):
        remarks.append("Full load was not reached in every run.")
    if len(counted) > 1 and any(r.efficiency is not None and r.efficiency.u is None for r in counted):
        remarks.append("The interval covers only the scatter between runs: the uncertainty of the meter is not known.")
    remarks += notes_on(counted) if len(counted) == 1 else []
    builds = sorted({r.software for r in counted})
    if len(builds) > 1:
        remarks.append(f"Computed by different builds ({', '.join(builds)}): recompute the older ones.")
    versions = program_versions(counted)
    if len(versions) > 1:
        remarks.append(f"Repeats of different versions of the load program: {', '.join(versions)}.")
    remarks += _outliers(counted)
    remarks += [*by_run(counted), *inclusions_by_run(results), *disagreements(results)]
    if any(r.simulated for r in results):
        remarks.append(SIMULATED_POWER)
    return remarks
