"""Variants of a command: what they are, in which order they run, and when enough is known."""

from __future__ import annotations

import random

import pytest
from wattmark.core.errors import InputError
from wattmark.measurements.variants import Variant, in_random_blocks, is_decided, read_variants
from wattmark.results.result import Result

from ..pairs import pair


@pytest.mark.parametrize(
    ("command", "compared", "parameters", "variants"),
    [
        (["sleep", "1"], [], [], {"": ["sleep", "1"]}),
        (["run", "-t{n}"], [], ["n=1,2"], {"n=1": ["run", "-t1"], "n=2": ["run", "-t2"]}),
        (
            ["run", "{n}", "{m}"],
            [],
            ["n=1,2", "m=a,b"],
            {f"n={n} m={m}": ["run", n, m] for n in "12" for m in "ab"},
        ),
        ([], ["a 'x y'", "b"], [], {"A": ["a", "x y"], "B": ["b"]}),
        ([], ["a {n}", "b {n}"], ["n=1,2"], {f"{x} n={n}": [x.lower(), n] for x in "AB" for n in "12"}),
        (["awk", "{print}"], [], [], {"": ["awk", "{print}"]}),
    ],
)
def test_variants_are_all_commands_with_all_values(
    command: list[str], compared: list[str], parameters: list[str], variants: dict[str, list[str]]
) -> None:
    expected = [Variant(name, tuple(argv)) for name, argv in variants.items()]
    assert read_variants(command, compared, parameters) == expected


@pytest.mark.parametrize(
    ("command", "compared", "parameters", "cause"),
    [
        (["a"], ["b"], [], "A command and --compare are given."),
        ([], ["'a"], [], "cannot be read: No closing quotation"),
        ([], [" "], [], "is empty"),
        (["a"], [], ["n=1,2"], "No command has a place for the parameter n."),
        (["a{n}"], [], ["n"], "has no name or no values"),
        (["a{n}"], [], ["n=1,,2"], "has no name or no values"),
        (["a{n}"], [], ["n=" + ",".join(map(str, range(27)))], "27 variants are too many"),
        ([], ["a"] * 30, [], "30 variants are too many"),
        ([], ["a{n}"] * 27, ["n=1,2"], "54 variants are too many"),
        (["a{n}"], [], ["n=1,1"], "Two variants are named 'n=1'."),
        (["a{n}"], [], ["n=1,2", "n=3,4"], "The parameter n is given twice."),
        (["a{n}"], [], ["n=1,2\x07"], "'n=2.*' is not a name."),
    ],
)
def test_what_makes_no_variants_is_refused(
    command: list[str], compared: list[str], parameters: list[str], cause: str
) -> None:
    with pytest.raises(InputError, match=cause):
        read_variants(command, compared, parameters)


def test_blocks_hold_each_variant_once_and_every_order_comes() -> None:
    variants = [Variant(name, ()) for name in "abc"]
    blocks = list(in_random_blocks(variants, 200, random.Random(3)))
    orders = {tuple(variant.name for variant in block) for block in blocks}
    assert all(sorted(order) == ["a", "b", "c"] for order in orders)
    assert len(orders) == 6


def runs(name: str, change: float, scatter: float, n: int) -> list[Result]:
    """Make runs of a variant that does so much more work per joule, and scatters about that [1]."""
    spread = (0.0, 1.0, -1.0, 0.5, -0.5, 0.8)
    return [
        pair(name, 1000 * (1 + change) * (1 + scatter * spread[k]), 200.0, u=1e-5, repeat=k + 1)[1] for k in range(n)
    ]


@pytest.mark.parametrize(
    ("others", "n", "decided"),
    [
        ([("B", 0.10, 0.001)], 6, True),
        ([("B", -0.10, 0.001)], 6, True),
        ([("B", 0.0, 0.001)], 6, True),
        ([("B", 0.10, 0.001)], 2, False),
        ([("B", 0.0, 0.02)], 6, False),
        ([("B", 0.02, 0.01)], 6, False),
        ([("B", 0.10, 0.001), ("C", 0.0, 0.02)], 6, False),
        ([("B", 0.10, 0.001), ("C", 0.0, 0.001)], 6, True),
    ],
)
def test_a_look_ends_a_series_when_each_difference_is_shown_or_excluded(
    others: list[tuple[str, float, float]], n: int, decided: bool
) -> None:
    results = [*runs("A", 0.0, 0.001, n), *(run for other in others for run in runs(*other, n))]
    variants = [Variant("A", ()), *(Variant(name, ()) for name, *_ in others)]
    assert is_decided(results, variants, 0.02) is decided


def test_a_variant_without_runs_leaves_a_series_undecided() -> None:
    assert not is_decided(runs("A", 0.0, 0.001, 6), [Variant("A", ()), Variant("B", ())], 0.02)
