"""What changes with the number of parts besides them, by what the records of the runs state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from wattmark.comparison.compare.factors import factors, in_order, left_equal, typed_alike
from wattmark.comparison.compare.undeclared import MODEL_FIELD, explains, is_kept_by_model
from wattmark.comparison.parts.counting import Counting
from wattmark.core.texts import first_of
from wattmark.results.result import Result
from wattmark.runs.differences import stated
from wattmark.runs.environment import fact_title
from wattmark.runs.power_settings import TITLES
from wattmark.runs.record import RunRecord

MOST_NAMED = 4
_SETTINGS = "settings."
_NOT_STATED = "not stated"


def changed_too(results: Sequence[Result], records: Sequence[RunRecord], counting: Counting) -> list[str]:
    """Explain which other factors of some runs are not the same at every count: their watts are in the slope.

    ``records`` hold those of the runs, and may hold others.
    """
    counts = {r.run_id: (str(count),) for r in results if (count := counting.count(r)) is not None}
    values = _stated(records, counts, counting)
    changed = [f"{name} ({_by_group(texts)})" for name, texts in values.items() if _differ(texts)]
    mixed = [
        text for name, by_count in values.items() if name.startswith(_SETTINGS) and (text := _mixed(name, by_count))
    ]
    sentences = []
    if changed:
        sentences.append(
            f"More than the {counting.part.many} changes with their count, and its watts are in the slope: "
            f"{first_of(changed, MOST_NAMED)}."
        )
    if mixed:
        sentences.append(
            "Runs under several power settings are fitted together, and their watts scatter about the line: "
            f"{', '.join(mixed)}."
        )
    return sentences


def differing(groups: Mapping[str, Sequence[Result]], records: Sequence[RunRecord], counting: Counting) -> list[str]:
    """List the other factors that groups of runs do not have in common, such as "parts.fan (2 × 80 mm with a; ...)".

    What a group does not state differs from what another one states: nobody knows that it is the same.
    """
    of_run: dict[str, list[str]] = defaultdict(list)
    for group, results in groups.items():
        for r in results:
            of_run[r.run_id].append(group)
    values = {
        name: {group: texts.get(group, {_NOT_STATED}) for group in groups}
        for name, texts in _stated(records, of_run, counting).items()
    }
    return [f"{name} ({_by_group(texts)})" for name, texts in values.items() if _differ(texts)]


def _stated(
    records: Sequence[RunRecord], groups: Mapping[str, Sequence[str]], counting: Counting
) -> dict[str, dict[str, set[str]]]:
    """Collect what the records of each group of runs state, by factor and group, but of the parts themselves.

    ``groups`` are those of each run by its id.
    """
    values: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    grouped = [run for run in records if run.run_id in groups]
    for run, stated_factors in zip(grouped, typed_alike([factors(run) for run in grouped]), strict=True):
        equal = left_equal(stated_factors, counting.factor, counting.tied)
        for name, value in {**equal, **_environment(run, counting.factor)}.items():
            for group in groups[run.run_id]:
                values[name][group].add(value)
    values.pop(counting.factor, None)
    return values


def _differ(by_group: Mapping[str, set[str]]) -> bool:
    return len({frozenset(texts) for texts in by_group.values()}) > 1


def _by_group(by_group: Mapping[str, set[str]]) -> str:
    return "; ".join(f"{_listed(by_group[group])} with {group}" for group in in_order(by_group))


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
        listed[title] = text
    return listed


def _listed(texts: set[str]) -> str:
    return " or ".join(text[:60] for text in in_order(texts))
