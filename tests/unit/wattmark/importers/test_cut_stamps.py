"""Stamps cut to whole seconds: told from lines that stand twice, from silences, and spread within their seconds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from wattmark.importers.cut_stamps import SECOND_NS, CutStamps, cut_stamps, spread

START_S = 1_732_800_000


def read(period_s: float, count: int = 2000, jitter_s: float = 0.12, seed: int = 1) -> NDArray[np.int64]:
    """Return the true instants of readings on a grid with jitter [ns]."""
    random = np.random.default_rng(seed)
    true_s = START_S + 0.47 + period_s * np.arange(count) + random.uniform(-jitter_s, jitter_s, count)
    return (true_s * SECOND_NS).astype(np.int64)


def cut(t_ns: NDArray[np.int64]) -> NDArray[np.int64]:
    return t_ns // SECOND_NS * SECOND_NS


@pytest.mark.parametrize("period_s", [1.0014, 1.02, 1.075])
def test_cut_stamps_are_told_and_spread_within_their_seconds(period_s: float) -> None:
    true = read(period_s, jitter_s=0.45)
    stamps = cut(true)
    judged = cut_stamps(stamps)
    assert judged.are_cut
    assert judged.equal > 10
    assert judged.period_s == pytest.approx(period_s, rel=0.01)
    even = spread(stamps)
    assert np.all(np.diff(even) > 0)
    assert np.all((even >= stamps) & (even < stamps + SECOND_NS))
    assert np.diff(even).max() < 2.0 * SECOND_NS
    assert abs(int((even - true).mean())) < 0.2 * SECOND_NS


@pytest.mark.parametrize("period_s", [1.005, 1.02, 1.1, 1.3, 1.45])
def test_a_loop_that_sleeps_a_second_misses_nothing(period_s: float) -> None:
    """A loop whose period varies by a hundredth of a second, stamped in whole seconds: 1, 1, 2, 1, 1, 2 s and so on."""
    random = np.random.default_rng(3)
    true = (START_S + 0.4 + np.cumsum(period_s + random.normal(0, 0.01, 2000))) * SECOND_NS
    stamps = cut(true.astype(np.int64))
    judged = CutStamps()
    for part in np.array_split(stamps, 7):
        judged.add(part)
    assert judged.are_cut
    assert judged.period_s == pytest.approx(period_s, rel=0.001)
    assert np.diff(spread(stamps)).max() < 1.5 * period_s * SECOND_NS


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_readings_lost_by_chance_stay_lost(share: float) -> None:
    for seed in range(20):
        kept = np.random.default_rng(seed).random(600) > share
        assert not cut_stamps((START_S + np.flatnonzero(kept)) * SECOND_NS).are_cut


def test_blocks_are_judged_and_spread_as_the_whole_log() -> None:
    stamps = cut(read(1.01, jitter_s=0.4))
    parts = np.array_split(stamps, 7)
    counted, latest, even = CutStamps(), None, []
    for part in parts:
        counted.add(part)
        even.append(spread(part, latest))
        latest = int(even[-1][-1])
    whole = cut_stamps(stamps)
    assert (counted.equal, counted.two_seconds, counted.are_cut) == (whole.equal, whole.two_seconds, True)
    assert np.all(np.diff(np.concatenate(even)) > 0)


@pytest.mark.parametrize(
    "stamps",
    [
        START_S + np.arange(600),  # one a second: nothing to do
        np.repeat(START_S + np.arange(300), 2),  # two a second, or two meters in one column
        np.sort(np.concatenate((START_S + np.arange(600), START_S + np.arange(0, 600, 50)))),  # lines that stand twice
        np.concatenate((START_S + np.arange(300), START_S + 200 + np.arange(300))),  # a clock that was stepped back
        START_S + 2 * np.arange(300),  # one each two seconds
    ],
    ids=["regular", "twice", "repeated", "stepped back", "slow"],
)
def test_what_is_no_cut_is_not_taken_for_one(stamps: NDArray[np.int64]) -> None:
    assert not cut_stamps(stamps.astype(np.int64) * SECOND_NS).are_cut


def test_a_true_silence_stays_one() -> None:
    true = read(1.01, jitter_s=0.4)
    stamps = cut(np.where(np.arange(len(true)) < 1000, true, true + 30 * SECOND_NS))
    judged = cut_stamps(stamps)
    assert judged.are_cut
    assert judged.longest_s == pytest.approx(31, abs=1.1)
    assert np.diff(spread(stamps)).max() > 29 * SECOND_NS
