"""Whether other programs took CPU time from the load: the verdict on the load's share, or on the list of processes."""

from __future__ import annotations

from wattmark.analysis.verdict import Verdict, at_most, not_checked
from wattmark.core.numbers import format_number
from wattmark.runs.record import RunRecord

UNDISTURBED = "undisturbed"
OTHERS_LIMIT_PCT = 5.0
"""The same limit as of the rule for full load: kernel, samplers and daemons of an idle system stay below it."""
OFF_S, OFF_SHARE = 2.0, 0.05
"""By how much the time between two readings of the list of processes may differ from the window, in all or as share."""
SHOWN = 3
NOT_READ = "the list of processes of the server was not read"
NOT_STATED = "the record does not state what ran beside the load"


def undisturbed(run: RunRecord, utilisation_pct: float | None, window_s: float | None) -> Verdict:
    """Evaluate the CPU time of other programs during the load [% of all CPUs].

    It is the CPU utilisation of the server less the share of the load; where that is not known, as on another server,
    what the list of processes shows. A server that was not quiet before the load is taken to be disturbed where neither
    tells otherwise.
    """
    share_pct = run.disclosure.window.load_cpu_share_pct
    idle = run.disclosure.task.task == "idle"
    if utilisation_pct is not None and (share_pct is not None or (idle and _untold(run) is None)):
        return _judged(max(0.0, utilisation_pct - (share_pct or 0.0)), "in the window")
    untold = _untold(run)
    if untold is None:
        listed = _by_processes(run, window_s)
        if isinstance(listed, Verdict):
            return listed
        untold = listed
    quiet = run.disclosure.quiet
    if quiet is not None and quiet.quiet is False and quiet.others_pct is not None:
        return _judged(quiet.others_pct, "before the load, and nothing tells that they rested during it")
    return not_checked(UNDISTURBED, OTHERS_LIMIT_PCT, "%", f"Not checked for other programs: {untold}.")


def _untold(run: RunRecord) -> str | None:
    """Explain why processes of the load cannot be told from others; None where they can."""
    workload = run.disclosure.workload
    if workload is None:
        return None
    if workload.service:
        return f"the {workload.service} does the work, and its processes cannot be told from others"
    if run.disclosure.task.task == "idle":
        return None
    if workload.declaration.get("hook"):
        return "a hook started the load, whose processes cannot be told from others"
    if "command" in workload.declaration and not workload.declaration["command"]:
        return "the load was started elsewhere, and its processes cannot be told from others"
    return None


def _by_processes(run: RunRecord, window_s: float | None) -> Verdict | str:
    """Judge by the list of processes, or explain why it does not tell."""
    others, processes, cpus = run.disclosure.other_programs, run.disclosure.other_processes, run.disclosure.host.cpus
    names = ", ".join(dict.fromkeys(process.name for process in processes[:SHOWN]))
    during = f"by the list of processes{f' ({names})' if names else ''}"
    if others is None:
        # a sum of the largest alone is a lower bound
        least_pct = sum(process.core_pct for process in processes) / cpus if cpus else 0.0
        if least_pct > OTHERS_LIMIT_PCT:
            return _judged(least_pct, during)
        return NOT_STATED if run.disclosure.workload is None else NOT_READ
    if others.share_pct > OTHERS_LIMIT_PCT:
        return _judged(others.share_pct, during)
    if window_s is None:
        return "the run has no window"
    if abs(others.over_s - window_s) > max(OFF_S, OFF_SHARE * window_s):
        return (
            f"the list of processes was read over {format_number(others.over_s, 4)} s for a window of "
            f"{format_number(window_s, 4)} s"
        )
    if others.share_pct + others.unseen_pct > OTHERS_LIMIT_PCT:
        return (
            f"the list of processes does not show who used {format_number(others.unseen_pct, 3)} % of the CPU time, "
            "as with programs "
            "outside a container, of other users, or ended before they were seen"
        )
    return _judged(others.share_pct, during)


def _judged(others_pct: float, when: str) -> Verdict:
    if others_pct <= OTHERS_LIMIT_PCT:
        text = f"Other programs used {others_pct:.1f} % of the CPU time {when}."
    else:
        text = (
            f"Other programs used {others_pct:.0f} % of the CPU time {when}, so throughput and power are not those of "
            "the load alone. Stop them and repeat the run."
        )
    return at_most(UNDISTURBED, others_pct, OTHERS_LIMIT_PCT, "%", text)
