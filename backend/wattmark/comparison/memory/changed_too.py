"""What changes with the DIMM count besides the memory, by what the records of the runs state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from wattmark.comparison.compare.factors import factors, in_order, left_equal
from wattmark.comparison.compare.undeclared import explains
from wattmark.runs.differences import stated
from wattmark.runs.record import RunRecord

_COUNT = "memory.dimm_count"
_OF_MODULES = "memory.type"
"""Named with the kinds of modules."""
_MOST_NAMED = 4


def changed_too(run_ids: Collection[str], records: Sequence[RunRecord]) -> list[str]:
    """Explain which other factors of some runs are not the same at every DIMM count: their watts are in the slope.

    ``records`` hold those of the runs, and may hold others.
    """
    values: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for run in records:
        if run.run_id not in run_ids or _COUNT not in (by_name := factors(run)):
            continue
        for name, value in {**left_equal(by_name, _COUNT, [_OF_MODULES]), **_environment(run)}.items():
            values[name][by_name[_COUNT]].add(value)
    changed = [
        f"{name} ({'; '.join(f'{_listed(by_count[count])} with {count}' for count in in_order(by_count))})"
        for name, by_count in values.items()
        if name != _COUNT and len({frozenset(texts) for texts in by_count.values()}) > 1
    ]
    if not changed:
        return []
    more = ", and others" if len(changed) > _MOST_NAMED else ""
    return [
        f"More than the DIMMs changes with their count, and its watts are in the slope: "
        f"{', '.join(changed[:_MOST_NAMED])}{more}."
    ]


def _environment(run: RunRecord) -> Mapping[str, str]:
    """List what the environment of a run states, without what the modules themselves account for."""
    environment = run.disclosure.environment
    facts = {} if environment is None else stated(environment)
    return {title: text for (fact, title), text in facts.items() if not explains(_COUNT, fact) and fact != "steal_pct"}


def _listed(texts: set[str]) -> str:
    return " or ".join(text[:60] for text in in_order(texts))
