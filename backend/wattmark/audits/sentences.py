"""What explains the difference between a published figure and the complete window, in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark.audits.audit import AuditedRun, Stretch

_SAME_PCT = 0.05


def training_sentence(by_rule: float | None, over_window: float | None, runs: Sequence[AuditedRun]) -> str:
    """Explain why energy by the rule of MLPerf Training differs from the timed part alone."""
    if by_rule is None or not over_window or not runs:
        return "There are too few converged runs for a score."
    off = 100 * (by_rule / over_window - 1)
    before, inside, after = (_joined([getattr(run, part) for run in runs]) for part in ("before", "inside", "after"))
    outside = before.readings + after.readings
    total = outside + inside.readings
    if not outside or total == 0:
        how = f"agree within {_SAME_PCT} %" if abs(off) < _SAME_PCT else f"differ by {off:+.2f} %"
        return f"Nearly all readings lie in the timed part, so both figures {how}: only the edges count differently."
    shares = (
        f"{100 * outside / total:.0f} % of the readings lie outside the timed part "
        f"({_named(before, 'before')}, {_named(inside, 'inside')}, {_named(after, 'after')})"
    )
    if abs(off) < _SAME_PCT:
        return f"Both figures agree within {_SAME_PCT} %, although {shares}."
    direction = "less" if off < 0 else "more"
    return (
        f"The rule gives {abs(off):.1f} % {direction}, because it averages the whole log: {shares}, and the mean of "
        "all is multiplied by the time of the timed part."
    )


def _joined(parts: Sequence[Stretch]) -> Stretch:
    readings = sum(part.readings for part in parts)
    if not readings:
        return Stretch(readings=0, mean_w=None)
    power = math.fsum(part.readings * part.mean_w for part in parts if part.mean_w is not None)
    return Stretch(readings=readings, mean_w=power / readings)


def _named(part: Stretch, where: str) -> str:
    return f"none {where}" if part.mean_w is None else f"{part.readings} of {part.mean_w:.0f} W {where}"


def mean_power_sentence(run: AuditedRun) -> str:
    """Explain how mean power by the rule of MLPerf Inference differs from the complete window."""
    if run.refused:
        return f"The window has no figure to hold the rule's against. {run.refused}"
    off = run.difference_pct
    if run.by_rule is None or off is None:
        return "The power log holds no usable sample in the window."
    readings = f"{run.inside.readings} samples in {run.window_s:.0f} s"
    gaps = f", {len(run.gaps)} silences" if run.gaps else ""
    if abs(off) < _SAME_PCT:
        return f"Both figures agree within {_SAME_PCT} % ({readings}{gaps})."
    why = "silences count by their length over the window, not at all in the mean" if run.gaps else "edges differ"
    return f"The rule gives {abs(off):.2f} % {'less' if off < 0 else 'more'} ({readings}{gaps}): {why}."
