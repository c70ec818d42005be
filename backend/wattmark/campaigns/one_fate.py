"""Runs that began together count together: when one of them did not come to its end, none of them did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from wattmark.campaigns.run_table import REPEATABLE
from wattmark.results.together import TOGETHER
from wattmark.runs.record import RunRecord, RunStatus


def changed_fates(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Give the complete records whose group is not complete, with what became of them; the others stay as they are.

    They fail so that they can be repeated, or are interrupted or stopped like the one that broke off.
    """
    groups: dict[str, list[RunRecord]] = defaultdict(list)
    for record in records:
        if told := record.disclosure.get(TOGETHER):
            groups[told["barrier"]].append(record)
    return [changed for group in groups.values() for changed in _changed(group)]


def _changed(group: Sequence[RunRecord]) -> list[RunRecord]:
    broken = next((one for one in group if one.status is not RunStatus.COMPLETE), None)
    if broken is None:
        return []
    cause = f"The run of {broken.server}, which began together with this one, was not completed: {broken.reason}"
    changes = {"status": broken.status, "reason": cause}
    return [
        one.model_copy(update={**changes, "disclosure": {**one.disclosure, REPEATABLE: True}})
        for one in group
        if one.status is RunStatus.COMPLETE
    ]
