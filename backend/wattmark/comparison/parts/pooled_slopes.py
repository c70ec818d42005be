"""What a part of one kind costs over all servers that have it, and what to expect on another one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wattmark.analysis.parts.fit import CountFit
from wattmark.analysis.parts.pooled import FEWEST_TO_PREDICT, ServerSlope, pooled
from wattmark.analysis.refusal import Refused
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.slope_words import slope_words
from wattmark.comparison.parts.slopes import ServerLine, server_lines
from wattmark.comparison.parts.views import PooledSlope
from wattmark.core.interval import Interval
from wattmark.core.numbers import format_rounded
from wattmark.results.names import listed
from wattmark.results.result import Result


def pooled_slopes(results: Sequence[Result], counting: Counting, fitted: Mapping[str, str]) -> list[PooledSlope]:
    """Pool the watts per part over servers, for each kind of parts that several have [W/part]; most servers first.

    The results are those of one workload and level. Measured and simulated servers are pooled apart. Servers without ±
    are named, and are not in the mean.
    """
    lines: dict[tuple[str, bool], list[ServerLine]] = defaultdict(list)
    for line in server_lines(results, counting, fitted):
        lines[line.kind.part, line.simulated].append(line)
    rows = [
        _row(part, simulated, of) for (part, simulated), of in lines.items() if len({line.server for line in of}) > 1
    ]
    return most_servers_first(rows)


def most_servers_first(rows: Iterable[PooledSlope]) -> list[PooledSlope]:
    """Sort means by their number of servers, measured ones first."""
    return sorted(rows, key=lambda row: (row.simulated, -len(row.servers), row.part))


def _row(part: str, simulated: bool, lines: Sequence[ServerLine]) -> PooledSlope:
    fits = {line.server: line.fit for line in lines if line.bounded and line.fit is not None}
    excluded = [line.server for line in lines if line.server not in fits]
    row = PooledSlope(part=part, servers=list(fits), excluded=excluded, simulated=simulated)
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
        sentences.append(f"Not in it, as its slope has no ±: {listed(excluded)}.")
    return row.model_copy(
        update={
            "watts_per_part": pool.mean,
            "prediction": predicted,
            "between_w": pool.between,
            "statement": " ".join(sentences),
        }
    )


def _slope(fit: CountFit) -> ServerSlope:
    u, dof = fit.slope_scatter
    return ServerSlope(fit.slope, u, dof, fit.shared_slope)
