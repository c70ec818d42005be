"""Repeats that were put together before: a group is built again only when one of its runs has another result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from weakref import ref

from wattmark.results.groups import Group, build_group, group_key
from wattmark.results.installations import installations
from wattmark.runs.result import Result

MOST = 4096
"""As many groups are kept; the oldest gives way."""

_Key = tuple[str, str, str, str, bool]


class KeptGroups:
    """Build groups, or give those that were built of the very same results; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._groups: dict[_Key, tuple[tuple[ref[Result], ...], list[str], Group]] = {}
        """By their runs; results are big, and it is not for a group to keep those that nobody else holds."""

    def build(self, results: Sequence[Result], fitted: Mapping[str, str] | None = None) -> Group:
        """Put the repeats of one configuration under one workload and level together, as `build_group` does."""
        first = results[0]
        key = group_key(first), first.workload, first.level, first.window_rule, first.simulated
        fitted = installations(results) if fitted is None else fitted
        named = [fitted[result.run_id] for result in results]
        with self._lock:
            kept = self._groups.get(key)
        if kept is not None and kept[1] == named and _same(kept[0], results):
            return kept[2]
        group = build_group(results, fitted)
        with self._lock:
            self._groups[key] = tuple(map(ref, results)), named, group
            if len(self._groups) > MOST:
                del self._groups[next(iter(self._groups))]
        return group


def _same(before: Sequence[ref[Result]], now: Sequence[Result]) -> bool:
    """Tell whether these are the same objects; comparing what 10 thousand of them say would cost more than it saves."""
    return len(before) == len(now) and all(a() is b for a, b in zip(before, now, strict=True))
