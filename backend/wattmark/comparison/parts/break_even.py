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
from wattmark.comparison.parts.changed_too import changed_too, differing, named_first
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.line import all_known, choice_sentences, counted_runs, fit_counted
from wattmark.comparison.parts.slope_words import order_words, slope_remark, slope_words
from wattmark.comparison.parts.views import PartBreakEven, PartCrossing, PartLine
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval
from wattmark.results.ranking_bars import inclusion_text
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord


@dataclass(frozen=True, slots=True)
class Side:
    """One of two lines: its name in sentences, its server, its part in words, and its runs of one kind of parts."""

    name: str
    server: str
    part: str
    """The part as one of them is called: "FB-DIMM"."""
    runs: Sequence[Result]
    counting: Counting
    others: Sequence[str] = ()
    """What other parts its server has runs with, in sentences."""
    beside: str = ""
    """Other parts of the same kind that stay beside them: "1 × boot"."""

    @property
    def counted(self) -> list[Result]:
        """Return the runs that count."""
        return counted_runs(self.runs, self.counting)

    @property
    def simulated(self) -> bool:
        """Return whether a run that counts is simulated."""
        return any(r.simulated for r in self.counted)


def break_even_of(
    sides: tuple[Side, Side], both: str, fitted: Mapping[str, str], records: Sequence[RunRecord] = ()
) -> PartBreakEven:
    """Find where two lines of watts against the number of parts cross, or explain why that is not known.

    Two models in one server begin at the same watts where nothing else differs between their runs, so that only their
    slopes are compared; else what differs is named.

    ``both`` names the two together, such as "The two servers". ``fitted`` names the installation of each run by its
    id. ``records`` are those of the runs: they tell what else changes with the count.
    """
    more = [
        f"{side.name}: {text}"
        for side in sides
        for text in (*side.others, *changed_too(side.counted, records, side.counting))
    ]
    model = [side.name for side in sides if side.simulated]
    view = PartBreakEven(statement="", simulated=bool(model))
    note = f"Simulated power{f' of {model[0]}' if len(model) == 1 else ''}: " if model else ""
    fields = _fields(sides, both, note, fitted, _differing(sides, records))
    return view.model_copy(update={**fields, "statement": " ".join([str(fields["statement"]), *more])})


def _differing(sides: tuple[Side, Side], records: Sequence[RunRecord]) -> list[str]:
    """List what else differs between two models in one server, so that they need not begin at the same watts."""
    first, second = sides
    if first.server != second.server:
        return []
    others = [f"{side.beside or 'none'} with {side.name}" for side in sides]
    beside = [f"other {first.counting.part.many} ({'; '.join(others)})"] if first.beside != second.beside else []
    runs = {side.name: side.counted for side in sides}
    return [*beside, *differing(runs, records, first.counting)]


def _fields(
    sides: tuple[Side, Side], both: str, note: str, fitted: Mapping[str, str], others: Sequence[str]
) -> dict[str, object]:
    first, second = sides
    try:
        fits = {side.name: fit_counted(side.counted, fitted, side.counting) for side in sides}
    except Refused as refusal:
        sentence = f"{note}No break-even of {first.name} and {second.name}: {refusal.text}"
        return {"statement": " ".join([sentence, *_choices(sides)])}
    part = first.counting.part
    crossing, sentence = _crossing(fits, sides, others)
    orders = [(side.name, order_words(fits[side.name].turns, part)) for side in sides]
    in_time = [f"{name}: {why}." for name, why in orders if why is not None]
    between = turns(*(course([run.made_s for run in fits[s.name].runs], [0.0] * len(fits[s.name].runs)) for s in sides))
    if between != "in turns":
        in_time.append(f"{both}: {not_separable(between)}.")
    dear, cheap = sorted(sides, key=lambda side: -fits[side.name].slope)
    lines = [_line(side, fits[side.name]) for side in (dear, cheap)]
    complete = all(line.watts_per_part.complete for line in lines)
    fields: dict[str, object] = {"lines": lines, "crossing": crossing}
    try:
        more = slope_difference(fits[dear.name], fits[cheap.name])
    except Refused as refusal:
        sentence = f"{note}{sentence} Watts per {part.one} are not compared: {refusal.text}"
        return {**fields, "statement": " ".join([sentence, *in_time, *_choices(sides)])}
    return {
        **fields,
        "statement": " ".join([f"{note}{sentence} {_difference(more, dear, cheap)}", *in_time, *_choices(sides)]),
        "slope_difference": more.interval.complete_if(complete),
    }


def _choices(sides: Sequence[Side]) -> list[str]:
    return [f"{side.name}: {text}" for side in sides for text in choice_sentences(side.runs, side.counting)]


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
            f"same watts: {named_first(others)}."
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
        watts_per_part=fit.interval.complete_if(known),
        remark=slope_remark(fit),
        watts_without_parts=fit.intercept,
        simulated=side.simulated,
        traceable=all(r.traceable for r in counted),
        included=any(inclusion_text(r, "power") for r in counted),
        base=Interval.of(fit.intercept, fit.base.ends if known else None) if fit.base_measured else None,
    )


def _difference(difference: SlopeDifference, dear: Side, cheap: Side) -> str:
    """Explain how much more a part of one side costs than one of the other."""
    more, interval = slope_words(difference.interval)
    doubt = "" if difference.interval.low > 0 else "; the difference is not significant"
    return (
        f"At the wall a {dear.part} of {dear.server} costs {more} more than a "
        f"{cheap.part} of {cheap.server}{interval}{doubt}."
    )


def runs_of(results: Sequence[Result], server: str, workload: str, level: str) -> list[Result]:
    """Select the runs of a server under a workload and level. Raises `InputError` where there are none."""
    runs = [r for r in results if (r.server, r.workload, r.level) == (server, workload, level)]
    if not runs:
        raise InputError(
            f"Server {server[:80]!r} did not run {workload} at {level}.", "List the runs with `wattmark results`."
        )
    return runs
