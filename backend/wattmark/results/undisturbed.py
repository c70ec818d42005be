"""Whether something took CPU time from the load: other programs, other guests of a hypervisor, or wattmark itself."""

from __future__ import annotations

from wattmark.analysis.verdict import Verdict, at_most, not_checked
from wattmark.core.numbers import format_number
from wattmark.runs.disclosure import OtherPrograms
from wattmark.runs.record import RunRecord

UNDISTURBED = "undisturbed"
OWN_SHARE = "own-share"
OTHERS_LIMIT_PCT = 5.0
"""The same limit as of the rule for full load: kernel, samplers and daemons of an idle system stay below it."""
OWN_LIMIT_PCT = 5.0
"""What wattmark takes is missing from the load as what others take is. It has a limit of its own because it is the
same in every run, so that no repetition helps, and because another remedy does."""
OFF_S, OFF_SHARE = 2.0, 0.05
"""By how much the time between two readings of the list of processes may differ from the window, in all or as share."""
SHOWN = 3
STOLEN_SHOWN_PCT = 0.05
NOT_READ = "the list of processes of the server was not read"
NOT_STATED = "the record does not state what ran beside the load"


def undisturbed(run: RunRecord, utilisation_pct: float | None, window_s: float | None) -> Verdict:
    """Evaluate the CPU time that other programs and other guests of a hypervisor took during the load [% of all CPUs].

    It is the CPU utilisation of the server without the shares of the load and of wattmark; where that of the load is
    not known, as on another server, what the list of processes shows. A server that was not quiet before the load is
    taken to be disturbed where neither tells otherwise.
    """
    share_pct = run.disclosure.window.load_cpu_share_pct
    idle = run.disclosure.task.task == "idle"
    if utilisation_pct is not None and (share_pct is not None or (idle and _untold(run) is None)):
        return _beside_load(run, utilisation_pct, share_pct or 0.0, window_s)
    untold = _untold(run)
    if untold is None:
        by_list = _by_processes(run, window_s)
        if isinstance(by_list, Verdict):
            return by_list
        untold = by_list
    quiet = run.disclosure.quiet
    if quiet is not None and quiet.quiet is False and quiet.others_pct is not None:
        return _judged(quiet.others_pct, "before the load, and nothing tells that they rested during it")
    return not_checked(UNDISTURBED, OTHERS_LIMIT_PCT, "%", f"Not checked for other programs: {untold}.")


def own_share(run: RunRecord, window_s: float | None) -> Verdict:
    """Evaluate the CPU time that wattmark itself took on the machine of the load, with all that it started [%]."""
    listed = run.disclosure.other_programs
    if listed is None or listed.own_pct is None:
        text = "wattmark ran on another machine than the load, or the record does not state what it took."
        return not_checked(OWN_SHARE, OWN_LIMIT_PCT, "%", text)
    if off := _off(listed, window_s):
        return not_checked(OWN_SHARE, OWN_LIMIT_PCT, "%", f"What wattmark itself took is not known: {off}.")
    own_pct = _of_window(listed.own_pct, listed, window_s)
    if own_pct <= OWN_LIMIT_PCT:
        text = f"wattmark itself used {own_pct:.1f} % of the CPU time in the window."
    else:
        text = (
            f"wattmark itself used {own_pct:.0f} % of the CPU time in the window, so throughput and power are "
            "not those of the load alone. Run it on another machine that reaches this one by SSH, or record fewer "
            "channels, or the same ones less often."
        )
    return at_most(OWN_SHARE, own_pct, OWN_LIMIT_PCT, "%", text)


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


def _beside_load(run: RunRecord, utilisation_pct: float, share_pct: float, window_s: float | None) -> Verdict:
    """Judge by what is left of the utilisation without the load and wattmark.

    The list of processes may show that less is left: it has the begin of a program too, where its work is not yet
    marked, which comes again with each slice of a load.
    """
    when, listed = f"in the window{_names(run)}", run.disclosure.other_programs
    left_pct = max(0.0, utilisation_pct - share_pct)
    if listed is None or _off(listed, window_s):
        return _judged(left_pct, when)
    stolen_pct = listed.stolen_pct or 0.0
    # stolen time is no part of the time that the CPUs had, of which utilisation is a share
    left_pct = max(0.0, utilisation_pct * (1 - stolen_pct / 100) - share_pct - (listed.own_pct or 0.0))
    if listed.at_most_pct is not None:
        # others took no less than what is listed of them, whatever the kernel charges to whom
        left_pct = min(left_pct, _of_window(max(listed.at_most_pct, listed.share_pct), listed, window_s))
    return _judged(left_pct, when, stolen_pct)


def _names(run: RunRecord) -> str:
    names = ", ".join(dict.fromkeys(process.name for process in run.disclosure.other_processes[:SHOWN]))
    return f" ({names})" if names else ""


def _by_processes(run: RunRecord, window_s: float | None) -> Verdict | str:
    """Judge by the list of processes, or explain why it does not tell."""
    others, processes, cpus = run.disclosure.other_programs, run.disclosure.other_processes, run.disclosure.host.cpus
    during = f"by the list of processes{_names(run)}"
    if others is None:
        # a sum of the largest alone is a lower bound
        least_pct = sum(process.core_pct for process in processes) / cpus if cpus else 0.0
        if least_pct > OTHERS_LIMIT_PCT:
            return _judged(least_pct, during)
        return NOT_STATED if run.disclosure.workload is None else NOT_READ
    stolen_pct = others.stolen_pct or 0.0
    if others.share_pct + stolen_pct > OTHERS_LIMIT_PCT:
        return _judged(others.share_pct, during, stolen_pct)
    if off := _off(others, window_s):
        return off
    if others.share_pct + stolen_pct + others.unseen_pct > OTHERS_LIMIT_PCT:
        return (
            f"the list of processes does not show who used {format_number(others.unseen_pct, 3)} % of the CPU time, "
            "as with programs "
            "outside a container, of other users, or ended before they were seen"
        )
    most_pct = _of_window(others.share_pct + stolen_pct + others.unseen_pct, others, window_s)
    if most_pct > OTHERS_LIMIT_PCT:
        return (
            f"the list of processes was read over {format_number(others.over_s, 4)} s, longer than the window, of "
            f"which others may have used {format_number(most_pct, 3)} %"
        )
    return _judged(others.share_pct, during, stolen_pct)


def _off(listed: OtherPrograms, window_s: float | None) -> str | None:
    """Explain why the list of processes does not tell about the window; None where it does."""
    if window_s is None:
        return "the run has no window"
    if abs(listed.over_s - window_s) <= max(OFF_S, OFF_SHARE * window_s):
        return None
    return (
        f"the list of processes was read over {format_number(listed.over_s, 4)} s for a window of "
        f"{format_number(window_s, 4)} s"
    )


def _of_window(pct: float, listed: OtherPrograms, window_s: float | None) -> float:
    """Compute which share of the window it was at most [%]: what was taken in a longer time may all have been in it."""
    return min(100.0, pct * max(1.0, listed.over_s / window_s)) if window_s else pct


def _judged(others_pct: float, when: str, stolen_pct: float = 0.0) -> Verdict:
    taken_pct = others_pct + stolen_pct
    digits = 1 if taken_pct <= OTHERS_LIMIT_PCT else 0
    stolen = f" and other guests of its host {stolen_pct:.{digits}f} %" if stolen_pct >= STOLEN_SHOWN_PCT else ""
    text = f"Other programs used {others_pct:.{digits}f} %{stolen} of the CPU time {when}"
    if taken_pct > OTHERS_LIMIT_PCT:
        remedy = "Stop them" if others_pct >= stolen_pct else "Give this virtual machine CPUs of its own"
        text += f", so throughput and power are not those of the load alone. {remedy} and repeat the run"
    return at_most(UNDISTURBED, taken_pct, OTHERS_LIMIT_PCT, "%", f"{text}.")
