"""The work that LoadGen counted inside its window, beside the rates that it states."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from wattmark.core.amounts import LEAST
from wattmark.runs.record import StatedFigure

_LEAST, _MOST = Decimal(LEAST), Decimal(10) ** 18
_DIGITS = 6
"""LoadGen prints its rates with six significant digits."""
_PERMUTED = "effective_sample_concatenate_permutation"
_SAME = 1e-4
"""Rates of one log agree to 1e-5 (161 published results)."""
_STATED = {
    "result_samples_per_second": "samples/s",
    "result_scheduled_samples_per_sec": "samples/s",
    "result_completed_samples_per_sec": "samples/s",
    "result_tokens_per_second": "tokens/s",
    "result_completed_tokens_per_second": "tokens/s",
    "result_qps_with_loadgen_overhead": "queries/s",
}


@dataclass(frozen=True, slots=True)
class LoadgenWork:
    """Amounts of work in the window. ``tokens`` follow from two printed rates, so they are known in ``token_step``."""

    samples: int | None
    """None: the log states no count."""
    tokens: int | None
    """None: LoadGen counted no tokens. Inferred ones (samples times a constant) are not counted."""
    token_step: float
    token_rate: float | None
    """Tokens per second as stated."""
    stated: tuple[StatedFigure, ...]


def positive(value: object) -> Decimal | None:
    """Return a number above zero that can be an amount; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        return None
    number = Decimal(value)
    return number if number.is_finite() and _LEAST <= number < _MOST else None


def samples_per_query(values: Mapping[str, Any]) -> Decimal | None:
    """Return how many samples a query had; the generated count decides, as the effective one is only the plan."""
    return positive(values.get("generated_samples_per_query")) or positive(values.get("effective_samples_per_query"))


def read_work(scenario: str, values: Mapping[str, Any], window_s: float) -> LoadgenWork:
    """Read the work that LoadGen counted in a window of ``window_s``. Raises ValueError for more than can be done."""
    samples = _samples(scenario, values, window_s)
    tokens, step, rate = _tokens(scenario, values, samples, window_s)
    for count, counted_unit in ((samples, "samples"), (tokens, "tokens")):
        if count is not None and count >= _MOST:
            raise ValueError(f"{count:.3g} {counted_unit} are counted, more than any run can do")
    stated = [
        StatedFigure(name=key, value=float(figure), unit=unit)
        for key, unit in _STATED.items()
        if (figure := positive(values.get(key))) is not None
    ]
    counted = [] if samples is None else [StatedFigure(name="samples counted", value=samples, unit="samples")]
    return LoadgenWork(samples, tokens, step, None if rate is None else float(rate), (*stated, *counted))


def _samples(scenario: str, values: Mapping[str, Any], window_s: float) -> int | None:
    """Compute queries times samples per query."""
    queries = _queries(scenario, values)
    each = samples_per_query(values)
    if queries is None or each is None:
        return None
    count = int(queries * each)
    return _whole_sets(count, values, window_s) if scenario == "Offline" else count


def _whole_sets(count: int, values: Mapping[str, Any], window_s: float) -> int:
    """Round up to whole permutations of the set where LoadGen ran the samples so.

    Version 5 says so and prints the count that it ran. Version 4.1 prints only the count that was asked for, and not
    how it ran: its own rate decides, where it follows from whole permutations and not from the printed count.
    """
    size, permuted = positive(values.get("effective_performance_sample_count")), values.get(_PERMUTED)
    if size is None or permuted is False:
        return count
    whole = math.ceil(count / int(size)) * int(size)
    made = float(positive(values.get("result_samples_per_second")) or 0) * window_s
    return whole if permuted or abs(made / whole - 1) <= _SAME < abs(made / count - 1) else count


def _queries(scenario: str, values: Mapping[str, Any]) -> Decimal | None:
    """Return the queries that were answered; only the throughput scenarios issue all that they generated."""
    answered = positive(values.get("result_query_count"))
    return answered or (positive(values.get("generated_query_count")) if scenario in ("Offline", "Server") else None)


def _tokens(
    scenario: str, values: Mapping[str, Any], samples: int | None, window_s: float
) -> tuple[int | None, float, Decimal | None]:
    """Read the tokens, the step in which they are known, and their stated rate.

    Offline states tokens over the same time as the window. Server divides tokens and samples by one and the same
    time, which ends before the last answer; their quotient times the samples counts all tokens of the window.
    """
    if scenario == "Offline" and (rate := positive(values.get("result_tokens_per_second"))) is not None:
        return round(float(rate) * window_s), max(1.0, _last_digit(rate) * window_s), rate
    rate = positive(values.get("result_completed_tokens_per_second"))
    completed = positive(values.get("result_completed_samples_per_sec"))
    if scenario != "Server" or rate is None or completed is None or samples is None:
        return None, 1.0, None
    count = samples * float(rate / completed)
    relative = math.hypot(_last_digit(rate) / float(rate), _last_digit(completed) / float(completed))
    return round(count), max(1.0, count * relative), rate


def _last_digit(rate: Decimal) -> float:
    """Compute the worth of the sixth significant digit."""
    return float(Decimal(1).scaleb(rate.adjusted() - _DIGITS + 1))
