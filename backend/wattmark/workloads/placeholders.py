"""Placeholders in argument lists: replaced as text inside one argument, never through a shell."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches

PLACEHOLDERS = ("level", "seconds", "longer", "operations", "cpus", "workspace")
"""Level; duration [s]; the same and some more, for programs that are ended when the window is full; level x duration;
CPUs of the machine; the folder with the workload's own files."""
_NAME = re.compile(r"\{([a-z_]+)\}")


def fill(word: str, values: Mapping[str, str]) -> str:
    """Replace each known {name} once; other braces stay, and values are not expanded again."""
    return _NAME.sub(lambda match: values.get(match[1], match[0]), word)


def names_in(word: str) -> frozenset[str]:
    """List the names of the placeholders of a word."""
    return frozenset(match[1] for match in _NAME.finditer(word))


def well_spelt(names: Collection[str]) -> Callable[[str], str]:
    """Build a check that refuses a placeholder which is almost a known one, such as {sever}."""

    def check(word: str) -> str:
        for match in _NAME.finditer(word):
            if match[1] not in names and get_close_matches(match[1], names, 1, 0.75):
                raise ValueError(f"the placeholders {', '.join(f'{{{name}}}' for name in names)}")
        return word

    return check
