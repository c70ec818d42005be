"""Work per second over the window, with what its counting and cutting leave open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Contribution, UncertainValue, counter_uncertainty, resolution_uncertainty

from wattmark.analysis.refusal import Refused
from wattmark.analysis.window import Marks, Window

Array = NDArray[np.float64]
RECTANGULAR = 3.0**0.5
FULLY_COVERED = 0.99
NO_COUNT = "The work is no whole count, so throughput has no ± from counting, and work per joule has that of the power."


@dataclass(frozen=True, slots=True)
class Throughput:
    """Work per second [unit/s] and remarks about it."""

    rate: UncertainValue
    notes: tuple[str, ...] = ()


def throughput(marks: Marks, window: Window, stated: float | None, unit: str) -> Throughput | None:
    """Compute the work done in the window divided by its duration [unit/s].

    Intervals are cut by the same window as power; ``stated`` is the source's own figure, used only where it gives
    no intervals. None: the workload counted nothing. Raises `Refused` for amounts that are not a count of work.
    """
    if len(marks.amount):
        return _from_intervals(marks, window, unit)
    return None if stated is None else _from_statement(stated, unit)


def share_inside(marks: Marks, window: Window) -> Array:
    """Compute the share of each interval that lies in the window [1]."""
    length = (marks.interval_end_ns - marks.interval_begin_ns).astype(np.float64)
    if np.any(length <= 0):
        raise Refused("empty-interval", "A throughput interval has no duration; check the workload's marks.")
    overlap = np.minimum(marks.interval_end_ns, window.end_ns) - np.maximum(marks.interval_begin_ns, window.begin_ns)
    return np.asarray(np.clip(overlap / length, 0.0, 1.0), dtype=np.float64)


def _from_intervals(marks: Marks, window: Window, unit: str) -> Throughput:
    amount = marks.amount
    if not np.all(np.isfinite(amount)) or np.any(amount < 0):
        raise Refused("bad-amount", "An amount of work is negative or not a number; check the workload's parser.")
    share = share_inside(marks, window)
    work, duration_s = float(amount @ share), window.duration_s
    if work == 0:
        raise Refused("no-work", "The workload counted no work inside the window.")
    contributions = []
    if np.all(amount == np.round(amount)):
        contributions.append(
            _count("Counting whole operations", counter_uncertainty(marks.count_step), duration_s, unit)
        )
    cut = float(np.sqrt(np.sum((amount * np.minimum(share, 1 - share)) ** 2))) / RECTANGULAR
    if cut > 0:
        contributions.append(_count("Intervals cut by the window", cut, duration_s, unit))
    value = UncertainValue(work / duration_s, f"{unit}/s", tuple(contributions))
    return Throughput(value, (*_coverage_note(marks, window), *([] if contributions else [NO_COUNT])))


def _count(name: str, u: float, duration_s: float, unit: str) -> Contribution:
    return Contribution(name, u, "B", sensitivity=1 / duration_s, unit=unit, kind="throughput")


def _coverage_note(marks: Marks, window: Window) -> tuple[str, ...]:
    """Say so where the intervals leave part of the window uncounted."""
    order = np.argsort(marks.interval_begin_ns, kind="stable")
    begin = np.clip(marks.interval_begin_ns[order], window.begin_ns, window.end_ns)
    reached = np.maximum.accumulate(np.clip(marks.interval_end_ns[order], window.begin_ns, window.end_ns))
    previous = np.concatenate(([window.begin_ns], reached[:-1]))
    covered_s = float(np.sum(np.maximum(reached - np.maximum(begin, previous), 0))) / 1e9
    if covered_s >= FULLY_COVERED * window.duration_s:
        return ()
    idle_s = window.duration_s - covered_s
    return (f"Throughput intervals leave {idle_s:.3g} s of the window uncounted; its energy counts all the same.",)


def _from_statement(stated: float, unit: str) -> Throughput:
    if not np.isfinite(stated) or stated <= 0:
        raise Refused("bad-amount", "The stated throughput is not a positive number.")
    digit = Contribution(
        "Last digit of the stated throughput",
        resolution_uncertainty(last_digit(stated)),
        "B",
        value=stated,
        unit=f"{unit}/s",
        distribution="rectangular",
        kind="throughput",
    )
    note = (
        "Throughput is the figure that the source states; it gives no intervals to check it by, so its ± is that of "
        "the last digit."
    )
    return Throughput(UncertainValue(stated, f"{unit}/s", (digit,)), (note,))


def last_digit(value: float) -> float:
    """Compute the worth of the last printed digit: 93371.4 has 0.1, 100077 has 1 [unit of value]."""
    decimals = repr(float(value)).partition(".")[2]
    return 1.0 if decimals == "0" or not decimals.isdigit() else 10.0 ** -len(decimals)
