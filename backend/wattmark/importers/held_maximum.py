"""Whether an analyzer showed its highest reading so far (MAX hold) in place of the power: such watts never fall."""

from __future__ import annotations

from wattmark.runs.record import ImportedVerdict

_RULE = "import-held-maximum"
_FEWEST_STEPS = 60
_FALLS_PCT = 1.0
_SOURCE = "8,483 published logs of v1.0 to v5.1: at least 28 % of the steps fall"


def held_maximum(samples: int, rises: int, falls: int, *, fewest_rises: int, steps: int) -> ImportedVerdict:
    """Judge how many of some steps between samples fall, where enough of them rise."""
    if samples <= _FEWEST_STEPS or rises < fewest_rises:
        text = f"The watts rise {rises} times, too seldom to tell a held maximum."
        return ImportedVerdict(
            rule=_RULE, value=None, limit=_FALLS_PCT, unit="%", outcome="not-checked", text=text, source=_SOURCE
        )
    text = f"The watts rise {rises} times and fall {falls} times in {samples} samples."
    share_pct = 100 * falls / steps
    if share_pct < _FALLS_PCT:
        text += " The analyzer held its maximum (MAX hold), so these are not the power; measure again."
    return ImportedVerdict(
        rule=_RULE,
        value=share_pct,
        limit=_FALLS_PCT,
        unit="%",
        outcome="pass" if share_pct >= _FALLS_PCT else "fail",
        text=text,
        source=_SOURCE,
    )
