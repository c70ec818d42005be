"""Results that this very build stated are read as they were stated, instead of being evaluated again."""

from __future__ import annotations

from collections.abc import Mapping

from wattmark.build import build
from wattmark.certificates.describe import iso
from wattmark.certificates.store import Stated, StatementStore
from wattmark.retention.mark import is_thinned
from wattmark.runs.record import RunRecord
from wattmark.runs.result import Result


def recalled(
    statements: StatementStore, runs: Mapping[str, RunRecord], stated: Mapping[str, Stated]
) -> dict[str, Result]:
    """Give the results of those runs whose latest version this build stated, for runs that are as they were then."""
    same = build()
    wanted = {run_id: run for run_id, run in runs.items() if run_id in stated and stated[run_id].software == same}
    if not wanted:
        return {}
    found = {}
    for result in statements.results(same):
        run, now = wanted.get(result.run_id), stated.get(result.run_id)
        if run is None or now is None or not _as_then(run, result):
            continue
        told = {"result_version": now.version, "stated": iso(now.stated_ns)}
        found[result.run_id] = result.model_copy(update=told)
    return found


def _as_then(run: RunRecord, result: Result) -> bool:
    then = (result.status, result.reason, result.source, result.configuration, result.workload, result.level)
    return then == (run.status, run.reason, run.source, run.configuration, run.workload, run.level) and not is_thinned(
        run
    )
