"""The answer of a comparison in one plain sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.analysis.comparison.comparison import System, ratio
from wattmark.analysis.comparison.ranking import Comparisons
from wattmark.comparison.compare.installations import missing_scatter
from wattmark.comparison.compare.views import CompareGroup
from wattmark.comparison.compare.wording import difference
from wattmark.comparison.compare.yardstick import EFFICIENCY, Yardstick


def compare_statement(
    views: Sequence[CompareGroup],
    systems: Mapping[str, System],
    compared: Comparisons,
    names: Mapping[str, str],
    by: Yardstick = EFFICIENCY,
) -> str:
    """Describe the best configuration or the tie at the top, with the distance to the last one that differs.

    Simulated configurations have a sentence of their own, after that of the measured ones.
    """
    kinds = {view.key: view.kind for view in views}
    model = {key: system for key, system in systems.items() if kinds[key] == "simulated"}
    measured = {key: system for key, system in systems.items() if key not in model}
    sentences = [_sentence(views, measured, compared, names, by)] if measured or not model else []
    if model:
        apart = "Simulated power, ranked separately:" if measured else "Simulated power:"
        sentences.append(f"{apart} {_sentence(views, model, compared, names, by)}")
    missing = missing_scatter({names[key]: system for key, system in systems.items()}) if len(systems) > 1 else None
    chosen = _chosen(views, systems, names, by)
    return " ".join([*sentences, *chosen, *([f"{missing[0].upper()}{missing[1:]}."] if missing else [])])


def _sentence(
    views: Sequence[CompareGroup],
    systems: Mapping[str, System],
    compared: Comparisons,
    names: Mapping[str, str],
    by: Yardstick,
) -> str:
    if not systems:
        return _nothing_measured(views)
    order = sorted(systems, key=lambda key: systems[key].log.mean, reverse=by.direction == "higher")
    best, last = order[0], order[-1]
    if len(order) == 1:
        return f"{names[best]} is the only configuration with a result here; there is nothing to compare it with."
    ties = [key for key in order[1:] if compared.significant(best, key) is False]
    if any(compared.significant(best, key) is None for key in order[1:]):
        return f"{names[best]} shows {by.best}, but not every difference can be tested."
    if len(ties) == len(order) - 1:
        return f"No configuration stands out: {_listed([names[k] for k in order])} are not distinguishable."
    estimate = ratio(systems[best], systems[last])
    if ties or estimate is None:
        return f"{_listed([names[best], *(names[k] for k in ties)])} share the first place in {by.noun}."
    return f"{difference(names[best], names[last], estimate, by)}."


def _chosen(
    views: Sequence[CompareGroup], systems: Mapping[str, System], names: Mapping[str, str], by: Yardstick
) -> list[str]:
    """List the configurations that are ranked only because a person included their runs."""
    ranked = [view for view in views if view.key in systems]
    return [f"{names[view.key]}: {text}." for view in ranked for text in view.inclusions.get(by.figure, ())]


def _nothing_measured(views: Sequence[CompareGroup]) -> str:
    if any(v.kind != "published" for v in views):
        return "No run can be ranked; see the reason in each group."
    if any(v.efficiency is not None for v in views):
        return "Published figures only: nothing was measured here, so no difference is tested."
    return "Published figures only, none with performance per watt; see the reason in each group."


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
