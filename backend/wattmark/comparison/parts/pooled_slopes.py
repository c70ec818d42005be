"""What a part of one kind costs over all servers that have it, and what to expect on another one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wattmark.analysis.parts.fit import CountFit
from wattmark.analysis.parts.pooled import FEWEST_TO_PREDICT, ServerSlope, pooled
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.groups import program_versions
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.slope_words import slope_words
from wattmark.comparison.parts.slopes import ServerLine, reservations, server_lines
from wattmark.comparison.parts.views import PooledSlope
from wattmark.core.interval import Interval
from wattmark.core.numbers import format_rounded
from wattmark.core.texts import all_of, first_of
from wattmark.results.result import Result

MOST_NAMED = 8
"""Servers that a sentence names; the others are counted."""
NO_TIME = "when the runs were made is not recorded, so that a change with time may be in the slope"


def pooled_slopes(results: Sequence[Result], counting: Counting, fitted: Mapping[str, str]) -> list[PooledSlope]:
    """Pool the watts per part over servers, for each kind of parts that several have [W/part]; most servers first.

    The results are those of one workload and level. Measured and simulated servers are pooled apart. Servers without ±
    are named, and are not in the mean. Parts of which it is not known what they are have none.
    """
    lines: dict[tuple[str, bool], list[ServerLine]] = defaultdict(list)
    for line in server_lines(results, counting, fitted):
        lines[line.kind.part, line.simulated].append(line)
    rows = [
        _row(part, simulated, of, counting)
        for (part, simulated), of in lines.items()
        if len({line.server for line in of}) > 1
    ]
    return most_servers_first(rows)


def most_servers_first(rows: Iterable[PooledSlope]) -> list[PooledSlope]:
    """Sort means by their number of servers, measured ones first."""
    return sorted(rows, key=lambda row: (row.simulated, -len(row.servers), row.part))


def _row(part: str, simulated: bool, lines: Sequence[ServerLine], counting: Counting) -> PooledSlope:
    bounded = [(line, line.fit) for line in lines if line.bounded and line.fit is not None]
    fits = {line.server: fit for line, fit in bounded}
    excluded = [line.server for line in lines if line.server not in fits]
    row = PooledSlope(part=part, servers=list(fits), excluded=excluded, simulated=simulated)
    if unlike := _may_differ(lines, counting):
        return row.model_copy(update={"refusal": unlike})
    try:
        pool = pooled([_slope(fit) for fit in fits.values()])
    except Refused as refusal:
        return row.model_copy(update={"refusal": refusal.text})
    predicted = None if pool.prediction is None else Interval.of(pool.mean.value, pool.prediction)
    cost, interval = slope_words(pool.mean)
    sentences = [
        f"{'Simulated power: each' if simulated else 'Each'} {part} costs {cost}{interval} on average over {len(fits)} "
        "servers."
    ]
    if predicted is None:
        sentences.append(f"What another server shows cannot be predicted from fewer than {FEWEST_TO_PREDICT} servers.")
    else:
        low, high = (format_rounded(end, predicted.U95) for end in pool.prediction or ())
        sentences.append(f"Another server is expected to show {low} to {high} W (95 % prediction interval).")
    if excluded:
        sentences.append(f"Not in it, as its slope has no ±: {first_of(excluded, MOST_NAMED)}.")
    return row.model_copy(
        update={
            "watts_per_part": pool.mean,
            "prediction": predicted,
            "between_w": pool.between,
            "statement": " ".join(sentences),
            "remarks": _left_open(bounded, counting),
        }
    )


def _may_differ(lines: Sequence[ServerLine], counting: Counting) -> str | None:
    """Explain why parts of one name are not known to be of one kind; None where they are."""
    missing = sorted({text for line in lines for r in line.runs if (text := counting.not_stated(r)) is not None})
    if not missing:
        return None
    pieces, servers = counting.part.pieces, sorted({line.server for line in lines})
    return (
        f"No mean over servers: the {all_of(missing)} of these {pieces} is not stated, so that those of one server may "
        f"not be those of another. State it in the configurations of {first_of(servers, MOST_NAMED)}."
    )


def _left_open(bounded: Sequence[tuple[ServerLine, CountFit]], counting: Counting) -> list[str]:
    """Name the servers in a mean whose lines leave something open, a sentence for each such thing."""
    servers: dict[str, list[str]] = defaultdict(list)
    for line, fit in bounded:
        untimed = [NO_TIME] if fit.turns == "not recorded" else []
        for clause in (*untimed, *reservations(line, fit, counting)):
            servers[clause].append(line.server)
    sentences = [f"{clause[0].upper()}{clause[1:]}: {first_of(of, MOST_NAMED)}." for clause, of in servers.items()]
    versions = program_versions([r for line, _ in bounded for r in line.runs])
    if len(versions) > 1:
        sentences.append(f"The runs are of several versions of the load program: {first_of(versions, MOST_NAMED)}.")
    return sentences


def _slope(fit: CountFit) -> ServerSlope:
    u, _ = fit.slope_scatter
    return ServerSlope(fit.slope, u, fit.shared_slope)
