"""What a campaign on a busy machine teaches all the same, and how busy it was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean, median

from wattmark.core.numbers import format_number
from wattmark.results.result import Result
from wattmark.results.undisturbed import UNDISTURBED


def busy_words(results: Sequence[Result]) -> str | None:
    """Say how much other programs took of the disturbed runs; None where none was disturbed."""
    complete = [result for result in results if result.status == "complete"]
    taken_pct = sorted(share for result in complete if (share := disturbed_pct(result)) is not None)
    if not taken_pct:
        return None
    return (
        f"This machine was busy: in {len(taken_pct)} of {len(complete)} runs other programs and guests took "
        f"{taken_pct[0]:.0f} to {taken_pct[-1]:.0f} % of its CPU time, in half of them {median(taken_pct):.0f} % or "
        "more. These runs are not ranked."
    )


def learned(results: Sequence[Result]) -> Iterator[str]:
    """Say what runs teach although they are not ranked: how far equal ones differed, and what power shows."""
    complete = [result for result in results if result.status == "complete"]
    spread = largest_spread(complete)
    if spread is not None:
        yield (
            "Learned all the same: work per joule of one and the same configuration differed by a factor of up to "
            f"{format_number(spread, 2)}, so a smaller difference between two configurations could not be told from "
            "chance."
        )
    yield from _by_power(complete)


def disturbed_pct(result: Result) -> float | None:
    """Return what others took of the CPU time of a disturbed run [%]; None: it was not disturbed."""
    failed = (verdict for verdict in result.verdicts if verdict.rule == UNDISTURBED and verdict.outcome == "fail")
    return next((verdict.value for verdict in failed), None)


def largest_spread(results: Sequence[Result]) -> float | None:
    """Compute the largest ratio of work per joule between two runs of one configuration; None without two."""
    by_configuration: dict[tuple[str, str], list[float]] = defaultdict(list)
    for result in results:
        if result.efficiency is not None and result.efficiency.value > 0:
            by_configuration[result.server, result.configuration].append(result.efficiency.value)
    ratios = [max(values) / min(values) for values in by_configuration.values() if len(values) > 1]
    return max(ratios, default=None)


def _by_power(results: Sequence[Result]) -> Iterator[str]:
    """Say what power shows: at full load it is the same whoever makes the load, so it holds where work does not."""
    watts: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if result.power is not None and result.dimm_count is not None and result.full_load:
            watts[result.server][result.dimm_count].append(result.power.value)
    for server, by_count in watts.items():
        few, many = min(by_count), max(by_count)
        if few < many:
            low, high = fmean(by_count[few]), fmean(by_count[many])
            each = format_number((high - low) / (many - few), 2)
            yield (
                f"Simulated power at full load hardly depends on whose work it is: {server} drew {low:.0f} W with "
                f"{few} DIMMs and {high:.0f} W with {many}, some {each} W for each, as an indication."
            )
