"""Amounts with their unit as people write them in options."""

from __future__ import annotations

import re

from wattmark.core.errors import InputError

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(ms|s|min|h)?")
_IN_S = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "": 1.0}
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?%")


def seconds(text: str) -> float:
    """Read a time such as 10s, 500ms or 2min [s]. Raises `InputError`."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise InputError(f"{text[:40]!r} is not a time.", "Write such as 10s, 500ms, 2min or 1h.")
    return float(match[1]) * _IN_S[match[2] or ""]


def share(option: str, text: str) -> float:
    """Read what an option gives in per cent, below 100 %, such as 2% [1]. Raises `InputError`."""
    match = _PERCENT.fullmatch(text.strip())
    if match is None:
        raise InputError(f"{option} {text[:40]!r} is not in per cent.", "Write such as 2%.")
    if not float(match[1]) < 100:
        raise InputError(f"{option} {text[:40]!r} is not below 100 %: no figure can fall by more.", "Give less.")
    return float(match[1]) / 100
