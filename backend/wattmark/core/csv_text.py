"""Text in CSV files that people open in spreadsheets."""

from __future__ import annotations

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def spreadsheet_text(text: str) -> str:
    """Escape text that a spreadsheet would read as a formula (OWASP, CSV injection)."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
