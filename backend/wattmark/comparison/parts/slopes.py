"""Power of a part on every server that ran a workload, one line for each kind of parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.kinds import kinds_of
from wattmark.comparison.parts.line import all_known, counted_runs, fit_counted
from wattmark.comparison.parts.slope_words import slope_remark
from wattmark.comparison.parts.views import CountedKind, PartSlope
from wattmark.results.result import Result


def part_slopes(results: Sequence[Result], counting: Counting, fitted: Mapping[str, str]) -> list[PartSlope]:
    """Fit wall power over the number of parts for each server and kind [W/part]; the cheapest part first.

    The results are those of one workload and level. Kinds with a single count are excluded; ``refusal`` says why
    another has no fit. ``fitted`` names the installation of each run by its id.
    """
    slopes = []
    for server in sorted({r.server for r in results}):
        counted = counted_runs([r for r in results if r.server == server], counting)
        for kind in kinds_of(counted, counting):
            if len(kind.counts) > 1:
                runs = [r for r in counted if counting.kind(r) == kind.part]
                slopes.append(_slope(server, kind, runs, fitted, counting))
    return cheapest_first(slopes)


def cheapest_first(slopes: Iterable[PartSlope]) -> list[PartSlope]:
    """Sort slopes by their watts, those without any last."""
    return sorted(slopes, key=lambda slope: (slope.watts_per_part is None, _watts(slope), slope.server, slope.part))


def _slope(
    server: str, kind: CountedKind, runs: Sequence[Result], fitted: Mapping[str, str], counting: Counting
) -> PartSlope:
    fit, refusal = fit_counted(runs, fitted, counting)
    return PartSlope(
        server=server,
        part=kind.part,
        counts=kind.counts,
        runs=len(runs),
        simulated=any(r.simulated for r in runs),
        watts_per_part=None if fit is None else fit.interval.complete_if(all_known(runs)),
        refusal=refusal,
        remark=None if fit is None else slope_remark(fit),
    )


def _watts(slope: PartSlope) -> float:
    return 0.0 if slope.watts_per_part is None else slope.watts_per_part.value
