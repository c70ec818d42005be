"""Break-even of two lines of watts against the number of parts: the count at which an advantage ends, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wattmark.analysis.comparison.course import course, turns
from wattmark.analysis.parts.break_even import break_even
from wattmark.analysis.parts.fit import CountFit
from wattmark.analysis.parts.slopes import SlopeDifference, slope_difference
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.wording import not_separable
from wattmark.comparison.parts.changed_too import MOST_NAMED, changed_too, differing
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.equal_power import equal_power
from wattmark.comparison.parts.line import all_known, choice_sentences, counted_runs, fit_counted
from wattmark.comparison.parts.slope_words import order_words, slope_remark, slope_words
from wattmark.comparison.parts.views import PartBreakEvenOut, PartCrossing, PartLine, PartRate
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval, Interval95
from wattmark.core.texts import first_of
from wattmark.results.ranking_bars import inclusion_text
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord


@dataclass(frozen=True, slots=True)
class Side:
    """One of two lines: its name in sentences, its server, its parts, and its runs of one kind of parts."""

    name: str
    server: str
    part: str
    """As in `PartsOut`."""
    title: str
    """One of its parts in words: "FB-DIMM"."""
    runs: Sequence[Result]
    counting: Counting
    others: Sequence[str] = ()
    """What other parts its server has runs with, in sentences."""

    @property
    def counted(self) -> list[Result]:
        """Return the runs that count."""
        return counted_runs(self.runs, self.counting)

    @property
    def simulated(self) -> bool:
        """Return whether a run that counts is simulated."""
        return any(r.simulated for r in self.counted)


@dataclass(frozen=True, slots=True)
class _Meeting:
    """What two lines come to, in figures and in sentences."""

    sentences: Sequence[str]
    lines: Sequence[PartLine] = ()
    crossing: PartCrossing | None = None
    slope_difference: Interval95 | None = None
    equal_power: PartRate | None = None
    of_equal_power: Sequence[str] = ()


def break_even_of(
    sides: tuple[Side, Side],
    both: str,
    work: tuple[str, str],
    fitted: Mapping[str, str],
    records: Sequence[RunRecord] = (),
) -> PartBreakEvenOut:
    """Find where two lines of watts against the number of parts cross, or explain why that is not known.

    Two models in one server begin at the same watts where nothing else differs between their runs, so that only their
    slopes are compared; else what differs is named.

    ``both`` names the two together, such as "The two servers", and ``work`` their workload and level. ``fitted`` names
    the installation of each run by its id. ``records`` are those of the runs: they tell what else changes with the
    count.
    """
    first, second = sides
    simulated = [side.name for side in sides if side.simulated]
    note = f"Simulated power{f' of {simulated[0]}' if len(simulated) == 1 else ''}: " if simulated else ""
    chosen = [f"{side.name}: {text}" for side in sides for text in choice_sentences(side.runs, side.counting)]
    beside = [
        f"{side.name}: {text}"
        for side in sides
        for text in (*side.others, *changed_too(side.counted, records, side.counting))
    ]
    meeting = _meeting(sides, both, fitted, _differing(sides, records))
    sentences = [*meeting.sentences, *chosen, *beside, *meeting.of_equal_power]
    return PartBreakEvenOut(
        server=first.server,
        part=first.part,
        against=second.server,
        against_part=second.part,
        workload=work[0],
        level=work[1],
        kind=first.counting.part.one,
        statement=f"{note}{' '.join(sentences)}",
        lines=list(meeting.lines),
        crossing=meeting.crossing,
        slope_difference=meeting.slope_difference,
        equal_power=meeting.equal_power,
        simulated=bool(simulated),
    )


def _differing(sides: tuple[Side, Side], records: Sequence[RunRecord]) -> list[str]:
    """List what else differs between two models in one server, so that they need not begin at the same watts."""
    first, second = sides
    if first.server != second.server:
        return []
    beside = ["" if side.counting.model is None else side.counting.model.beside for side in sides]
    others = [f"{other or 'none'} with {side.name}" for side, other in zip(sides, beside, strict=True)]
    named = [f"other {first.counting.part.many} ({'; '.join(others)})"] if len(set(beside)) > 1 else []
    runs = {side.name: side.counted for side in sides}
    return [*named, *differing(runs, records, first.counting)]


def _meeting(sides: tuple[Side, Side], both: str, fitted: Mapping[str, str], others: Sequence[str]) -> _Meeting:
    """Fit both lines and hold them against each other; ``others`` is what else differs between two in one server."""
    first, second = sides
    part = first.counting.part
    fits: dict[str, CountFit] = {}
    for side in sides:
        fit, refusal = fit_counted(side.counted, fitted, side.counting)
        if fit is None:
            return _Meeting([f"No break-even of {first.name} and {second.name}: {refusal}"])
        fits[side.name] = fit
    crossing, sentence = _crossing(fits, sides, others)
    orders = [(side.name, order_words(fits[side.name].turns, part)) for side in sides]
    in_time = [f"{name}: {why}." for name, why in orders if why is not None]
    between = turns(*(course([run.made_s for run in fits[s.name].runs], [0.0] * len(fits[s.name].runs)) for s in sides))
    if between != "in turns":
        in_time.append(f"{both}: {not_separable(between)}.")
    costlier, thriftier = sorted(sides, key=lambda side: -fits[side.name].slope)
    much, little = _line(costlier, fits[costlier.name]), _line(thriftier, fits[thriftier.name])
    more: Interval95 | None = None
    try:
        difference = slope_difference(fits[costlier.name], fits[thriftier.name])
        more = difference.interval.complete_if(much.watts_per_part.complete and little.watts_per_part.complete)
        compared = _difference(difference, costlier, thriftier)
    except Refused as refusal:
        compared = f"Watts per {part.one} are not compared: {refusal.text}"
    equal, of_equal_power = equal_power((much, costlier.counting), (little, thriftier.counting))
    return _Meeting([sentence, compared, *in_time], [much, little], crossing, more, equal, of_equal_power)


def _crossing(
    fits: Mapping[str, CountFit], sides: tuple[Side, Side], others: Sequence[str]
) -> tuple[PartCrossing | None, str]:
    """Find the crossing, and put it into words; ``others`` is what else differs between the two in one server."""
    first, second = (side.name for side in sides)
    part = sides[0].counting.part
    if sides[0].server == sides[1].server and not others:
        return None, (
            f"Nothing else that their runs state differs, so {first} and {second} begin at the same watts: there is "
            "no break-even count."
        )
    more = ""
    if others:
        more = (
            f" More than the {part.many} differs between {first} and {second}, so that they need not begin at the "
            f"same watts: {first_of(others, MOST_NAMED)}."
        )
    frugal_base, frugal_parts = sorted((first, second), key=lambda name: fits[name].intercept)
    try:
        meeting = break_even(fits[frugal_base], fits[frugal_parts])
    except Refused as refusal:
        return None, f"No break-even of {first} and {second}: {refusal.text}{more}"
    crossing = PartCrossing(count=meeting.count, first_whole=meeting.first_whole, extrapolated=meeting.extrapolated)
    return crossing, (
        f"{frugal_base} draws less without {part.many}, {frugal_parts} adds less per {part.one}. {meeting.text}{more}"
    )


def _line(side: Side, fit: CountFit) -> PartLine:
    counted = side.counted
    known = all_known(counted)
    return PartLine(
        server=side.server,
        part=side.part,
        title=side.title,
        watts_per_part=fit.interval.complete_if(known),
        remark=slope_remark(fit),
        watts_without_parts=fit.intercept,
        simulated=side.simulated,
        traceable=all(r.traceable for r in counted),
        included=any(inclusion_text(r, "power") for r in counted),
        base=Interval.of(fit.intercept, fit.base.ends if known else None) if fit.base_measured else None,
    )


def _difference(difference: SlopeDifference, costlier: Side, thriftier: Side) -> str:
    """Explain how much more a part of one side costs than one of the other."""
    more, interval = slope_words(difference.interval)
    doubt = "" if difference.interval.low > 0 else "; the difference is not significant"
    return (
        f"At the wall a {costlier.title} of {costlier.server} costs {more} more than a "
        f"{thriftier.title} of {thriftier.server}{interval}{doubt}."
    )


def runs_of(results: Sequence[Result], server: str, workload: str, level: str) -> list[Result]:
    """Select the runs of a server under a workload and level. Raises `InputError` where there are none."""
    runs = [r for r in results if (r.server, r.workload, r.level) == (server, workload, level)]
    if not runs:
        raise InputError(
            f"Server {server[:80]!r} did not run {workload} at {level}.", "List the runs with `wattmark results`."
        )
    return runs
