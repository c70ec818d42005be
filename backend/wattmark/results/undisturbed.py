"""Whether the load had the machine to itself: the CPU time it really got against how busy the machine was."""

from __future__ import annotations

from wattmark.runs.record import RunRecord
from wattmark.runs.result import Verdict

RULE = "undisturbed"
OTHERS_LIMIT_PCT = 5.0
"""As much as the rule for full load allows: room for the kernel, the samplers and the daemons of an idle system."""


def undisturbed(run: RunRecord, utilisation_pct: float | None) -> tuple[Verdict, ...]:
    """Judge how much CPU time other programs took in the window [%]; nothing where the load's own is not known."""
    share_pct = run.disclosure.get("load_cpu_share_pct")
    if share_pct is None or utilisation_pct is None:
        return ()
    others_pct = max(0.0, utilisation_pct - float(share_pct))
    passed = others_pct <= OTHERS_LIMIT_PCT
    text = (
        f"Other programs took {others_pct:.1f} % of the CPU time in the window."
        if passed
        else f"Other programs took {others_pct:.0f} % of the CPU time, so throughput and power are not its own. "
        "Stop them and repeat the run."
    )
    return (
        Verdict(
            rule=RULE,
            value=others_pct,
            limit=OTHERS_LIMIT_PCT,
            unit="%",
            outcome="pass" if passed else "fail",
            text=text,
        ),
    )
