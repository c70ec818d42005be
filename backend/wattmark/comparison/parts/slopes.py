"""Power of a part on every server that ran a workload, one line for each kind of parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wattmark.analysis.parts.fit import CountFit
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.kinds import kinds_of
from wattmark.comparison.parts.line import all_known, counted_runs, fit_counted
from wattmark.comparison.parts.slope_words import slope_remark
from wattmark.comparison.parts.views import CountedKind, PartSlope
from wattmark.results.plus_minus import joined
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
    return cheapest_first(_slope(line) for line in server_lines(results, counting, fitted))


def cheapest_first(slopes: Iterable[PartSlope]) -> list[PartSlope]:
    """Sort slopes by their watts, those without any last."""
    return sorted(slopes, key=lambda slope: (slope.watts_per_part is None, _watts(slope), slope.server, slope.part))


def _slope(line: ServerLine) -> PartSlope:
    fit, kind = line.fit, line.kind
    return PartSlope(
        server=line.server,
        part=kind.part,
        counts=kind.counts,
        runs=len(line.runs),
        simulated=line.simulated,
        watts_per_part=None if fit is None else fit.interval.complete_if(all_known(line.runs)),
        refusal=line.refusal,
        remark=None if fit is None else _remark(fit, line.runs),
    )


def _remark(fit: CountFit, runs: Sequence[Result]) -> str | None:
    """Explain why a slope has no ±, or which other effects it may include; None: neither."""
    unknown = None if all_known(runs) else METER_UNKNOWN
    return joined([slope_remark(fit), unknown if fit.bounded else None])


def _watts(slope: PartSlope) -> float:
    return 0.0 if slope.watts_per_part is None else slope.watts_per_part.value
