"""Watts against the number of parts of the idle server, from the idle phases of the same runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.analysis.parts.fit import fit_counts
from wattmark.analysis.parts.slopes import one_line
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.observation import idle_run, meters
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.slope_words import slope_remark, slope_words
from wattmark.comparison.parts.views import IdleParts
from wattmark.results.result import Result


def idle_line(results: Sequence[Result], fitted: Mapping[str, str], counting: Counting) -> IdleParts | None:
    """Fit idle power over the number of parts [W/part]; None where no run has an idle phase.

    ``fitted`` names the installation of each run by its id.

    Runs without an idle phase are excluded; ``n`` counts those that have one. ``refusal`` says why there is no fit.
    """
    idle_runs = [(r, run) for r in results if (run := idle_run(r, counting.count(r), fitted[r.run_id])) is not None]
    if not idle_runs:
        return None
    complete = all(r.idle_subtracted is not None and r.idle_subtracted.idle.u is not None for r, _ in idle_runs)
    try:
        if not complete and len({meters(r) for r, _ in idle_runs}) > 1:
            raise Refused("meters-differ", "The runs were measured by different meters whose uncertainty is not known.")
        fit = fit_counts([run for _, run in idle_runs], counting.part)
    except Refused as refusal:
        return IdleParts(n=len(idle_runs), statement=f"No fit of idle power: {refusal.text}", refusal=refusal.text)
    cost, interval = slope_words(fit.interval)
    scope = "" if complete else "; the interval covers only scatter"
    scope = scope if fit.bounded else f"; there is no ±: time and the number of {counting.part.many} changed together"
    scope = scope if fit.seated else f"; there is no ±. {one_line(counting.part).removesuffix('.')}"
    return IdleParts(
        n=len(idle_runs),
        watts_per_part=fit.interval.complete_if(complete),
        intercept_w=fit.intercept,
        line=fit.across() if fit.bounded else [],
        statement=f"Idle, each {counting.part.one} costs {cost}{interval}{scope}.",
        remark=slope_remark(fit),
    )
