"""Processes that took CPU time beside the load."""

from __future__ import annotations

from wattmark.runs.record import RunRecord

SHOWN = 5


def beside_the_load(run: RunRecord) -> tuple[str, ...]:
    """Name the processes that should not have been there, in one sentence; none where a service does the work.

    The service's own processes cannot be told from others.
    """
    found = run.disclosure.get("other_processes") or ()
    workload = run.disclosure.get("workload") or {}
    if not found or workload.get("service"):
        return ()
    named = [f"{one['name']} ({one['core_pct']:.3g} % of a core)" for one in found[:SHOWN]]
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return (f"Beside the load ran {', '.join(named)}{more}.",)
