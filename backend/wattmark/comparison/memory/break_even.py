"""Break-even of two servers: the DIMM count at which an advantage ends, as numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.analysis.comparison.course import course, turns
from wattmark.analysis.memory.break_even import break_even
from wattmark.analysis.memory.memory import MemoryFit
from wattmark.analysis.memory.slopes import SlopeDifference, slope_difference
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.compare.wording import not_separable
from wattmark.comparison.memory.break_even_views import BreakEvenOut, Crossing, MemoryLine
from wattmark.comparison.memory.changed_too import changed_too
from wattmark.comparison.memory.memory import all_known, choice_sentences, counted_runs, fit_counted, select_modules
from wattmark.comparison.memory.module_kinds import mixture
from wattmark.comparison.memory.slope_words import order_words, slope_remark, slope_words
from wattmark.core.errors import InputError
from wattmark.results.ranking_bars import inclusion_text
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord


def break_even_view(
    results: Sequence[Result],
    servers: tuple[str, str],
    workload: str,
    level: str,
    fitted: Mapping[str, str] | None = None,
    records: Sequence[RunRecord] = (),
) -> BreakEvenOut:
    """Find where the lines of watts against DIMM count of two servers cross, or explain why that is not known.

    ``fitted`` names the installation of each run, by its id, where other runs than these help to determine it.
    ``records`` are those of the runs: they tell what else changes with the count.
    Raises `InputError` for one server given twice, and for a server that did not run this workload and level.
    """
    if servers[0] == servers[1]:
        raise InputError(
            f"{servers[0]} cannot be compared with itself.", "Name another server (against; --against SERVER)."
        )
    selected = {server: select_modules(_runs(results, server, workload, level), None) for server in servers}
    runs = {server: own for server, (_, _, own) in selected.items()}
    mixtures = [
        f"{server}: {text}"
        for server, (kinds, chosen, own) in selected.items()
        for text in (*mixture(kinds, chosen), *changed_too({r.run_id for r in counted_runs(own)}, records))
    ]
    model = [server for server, own in runs.items() if any(r.simulated for r in counted_runs(own))]
    view = BreakEvenOut(
        server=servers[0], against=servers[1], workload=workload, level=level, statement="", simulated=bool(model)
    )
    note = f"Simulated power{f' of {model[0]}' if len(model) == 1 else ''}: " if model else ""
    fields = _fields(runs, servers, note, installations(results) if fitted is None else fitted)
    return view.model_copy(update={**fields, "statement": " ".join([str(fields["statement"]), *mixtures])})


def _fields(
    runs: Mapping[str, Sequence[Result]], servers: tuple[str, str], note: str, fitted: Mapping[str, str]
) -> dict[str, object]:
    try:
        fits = {server: fit_counted(counted_runs(own), fitted) for server, own in runs.items()}
    except Refused as refusal:
        sentence = f"{note}No break-even of {servers[0]} and {servers[1]}: {refusal.text}"
        return {"statement": " ".join([sentence, *_choices(runs)])}
    crossing, sentence = _crossing(fits, servers)
    orders = [(server, order_words(fits[server].turns)) for server in servers]
    in_time = [f"{server}: {why}." for server, why in orders if why is not None]
    between = turns(*(course([run.made_s for run in fits[s].runs], [0.0] * len(fits[s].runs)) for s in servers))
    if between != "in turns":
        in_time.append(f"The two servers: {not_separable(between)}.")
    dear, cheap = sorted(servers, key=lambda server: -fits[server].slope)
    lines = [_line(server, fits[server], runs[server]) for server in (dear, cheap)]
    complete = all(line.watts_per_dimm.complete for line in lines)
    fields: dict[str, object] = {"lines": lines, "crossing": crossing}
    try:
        more = slope_difference(fits[dear], fits[cheap])
    except Refused as refusal:
        sentence = f"{note}{sentence} Watts per DIMM are not compared: {refusal.text}"
        return {**fields, "statement": " ".join([sentence, *in_time, *_choices(runs)])}
    return {
        **fields,
        "statement": " ".join([f"{note}{sentence} {_difference(more, *lines)}", *in_time, *_choices(runs)]),
        "slope_difference": more.interval.complete_if(complete),
    }


def _choices(runs: Mapping[str, Sequence[Result]]) -> list[str]:
    return [f"{server}: {text}" for server, own in runs.items() for text in choice_sentences(own)]


def _crossing(fits: Mapping[str, MemoryFit], servers: tuple[str, str]) -> tuple[Crossing | None, str]:
    frugal_base, frugal_modules = sorted(servers, key=lambda server: fits[server].intercept)
    try:
        meeting = break_even(fits[frugal_base], fits[frugal_modules])
    except Refused as refusal:
        return None, f"No break-even of {servers[0]} and {servers[1]}: {refusal.text}"
    crossing = Crossing(dimms=meeting.modules, first_whole=meeting.first_whole, extrapolated=meeting.extrapolated)
    return crossing, f"{frugal_base} draws less without DIMMs, {frugal_modules} adds less per DIMM. {meeting.text}"


def _line(server: str, fit: MemoryFit, results: Sequence[Result]) -> MemoryLine:
    counted = counted_runs(results)
    return MemoryLine(
        server=server,
        memory_type=_types(results),
        watts_per_dimm=fit.interval.complete_if(all_known(counted)),
        remark=slope_remark(fit),
        watts_without_dimms=fit.intercept,
        simulated=any(r.simulated for r in counted),
        traceable=all(r.traceable for r in counted),
        included=any(inclusion_text(r, "power") for r in counted),
    )


def _difference(difference: SlopeDifference, dear: MemoryLine, cheap: MemoryLine) -> str:
    """Explain how much more a DIMM of one server costs than one of the other, with their types."""
    more, interval = slope_words(difference.interval)
    doubt = "" if difference.interval.low > 0 else "; the difference is not significant"
    return (
        f"At the wall a {dear.memory_type} of {dear.server} costs {more} more than a "
        f"{cheap.memory_type} of {cheap.server}{interval}{doubt}."
    )


def _types(results: Sequence[Result]) -> str:
    return " or ".join(sorted({r.memory.type for r in results if r.memory and r.memory.type})) or "DIMM"


def _runs(results: Sequence[Result], server: str, workload: str, level: str) -> list[Result]:
    runs = [r for r in results if (r.server, r.workload, r.level) == (server, workload, level)]
    if not runs:
        raise InputError(
            f"Server {server[:80]!r} did not run {workload} at {level}.", "List the runs with `wattmark results`."
        )
    return runs
