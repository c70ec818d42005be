"""Laboratories that measured one thing, put together from their results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wattmark.analysis.comparison.ring import LabValue, Ring, Score, ring
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.groups import Group, build_group, group_key
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.compare.yardstick import ComparedBy, yardstick
from wattmark.comparison.ring.views import (
    RingExcluded,
    RingItem,
    RingLab,
    RingOut,
    RingReference,
)
from wattmark.comparison.ring.words import ONE_RUN, notes, statement, title
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval
from wattmark.results.result import Result

FEWEST_RUNS = 2


@dataclass(frozen=True, slots=True)
class _Entry:
    """A laboratory's group with its figure."""

    lab: str
    group: Group
    value: Interval
    n: int
    unit: str


def ring_view(
    item: RingItem,
    results: Iterable[tuple[str, Result]],
    figure: ComparedBy = "efficiency",
    fitted: Mapping[str, str] | None = None,
) -> RingOut:
    """Compare laboratories by one figure; ``results`` are pairs of laboratory and result, all of this item.

    ``fitted`` names the installation of each run, by its id, where other runs than these help to determine it. A
    laboratory takes part with one group, that of most runs. Raises `InputError` where fewer than two laboratories
    measured it.
    """
    runs = list(results)
    labs = {lab for lab, _ in runs}
    if len(labs) < 2:
        raise InputError(
            f"{len(labs) or 'No'} laborator{'y' if len(labs) == 1 else 'ies'} measured {title(item)}.",
            "A ring comparison needs two; choose one from the list.",
        )
    fitted = installations(result for _, result in runs) if fitted is None else fitted
    entries, excluded = _entries(runs, figure, fitted)
    entries, others = _one_each(entries)
    entries, units = _one_unit(entries)
    entries.sort(key=lambda entry: (-entry.value.value, entry.lab))
    compared, reason = _compared(entries)
    shown = [_lab(entry, score, compared) for entry, score in zip(entries, compared.scores, strict=True)]
    reference = compared.reference
    return RingOut(
        item=item,
        title=title(item),
        figure=figure,
        unit=entries[0].unit if entries else "",
        reference=None
        if reference is None
        else RingReference(
            value=reference.value,
            U95=reference.U95,
            labs=len(reference.members),
            consistency=reference.consistency,
            exact=reference.exact,
        ),
        reason=reason,
        consistency=compared.consistency,
        robust_mean=None if compared.robust is None else compared.robust.mean,
        robust_sd=None if compared.robust is None else compared.robust.sd,
        labs=shown,
        excluded=sorted([*excluded, *others, *units], key=lambda group: (group.lab, group.key)),
        statement=statement(shown, compared, entries[0].unit if entries else "", reason),
        notes=notes(shown, compared),
    )


def _entries(
    runs: Sequence[tuple[str, Result]], figure: ComparedBy, fitted: Mapping[str, str]
) -> tuple[list[_Entry], list[RingExcluded]]:
    """Build the group of each laboratory and configuration; those that cannot take part are excluded, and why."""
    by_group: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for lab, result in runs:
        by_group[lab, group_key(result)].append(result)
    entries, excluded = [], []
    for (lab, _), results in by_group.items():
        group = build_group(results, fitted, budgets=False)
        entry = _entry(lab, group, figure)
        why = group.view.not_ranked.get(figure)
        if why is not None:
            excluded.append(_excluded(lab, group, entry, f"Not ranked: {why}."))
        elif entry is None:
            excluded.append(_excluded(lab, group, None, group.view.refusal or f"Its runs give no {figure}."))
        elif entry.n < FEWEST_RUNS:
            excluded.append(_excluded(lab, group, entry, ONE_RUN))
        else:
            entries.append(entry)
    return entries, excluded


def _entry(lab: str, group: Group, figure: ComparedBy) -> _Entry | None:
    """Return a group with its figure, as the page Compare shows it; None where no run gives it."""
    by = yardstick(figure)
    interval, system = by.value(group.view), group.by(figure)
    if interval is not None and system is not None:
        value = Interval.of(interval.value, interval.ends)
        return _Entry(lab, group, value, system.log.n, by.unit(group.view))
    mean = group.view.unranked.get(figure)
    return None if mean is None else _Entry(lab, group, Interval(value=mean.value), mean.n, by.unit(group.view))


def _one_each(entries: Sequence[_Entry]) -> tuple[list[_Entry], list[RingExcluded]]:
    """Take the group of most runs of each laboratory, of equal ones the first."""
    chosen: dict[str, _Entry] = {}
    for entry in entries:
        taken = chosen.setdefault(entry.lab, entry)
        if entry.n > taken.n:
            chosen[entry.lab] = entry
    others = [entry for entry in entries if chosen[entry.lab] is not entry]
    return list(chosen.values()), [
        _excluded(
            entry.lab,
            entry.group,
            entry,
            f"The laboratory takes part with {chosen[entry.lab].group.view.key}, which has more runs or came first.",
        )
        for entry in others
    ]


def _one_unit(entries: Sequence[_Entry]) -> tuple[list[_Entry], list[RingExcluded]]:
    """Exclude values in another unit than that of most laboratories."""
    if not entries:
        return [], []
    unit = Counter(entry.unit for entry in entries).most_common(1)[0][0]
    alike = [entry for entry in entries if entry.unit == unit]
    return alike, [
        _excluded(entry.lab, entry.group, None, f"Its unit is {entry.unit}, not {unit}.")
        for entry in entries
        if entry.unit != unit
    ]


def _compared(entries: Sequence[_Entry]) -> tuple[Ring, str]:
    values = [LabValue(entry.lab, entry.value.value, entry.value.U95) for entry in entries]
    try:
        compared = ring(values)
    except Refused as refused:
        return Ring(tuple(Score(reason=refused.text) for _ in entries), None, None, None), refused.text
    return compared, compared.reason


def _lab(entry: _Entry, score: Score, compared: Ring) -> RingLab:
    view, reference = entry.group.view, compared.reference
    difference = score.difference
    against = None if reference is None else reference.value
    return RingLab(
        lab=entry.lab,
        key=view.key,
        server=view.server,
        configuration=view.configuration,
        runs=view.runs,
        n=entry.n,
        value=entry.value,
        **dict(score),
        difference_pct=100 * difference.value / against if difference is not None and against else None,
    )


def _excluded(lab: str, group: Group, entry: _Entry | None, why: str) -> RingExcluded:
    view = group.view
    value, n = (None, view.n) if entry is None else (entry.value.value, entry.n)
    return RingExcluded(lab=lab, key=view.key, server=view.server, n=n, value=value, why=why)
