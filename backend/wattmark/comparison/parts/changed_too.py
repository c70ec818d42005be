"""What changes with the number of parts besides them, by what the records of the runs state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from wattmark.comparison.compare.factors import factors, in_order, left_equal
from wattmark.comparison.compare.undeclared import MODEL_FIELD, explains, is_kept_by_model
from wattmark.comparison.parts.counting import Counting
from wattmark.results.result import Result
from wattmark.runs.differences import stated
from wattmark.runs.environment import fact_title
from wattmark.runs.power_settings import TITLES
from wattmark.runs.record import RunRecord

_MOST_NAMED = 4
_SETTINGS = "settings."


def changed_too(results: Sequence[Result], records: Sequence[RunRecord], counting: Counting) -> list[str]:
    """Explain which other factors of some runs are not the same at every count: their watts are in the slope.

    ``records`` hold those of the runs, and may hold others.
    """
    counts = {r.run_id: str(count) for r in results if (count := counting.count(r)) is not None}
    values: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for run in records:
        if run.run_id not in counts:
            continue
        equal = left_equal(factors(run), counting.factor, counting.tied)
        for name, value in {**equal, **_environment(run, counting.factor)}.items():
            values[name][counts[run.run_id]].add(value)
    changed = [
        f"{name} ({'; '.join(f'{_listed(by_count[count])} with {count}' for count in in_order(by_count))})"
        for name, by_count in values.items()
        if name != counting.factor and len({frozenset(texts) for texts in by_count.values()}) > 1
    ]
    mixed = [
        text for name, by_count in values.items() if name.startswith(_SETTINGS) and (text := _mixed(name, by_count))
    ]
    sentences = []
    if changed:
        more = ", and others" if len(changed) > _MOST_NAMED else ""
        sentences.append(
            f"More than the {counting.part.many} changes with their count, and its watts are in the slope: "
            f"{', '.join(changed[:_MOST_NAMED])}{more}."
        )
    if mixed:
        sentences.append(
            "Runs under several power settings are fitted together, and their watts scatter about the line: "
            f"{', '.join(mixed)}."
        )
    return sentences


def _mixed(name: str, by_count: Mapping[str, set[str]]) -> str:
    """Name the values of a power setting where runs with one count have several; empty where none has."""
    if all(len(texts) < 2 for texts in by_count.values()):
        return ""
    return f"{TITLES[name.removeprefix(_SETTINGS)]} {_listed(set().union(*by_count.values()))}"


def _environment(run: RunRecord, factor: str) -> Mapping[str, str]:
    """List what the environment of a run states by title, without what the parts themselves account for.

    Of the parts, what their model keeps is listed with the model: the driver of one GPU may change with their count.
    """
    environment = run.disclosure.environment
    facts = {} if environment is None else stated(environment)
    listed = {}
    for (fact, entry, part), text in facts.items():
        title = fact_title(fact, entry, part)
        if explains(factor, fact):
            model = facts.get((fact, entry, MODEL_FIELD[fact])) if is_kept_by_model(fact, part) else None
            if model is None:
                continue
            title = f"{title} of {model}"
        if fact != "steal_pct":
            listed[title] = text
    return listed


def _listed(texts: set[str]) -> str:
    return " or ".join(text[:60] for text in in_order(texts))
