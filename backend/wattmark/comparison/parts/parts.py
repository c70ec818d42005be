"""Any counted part: which can be shown, what one costs on a server, on all servers, and against another kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from wattmark.comparison.parts.break_even import Side, break_even_of, runs_of
from wattmark.comparison.parts.counting import Counting, counting_of
from wattmark.comparison.parts.fitted_parts import FittedPart, kind_and_name, name_among, parts_of, parts_typed_alike
from wattmark.comparison.parts.line import parts_view, select_kind
from wattmark.comparison.parts.pooled_slopes import most_servers_first, pooled_slopes
from wattmark.comparison.parts.slopes import cheapest_first, part_slopes
from wattmark.comparison.parts.views import PartBreakEvenOut, PartChoice, PartSlope, PartsOut, PooledSlope
from wattmark.core.errors import InputError
from wattmark.core.part_words import canonical_kind
from wattmark.core.texts import as_typed_by_anybody
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord


class Ran(Protocol):
    """A run by what it ran on which server."""

    @property
    def run_id(self) -> str: ...
    @property
    def server(self) -> str: ...
    @property
    def workload(self) -> str: ...
    @property
    def level(self) -> str: ...


def part_choices(ran: Iterable[Ran], of_run: Mapping[str, Sequence[FittedPart]]) -> list[PartChoice]:
    """List the parts that servers ran one workload and level with several counts of, those with most counts first.

    ``of_run`` are the parts of each run by its id.
    """
    counts: dict[tuple[str, str, str, str, str, str], set[int]] = defaultdict(set)
    of_run = parts_typed_alike(of_run)
    for run in ran:
        for part in of_run.get(run.run_id, ()):
            counts[part.key, part.kind, part.name, run.server, run.workload, run.level].add(part.count)
    choices = [
        PartChoice(key=key, kind=kind, part=name, server=server, workload=workload, level=level, counts=sorted(counted))
        for (key, kind, name, server, workload, level), counted in counts.items()
        if len(counted) > 1
    ]
    return sorted(choices, key=lambda choice: (-len(choice.counts), choice.key, choice.server, choice.level))


def server_parts(
    results: Sequence[Result],
    records: Sequence[RunRecord],
    key: str,
    work: tuple[str, str, str],
    fitted: Mapping[str, str],
) -> PartsOut:
    """Fit watts over the number of parts of one server, workload and level, and what its watts give.

    ``key`` names the parts. Raises `InputError` for a name that no run has.
    """
    (kind, name), of_run = kind_and_name(key), parts_of(records)
    name = name_among(of_run, kind, name)
    return parts_view(results, work, counting_of(kind, of_run, name), fitted, name, records=records)


def slopes_of_parts(
    results: Sequence[Result], records: Sequence[RunRecord], kind: str, fitted: Mapping[str, str]
) -> list[PartSlope]:
    """Fit watts over the number of parts of a kind, for each server and model [W/part]; the cheapest part first."""
    slopes = (part_slopes(of, counting, fitted) for of, counting in _by_name(results, records, kind))
    return cheapest_first(slope for of_name in slopes for slope in of_name)


def pooled_parts(
    results: Sequence[Result], records: Sequence[RunRecord], kind: str, fitted: Mapping[str, str]
) -> list[PooledSlope]:
    """Pool the watts per part over servers, for each model of a kind that several have [W/part]."""
    rows = (pooled_slopes(of, counting, fitted) for of, counting in _by_name(results, records, kind))
    return most_servers_first(row for of_name in rows for row in of_name)


def _by_name(
    results: Sequence[Result], records: Sequence[RunRecord], kind: str
) -> Iterator[tuple[Sequence[Result], Counting]]:
    """Yield the runs with each model of a kind of part, and what they are counted by."""
    of_run, kind = parts_of(records), canonical_kind(kind)
    for name in sorted({part.name for parts in of_run.values() for part in parts if part.kind == kind}):
        yield _with(results, of_run, kind, name), counting_of(kind, of_run, name)


def parts_break_even(
    results: Sequence[Result],
    records: Sequence[RunRecord],
    sides: tuple[tuple[str, str], tuple[str, str]],
    workload: str,
    level: str,
    fitted: Mapping[str, str],
) -> PartBreakEvenOut:
    """Find where the lines of two parts meet, each a server and a name of parts, and how many draw as much as one.

    Raises `InputError` for twice the same, for two kinds of part, and for a server that did not run this workload.
    """
    (server, key), (against, against_key) = sides
    (kind, name), (against_kind, against_name) = kind_and_name(key), kind_and_name(against_key)
    of_run = parts_of(records)
    name, against_name = name_among(of_run, kind, name), name_among(of_run, against_kind, against_name)
    if (server, kind, name) == (against, against_kind, against_name):
        raise InputError(
            f"{name} of {server} cannot be compared with itself.", "Name another server or other parts (against)."
        )
    if kind != against_kind:
        raise InputError(f"{kind} and {against_kind} are not counted alike.", f"Name two of the kind {kind}.")
    names = (name, against_name) if server == against else _named(server, name, against, against_name)
    first = _side(runs_of(results, server, workload, level), of_run, kind, name, server, names[0])
    second = _side(runs_of(results, against, workload, level), of_run, kind, against_name, against, names[1])
    both = "The two servers" if server != against else f"The two kinds of {kind}"
    return break_even_of((first, second), both, (workload, level), fitted, records)


def _named(server: str, name: str, against: str, against_name: str) -> tuple[str, str]:
    """Name two lines by their servers, and by their parts where these differ."""
    if name == against_name:
        return server, against
    return f"{server} with {name}", f"{against} with {against_name}"


def _side(
    runs: Sequence[Result],
    of_run: Mapping[str, Sequence[FittedPart]],
    kind: str,
    name: str,
    server: str,
    named: str,
) -> Side:
    counting = counting_of(kind, of_run, name)
    _, _, own = select_kind(runs, counting, name)
    return Side(named, server, name, f"{kind} {name}", own, counting)


def _with(results: Sequence[Result], of_run: Mapping[str, Sequence[FittedPart]], kind: str, name: str) -> list[Result]:
    """Select the runs that had some parts."""
    return [r for r in results if any((p.kind, p.name) == (kind, name) for p in of_run.get(r.run_id, ()))]


def choose_part(
    choices: Sequence[PartChoice], part: str | None, server: str | None, workload: str | None, level: str | None
) -> PartChoice:
    """Choose parts, server, workload and level with most counts; ``part`` may be a kind alone. Raises `InputError`."""
    asked = None if part is None else ": ".join(kind_and_name(part)) if ": " in part else canonical_kind(part)
    typed = asked and as_typed_by_anybody(asked)
    for choice in choices:
        fits = zip((server, workload, level), (choice.server, choice.workload, choice.level), strict=True)
        names = (None, *map(as_typed_by_anybody, (choice.key, choice.kind)))
        if typed in names and all(want in (None, has) for want, has in fits):
            return choice
    offered = ", ".join(dict.fromkeys(choice.key for choice in choices)) or "none"
    raise InputError(
        "No server ran one workload and level with several counts of such parts.",
        f"Declare parts with their count in the configurations. Parts with several counts: {offered}.",
    )
