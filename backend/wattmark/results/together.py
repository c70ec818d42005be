"""Runs of several servers that began together: how far apart they really started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wattmark.runs.record import RunRecord
from wattmark.runs.result import Verdict

TOGETHER = "together"
"""Key of a run's disclosure: the group that began on one barrier, and its real starts."""
TARGET_S = 0.010
"""How far apart the starts of two servers may lie [s]."""
RULE = "started together"


def started_together(run: RunRecord) -> dict[str, Any]:
    """Give the fields of a result: who started with it, the spread of the real starts [s] and its standard uncertainty.

    All are empty for a run that was made alone; the spread is None where no program was started (active idle).
    """
    told = _told(run)
    others = (one for one in told.get("runs", ()) if one["run_id"] != run.run_id)
    return {
        "started_with": tuple(f"{one['server']}/{one['configuration']}" for one in others),
        "start_spread_s": told.get("spread_s"),
        "start_spread_u_s": told.get("u_s"),
    }


def start_verdicts(run: RunRecord) -> tuple[Verdict, ...]:
    """Judge the spread of the starts against the target; nothing for a run that was made alone."""
    told = _told(run)
    if told.get("spread_s") is None:
        return ()
    spread_s, target_s = float(told["spread_s"]), float(told["target_s"])
    passed = spread_s <= target_s
    shown = f"{spread_s * 1e3:.1f} ms apart (u {float(told['u_s']) * 1e3:.1f} ms)"
    text = (
        f"The servers of the group started {shown}."
        if passed
        else f"The servers of the group started {shown}, more than {target_s * 1e3:g} ms. "
        "Look for other work on the servers and on this machine when they start."
    )
    outcome = "pass" if passed else "fail"
    return (Verdict(rule=RULE, value=spread_s * 1e3, limit=target_s * 1e3, unit="ms", outcome=outcome, text=text),)


def _told(run: RunRecord) -> Mapping[str, Any]:
    told = run.disclosure.get(TOGETHER)
    return told if isinstance(told, dict) else {}
