"""Power of a part on every server that ran a workload, one line for each kind of parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wattmark.analysis.parts.fit import LACK_OF_FIT, CountFit
from wattmark.comparison.compare.groups import program_versions
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.kinds import kinds_of
from wattmark.comparison.parts.line import TWO_COUNTS, all_known, counted_runs, fit_counted
from wattmark.comparison.parts.slope_words import slope_remark
from wattmark.comparison.parts.views import CountedKind, PartSlope
from wattmark.core.texts import all_of
from wattmark.results.disagreement import disagreements
from wattmark.results.plus_minus import joined
from wattmark.results.ranking_bars import inclusions_by_run
from wattmark.results.result import Result

METER_UNKNOWN = "There is no ±: the uncertainty of the meter is not known."


@dataclass(frozen=True, slots=True)
class ServerLine:
    """The line of one server over one kind of parts, as far as there is one."""

    server: str
    kind: CountedKind
    runs: Sequence[Result]
    fit: CountFit | None
    refusal: str | None

    @property
    def simulated(self) -> bool:
        """Return whether its power comes from a load model."""
        return any(r.simulated for r in self.runs)

    @property
    def bounded(self) -> bool:
        """Return whether its slope has a ±."""
        return self.fit is not None and self.fit.bounded and all_known(self.runs)


def server_lines(results: Sequence[Result], counting: Counting, fitted: Mapping[str, str]) -> Iterator[ServerLine]:
    """Fit a line for each server and kind of parts with several counts; results of one workload and level."""
    for server in sorted({r.server for r in results}):
        counted = counted_runs([r for r in results if r.server == server], counting)
        for kind in kinds_of(counted, counting):
            if len(kind.counts) > 1:
                runs = [r for r in counted if counting.kind(r) == kind.part]
                yield ServerLine(server, kind, runs, *fit_counted(runs, fitted, counting))


def part_slopes(results: Sequence[Result], counting: Counting, fitted: Mapping[str, str]) -> list[PartSlope]:
    """Fit wall power over the number of parts for each server and kind [W/part]; the cheapest part first.

    The results are those of one workload and level. Kinds with a single count are excluded; ``refusal`` says why
    another has no fit. ``fitted`` names the installation of each run by its id.
    """
    return cheapest_first(_slope(line, counting) for line in server_lines(results, counting, fitted))


def cheapest_first(slopes: Iterable[PartSlope]) -> list[PartSlope]:
    """Sort slopes by their watts, those without any last."""
    return sorted(slopes, key=lambda slope: (slope.watts_per_part is None, _watts(slope), slope.server, slope.part))


def reservations(line: ServerLine, fit: CountFit, counting: Counting) -> list[str]:
    """List in clauses what a line leaves open although it has a slope, but for the order of its counts in time."""
    part = counting.part
    versions = program_versions(line.runs)
    clauses = {
        "a run counts by a person's choice": bool(inclusions_by_run(line.runs, "power")),
        "a run is not traceable": line.bounded and not line.simulated and not all(r.traceable for r in line.runs),
        "another source of power in a run contradicts the reference meter": bool(disagreements(line.runs)),
        "a run was corrected outside the calibrated span of its meter": any(
            calibration.extrapolated for r in line.runs for calibration in r.calibrations
        ),
        f"the load program had several versions ({all_of(versions)})": len(versions) > 1,
        f"two counts cannot show whether each {part.one} costs the same": len(line.kind.counts) == TWO_COUNTS,
        "the points do not lie on a line": fit.lack_of_fit_p is not None and fit.lack_of_fit_p < LACK_OF_FIT,
        f"the count changed more than the {part.many}": bool(counting.remarks(line.runs)),
    }
    return [clause for clause, holds in clauses.items() if holds]


def _slope(line: ServerLine, counting: Counting) -> PartSlope:
    fit, kind = line.fit, line.kind
    return PartSlope(
        server=line.server,
        part=kind.part,
        counts=kind.counts,
        runs=len(line.runs),
        simulated=line.simulated,
        watts_per_part=None if fit is None else fit.interval.complete_if(all_known(line.runs)),
        refusal=line.refusal,
        remark=None if fit is None else _remark(line, fit, counting),
    )


def _remark(line: ServerLine, fit: CountFit, counting: Counting) -> str | None:
    """Explain why a slope has no ±, which other effects it may include, and what else it leaves open; None: nothing."""
    unknown = None if all_known(line.runs) else METER_UNKNOWN
    left_open = (f"{clause[0].upper()}{clause[1:]}." for clause in reservations(line, fit, counting))
    return joined([slope_remark(fit), unknown if fit.bounded else None, *left_open])


def _watts(slope: PartSlope) -> float:
    return 0.0 if slope.watts_per_part is None else slope.watts_per_part.value
