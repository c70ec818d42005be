"""Variants of a command, measured by turns until their difference is shown or excluded."""

from __future__ import annotations

import itertools
import math
import random
import shlex
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wattmark.analysis.comparison.comparison import System, can_test, ratio
from wattmark.analysis.comparison.looks import ends_early
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.groups import build_group
from wattmark.comparison.compare.views import CompareOut
from wattmark.comparison.compare.yardstick import Yardstick
from wattmark.core.errors import InputError
from wattmark.measurements.names import require_name
from wattmark.results.result import Result

FEWEST_BLOCKS = 3
"""Runs of each variant before a difference can be tested."""
MOST_VARIANTS = 26
"""As many as have a letter."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A command under the name that it has as a configuration."""

    name: str
    argv: tuple[str, ...]


def read_variants(command: Sequence[str], compared: Sequence[str], parameters: Sequence[str]) -> list[Variant]:
    """Return the variants of a command: the command lines to compare, each with all values of the parameters.

    Raises `InputError` for what makes none.
    """
    if compared and command:
        raise InputError("A command and --compare are given.", "Give the command lines with --compare alone.")
    lines = [tuple(_words(text)) for text in compared] or [tuple(command)]
    ranges = [_values(text) for text in parameters]
    if (number := math.prod((len(lines), *map(len, ranges)))) > MOST_VARIANTS:
        raise InputError(f"{number} variants are too many.", f"Compare at most {MOST_VARIANTS} at once.")
    letters = string.ascii_uppercase[: len(lines)] if len(lines) > 1 else [""]
    variants = [
        Variant(" ".join(filter(None, (letter, *(f"{name}={value}" for name, value in values)))), _with(argv, values))
        for letter, argv in zip(letters, lines, strict=True)
        for values in itertools.product(*ranges)
    ]
    parameter_names = [values[0][0] for values in ranges]
    for name in parameter_names:
        if parameter_names.count(name) > 1:
            raise InputError(f"The parameter {name} is given twice.", f"Give all its values at once: {name}=1,2,4.")
        if not any(f"{{{name}}}" in word for argv in lines for word in argv):
            raise InputError(f"No command has a place for the parameter {name}.", f"Write {{{name}}} where it belongs.")
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Two variants are named {name!r}.", "Give each value once.")
        if len(variants) > 1:
            require_name("The variant", name)
    return variants


def in_random_blocks(variants: Sequence[Variant], blocks: int, chance: random.Random) -> Iterator[list[Variant]]:
    """Yield each block with all variants in a new order, so that no trend over time favours any of them."""
    for _ in range(blocks):
        yield chance.sample(list(variants), len(variants))


def compared(results: Sequence[Result], variants: Sequence[Variant], margin: float) -> CompareOut:
    """Compare the variants by work per joule, the first of them as the baseline; ``margin`` is what matters [1]."""
    first = next(result for result in results if result.configuration == variants[0].name)
    return compare(
        results,
        first.workload,
        first.level,
        f"{first.server}/{variants[0].name}",
        by=Yardstick("efficiency", margin),
    )


def is_decided(results: Sequence[Result], variants: Sequence[Variant], margin: float) -> bool:
    """Return whether a look before the last block may end the series: every variant is known to differ from the first,
    or to be equal to it within ``margin`` [1].
    """
    first, *others = (_system(results, variant) for variant in variants)
    return all(_ends(other, first, margin, len(others)) for other in others)


def _system(results: Sequence[Result], variant: Variant) -> System | None:
    own = [result for result in results if result.configuration == variant.name]
    return build_group(own, budgets=False).by("efficiency") if own else None


def _ends(other: System | None, first: System | None, margin: float, pairs: int) -> bool:
    if other is None or first is None or not can_test(other, first):
        return False
    estimate = ratio(other, first)
    return estimate is not None and ends_early(estimate, margin, pairs)


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"The command {text[:80]!r} cannot be read: {error}.", "Close its quotes.") from None
    if not words:
        raise InputError("A command of --compare is empty.", "Give a command line.")
    return words


def _values(text: str) -> list[tuple[str, str]]:
    name, _, texts = text.partition("=")
    values = [value.strip() for value in texts.split(",")]
    if not name.isidentifier() or not all(values):
        raise InputError(f"--parameter {text[:80]} has no name or no values.", "Write --parameter threads=1,2,4.")
    return [(name, value) for value in values]


def _with(argv: Sequence[str], values: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    words = list(argv)
    for name, value in values:
        words = [word.replace(f"{{{name}}}", value) for word in words]
    return tuple(words)
