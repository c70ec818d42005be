"""Cache of groups and answers, valid for as long as their results are the same objects."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Generic, TypeVar

from wattmark.comparison.compare.groups import Group, build_group, group_key
from wattmark.results.result import Result

MOST_GROUPS = 2000
"""One without budgets is about 5 kB."""
MOST_ANSWERS = 8
"""One of 240 configurations is about 2 MB."""
_Part = tuple[weakref.ref[Result], str]
"""A result, which is not kept alive, and the installation it was made in."""
Built = TypeVar("Built")


class Remembered(Generic[Built]):
    """Things made of results, by their names; the oldest is forgotten. Safe to call from several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._built: dict[Hashable, tuple[tuple[_Part, ...], Built]] = {}
        self._building = threading.Lock()

    def of(
        self, name: Hashable, results: Sequence[Result], fitted: Mapping[str, str], build: Callable[[], Built]
    ) -> Built:
        """Return what has this name and was built of these very results, or build it now; one is built at a time."""
        with self._building:
            parts, built = self._built.get(name, ((), None))
            if built is not None and _same(parts, results, fitted):
                return built
            made = build()
            if len(self._built) >= self._most:
                self._built.pop(next(iter(self._built), None), None)
            self._built[name] = tuple((weakref.ref(result), fitted[result.run_id]) for result in results), made
            return made


class BuiltGroups:
    """Build groups without budgets, and remember them."""

    def __init__(self) -> None:
        self._groups: Remembered[Group] = Remembered(MOST_GROUPS)

    def build(self, results: Sequence[Result], fitted: Mapping[str, str]) -> Group:
        """Combine the repeats of one configuration, or return the group built of these same results before."""
        last = results[-1]
        name = group_key(last), last.workload, last.level, last.simulated
        return self._groups.of(name, results, fitted, lambda: build_group(results, fitted, budgets=False))


def _same(parts: Sequence[_Part], results: Sequence[Result], fitted: Mapping[str, str]) -> bool:
    return len(parts) == len(results) and all(
        of() is result and installation == fitted[result.run_id]
        for (of, installation), result in zip(parts, results, strict=True)
    )
