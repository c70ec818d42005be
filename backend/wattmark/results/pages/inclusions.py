"""A person's choice to rank a run although rules failed: signed, explained, and shown with every output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wattmark_drivers.clock import Clock

from wattmark.core.errors import Conflict, NotFound
from wattmark.core.instants import iso
from wattmark.results.ranking_bars import failed_rules, includable_rules
from wattmark.results.result import Result
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.annotations.store import AnnotationStore
from wattmark.runs.annotations.views import InclusionOrder
from wattmark.runs.record import RunStatus


@dataclass(frozen=True, slots=True)
class Inclusions:
    """Inclusions of runs of one data folder. ``result`` returns the issued result of a run, or raises `NotFound`."""

    store: AnnotationStore
    result: Callable[[str], Result]
    clock: Clock

    def include(self, run_id: str, order: InclusionOrder) -> Inclusion:
        """Record a person's inclusion of a run although these rules failed; one about other rules is kept beside it.

        Raises `NotFound` for an unknown run, and `Conflict` where a person may not override: the run did
        not complete, the rule did not fail, or the run gives none of the figures that it bars.
        """
        result = self.result(run_id)
        _require_complete(result)
        for rule in order.rules:
            _require_includable(result, rule)
        now = iso(self.clock.utc_ns())
        choice = Inclusion(by=order.by, reason=order.reason, rules=tuple(dict.fromkeys(order.rules)), at=now)
        return self.store.include(run_id, choice)

    def exclude(self, run_id: str) -> None:
        """Withdraw the ranking override of a run. Raises `NotFound` where there is none."""
        if run_id not in self.store.inclusions():
            raise NotFound(f"Run {run_id[:80]!r} has no ranking override.", "Reload the run.")
        self.store.exclude(run_id)


def _require_complete(result: Result) -> None:
    if result.status is not RunStatus.COMPLETE:
        raise Conflict(
            f"Run {result.run_id} is {result.status.value}; only a complete run can be ranked.",
            "Repeat the run.",
        )


def _require_includable(result: Result, rule: str) -> None:
    allowed = includable_rules(result)
    if rule in allowed:
        return
    remedy = (
        f"Rules that can be overridden here: {', '.join(allowed)}." if allowed else "No rule can be overridden here."
    )
    if rule in failed_rules(result):
        raise Conflict(f"Rule {rule} does not exclude any quantity of run {result.run_id}.", remedy)
    raise Conflict(f"Rule {rule[:100]!r} did not fail in run {result.run_id}.", remedy)
