"""Samples of a recording lie on disk and come side by side along time, whatever the size of the parts."""

from __future__ import annotations

import heapq

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from wattmark.importers.recordings.recording import SamplesOnDisk, side_by_side
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import Samples

channels = st.lists(st.lists(st.integers(0, 12), max_size=20), max_size=4)


def on_disk(stamps: list[int], pieces: int = 3) -> SamplesOnDisk:
    """Write samples, whose values number them, in parts."""
    whole = make_samples(stamps, range(len(stamps)))
    return SamplesOnDisk.of(
        Samples(part, whole.value[index], whole.quality[index], whole.u_t_s[index])
        for index in np.array_split(np.arange(len(stamps)), pieces)
        for part in [whole.t_ns[index]]
    )


@given(st.lists(st.integers(0, 12), max_size=20), st.integers(1, 7))
def test_samples_come_in_the_order_of_their_stamps_and_equal_ones_as_they_were(stamps: list[int], count: int) -> None:
    samples = on_disk(stamps)
    read = [pair for part in samples.read(count) for pair in zip(part.t_ns.tolist(), part.value.tolist(), strict=True)]
    assert read == sorted(zip(stamps, range(len(stamps)), strict=True), key=lambda pair: pair[0])
    assert len(samples) == len(stamps)


@given(channels, st.integers(1, 5))
def test_channels_come_along_time_and_equal_stamps_together(stamps: list[list[int]], count: int) -> None:
    read: list[list[tuple[int, int]]] = []
    for parts in side_by_side([on_disk(sorted(of_channel)) for of_channel in stamps], count):
        assert len(parts) == len(stamps)
        read.append([(t_ns, number) for number, part in enumerate(parts) for t_ns in part.t_ns.tolist()])
    merged = heapq.merge(*([(t_ns, number) for t_ns in sorted(each)] for number, each in enumerate(stamps)))
    assert [pair for step in read for pair in sorted(step)] == list(merged)
    ends = [{t_ns for t_ns, _ in step} for step in read]
    assert sum(map(len, ends)) == len(set().union(*ends))


@given(st.lists(st.integers(0, 10**6), min_size=50, max_size=50, unique=True))
def test_only_a_part_of_a_long_channel_is_in_memory(stamps: list[int]) -> None:
    sizes = [max(map(len, parts)) for parts in side_by_side([on_disk(sorted(stamps)), on_disk([5])], 10)]
    assert max(sizes) <= 11
