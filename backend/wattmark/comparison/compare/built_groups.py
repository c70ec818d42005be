"""Groups that were built before, for as long as they are made of the very same results."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence

from wattmark.comparison.compare.groups import Group, build_group, group_key
from wattmark.results.result import Result

MOST = 2000
"""Groups kept; one without budgets is about 5 kB."""
_Part = tuple[weakref.ref[Result], str]
"""A result, which is not kept alive, and the installation it was made in."""


class BuiltGroups:
    """Build groups without budgets, and remember them; safe to call from several threads."""

    def __init__(self) -> None:
        self._built: dict[tuple[str, str, str, bool], tuple[tuple[_Part, ...], Group]] = {}

    def build(self, results: Sequence[Result], fitted: Mapping[str, str]) -> Group:
        """Combine the repeats of one configuration, or return what was built of these very results before."""
        last = results[-1]
        key = group_key(last), last.workload, last.level, last.simulated
        parts, group = self._built.get(key, ((), None))
        if group is not None and _same(parts, results, fitted):
            return group
        built = build_group(results, fitted, budgets=False)
        if len(self._built) >= MOST:
            self._built.clear()
        self._built[key] = tuple((weakref.ref(result), fitted[result.run_id]) for result in results), built
        return built


def _same(parts: Sequence[_Part], results: Sequence[Result], fitted: Mapping[str, str]) -> bool:
    return len(parts) == len(results) and all(
        of() is result and installation == fitted[result.run_id]
        for (of, installation), result in zip(parts, results, strict=True)
    )
