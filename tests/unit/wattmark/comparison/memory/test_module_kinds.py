"""Modules of one size and type make one line; which ones, and what they leave out, is said."""

import pytest
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.memory.memory import memory_view
from wattmark.comparison.memory.module_kinds import DIMMS, module_kind
from wattmark.comparison.parts.kinds import ALL
from wattmark.comparison.parts.slopes import part_slopes
from wattmark.core.errors import InputError
from wattmark.results.result import MemoryPopulation


def fitted(result, kind, size_gib, channels):
    """Return the result as of a server whose modules fill so many channels equally."""
    names = [chr(ord("A") + n) for n in range(channels)]
    each = result.dimm_count // channels
    memory = MemoryPopulation(
        type=kind,
        modules=dict.fromkeys(names, each),
        capacity_gib=dict.fromkeys(names, each * size_gib),
        channels=8,
    )
    return result.model_copy(update={"memory": memory, "memory_gib": size_gib * result.dimm_count})


@pytest.fixture
def two_kinds(measure, rng):
    """RDIMMs of 4 W each in 2, 4 and 8 slots, and LRDIMMs of 9 W each in 4 and 8."""
    small = [
        fitted(measure(f"r{n}-{k}", watts=230 + 4 * n + rng.normal(0, 0.3), dimms=n), "RDIMM", 16.0, min(n, 4))
        for n in (2, 4, 8)
        for k in range(2)
    ]
    large = [
        fitted(measure(f"l{n}-{k}", watts=230 + 9 * n + rng.normal(0, 0.3), dimms=n), "LRDIMM", 64.0, 4)
        for n in (4, 8)
        for k in range(3)
    ]
    return [*small, *large]


def test_a_line_holds_one_kind_of_modules(two_kinds):
    view = memory_view(two_kinds, "s1", "rsa", "all")
    assert view.part == "16 GiB RDIMM"
    assert [(kind.part, kind.counts, kind.runs) for kind in view.parts] == [
        ("16 GiB RDIMM", [2, 4, 8], 6),
        ("64 GiB LRDIMM", [4, 8], 6),
    ]
    assert view.watts_per_part.low < 4 < view.watts_per_part.high
    assert len(view.points) == 6
    assert "6 other runs have other modules (6 with 64 GiB LRDIMM)" in view.statement


def test_another_kind_is_chosen_by_its_name(two_kinds):
    view = memory_view(two_kinds, "s1", "rsa", "all", modules="64 GiB LRDIMM")
    assert {point.memory_type for point in view.points} == {"LRDIMM"}
    assert view.watts_per_part.value == pytest.approx(9, abs=0.5)


def test_all_kinds_together_are_said_to_differ(two_kinds):
    view = memory_view(two_kinds, "s1", "rsa", "all", modules=ALL)
    assert len(view.points) == 12
    assert "2, 4 and 8 × 16 GiB RDIMM; 4 and 8 × 64 GiB LRDIMM" in view.statement
    assert "not that of one kind of module" in view.statement


def test_kinds_of_one_count_each_are_shown_together(measure):
    runs = [fitted(measure(f"{n}-{k}", watts=230 + n, dimms=n), "FB-DIMM", 16 / n, 4) for n in (4, 8) for k in range(2)]
    view = memory_view(runs, "s1", "rsa", "all")
    assert view.part == ALL
    assert "4 × 4 GiB FB-DIMM; 8 × 2 GiB FB-DIMM" in view.statement


def test_an_unknown_kind_is_refused_with_those_there_are(two_kinds):
    with pytest.raises(InputError, match="16 GiB RDIMM, 64 GiB LRDIMM, all"):
        memory_view(two_kinds, "s1", "rsa", "all", modules="1 GiB FB-DIMM")


def test_channels_are_mentioned_only_where_the_count_changes_them(measure):
    def view(counts):
        runs = [
            fitted(measure(f"{n}-{k}", watts=230 + 4 * n, dimms=n), "RDIMM", 16.0, min(n, 4))
            for n in counts
            for k in range(2)
        ]
        return memory_view(runs, "s1", "rsa", "all")

    assert "channels in use (2 with 2 DIMMs, 4 with 4 DIMMs, 4 with 8 DIMMs)" in view((2, 4, 8)).statement
    assert "changes the memory channels" not in view((4, 8)).statement


def test_modules_without_a_slot_list_are_named_by_their_capacity(measure):
    run = measure("a", dimms=4).model_copy(update={"memory": None, "memory_gib": 8.0})
    assert module_kind(run) == "2 GiB modules"
    assert module_kind(run.model_copy(update={"memory_gib": None})) == "unknown modules"


def test_every_server_and_kind_has_a_slope_of_its_own(two_kinds, measure, rng):
    other = [
        fitted(measure(f"o{n}-{k}", watts=200 + 6 * n + rng.normal(0, 0.3), dimms=n, server="s2"), "RDIMM", 16.0, 2)
        for n in (2, 4, 8)
        for k in range(2)
    ]
    alone = [fitted(measure("z", dimms=4, server="s3"), "RDIMM", 16.0, 4)]
    results = [*two_kinds, *other, *alone]
    slopes = part_slopes(results, DIMMS, installations(results))
    assert [(slope.server, slope.part, slope.counts) for slope in slopes] == [
        ("s1", "16 GiB RDIMM", [2, 4, 8]),
        ("s2", "16 GiB RDIMM", [2, 4, 8]),
        ("s1", "64 GiB LRDIMM", [4, 8]),
    ]
    for slope, watts in zip(slopes, (4, 6, 9), strict=True):
        assert slope.watts_per_part.low < watts < slope.watts_per_part.high
