"""Checks that every part of a certificate shares."""

from __future__ import annotations

import math
import re
from datetime import date, datetime

from wattmark_calibration.errors import CertificateError

IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
SHA256 = re.compile(r"[0-9a-f]{64}")
LONGEST_TEXT = 1000
FILE_RULES = {"extra": "forbid", "allow_inf_nan": False, "strict": True}
"""Rules for reading the parts of a certificate from a file: unknown keys and wrong types are errors."""


def require(condition: bool, complaint: str) -> None:
    """Raise `CertificateError` with the complaint unless the condition holds."""
    if not condition:
        raise CertificateError(complaint)


def require_text(name: str, *values: str | None) -> None:
    """Refuse text that is empty, too long or contains control characters. None passes."""
    for value in values:
        good = value is None or (value.strip() and len(value) <= LONGEST_TEXT and value.isprintable())
        require(bool(good), f"{name}: give 1 to {LONGEST_TEXT} printable characters on one line.")


def require_finite(name: str, *values: float | None) -> None:
    """Refuse a value that is not a finite number; None passes."""
    for value in values:
        good = value is None or (isinstance(value, int | float) and math.isfinite(value))
        require(good and not isinstance(value, bool), f"{name}: {value!r} is not a finite number.")


def require_day(name: str, *values: date | None) -> None:
    """Refuse a value that is not a plain calendar day; certificates carry days, not instants. None passes."""
    for value in values:
        good = value is None or (isinstance(value, date) and not isinstance(value, datetime))
        require(good, f"{name}: {value!r} is not a date; write YYYY-MM-DD.")
