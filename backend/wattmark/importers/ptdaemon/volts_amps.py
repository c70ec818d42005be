"""The watts of each line against its volts, amps and power factor: the one thing that a bare log states twice."""

from __future__ import annotations

import numpy as np

from wattmark.core.numbers import format_number
from wattmark.importers.ptdaemon.power_lines import PowerLines
from wattmark.importers.written_digits import half_digit
from wattmark.runs.record import ImportedVerdict

FACTORS = ("Volts", "Amps", "PF")
_RULE = "import-volts-amps"
_MOST_PCT = 1.0
_SOURCE = "12 published logs of v1.0: no line differs by 0.5 %"


class VoltsAmps:
    """Count the lines whose watts are not the product of their other numbers, block by block."""

    def __init__(self) -> None:
        self._held = 0
        self._wrong = 0
        self._furthest_pct = 0.0

    def add(self, lines: PowerLines) -> None:
        """Check a block of lines for consistency."""
        factors = [lines.others[name] for name in FACTORS]
        usable = (lines.watts > 0) & np.all([factor > 0 for factor in factors], axis=0)
        if not usable.any():
            return
        watts, *factors = (column[usable] for column in (lines.watts, *factors))
        open_share = sum(half_digit(column) / column for column in (watts, *factors))
        off_pct = 100 * np.abs(watts / np.prod(factors, axis=0) - 1)
        wrong = off_pct > _MOST_PCT + 100 * open_share
        self._held += len(watts)
        self._wrong += int(np.count_nonzero(wrong))
        if wrong.any():
            self._furthest_pct = max(self._furthest_pct, float(off_pct[wrong].max()))

    def verdict(self) -> ImportedVerdict:
        """Return what the lines say of themselves."""
        if not self._held:
            text = "No line of one channel holds volts, amps and power factor, so changed watts cannot be seen."
            return ImportedVerdict(
                rule=_RULE, value=None, limit=0.0, unit="lines", outcome="not-checked", text=text, source=_SOURCE
            )
        text = f"In {self._wrong} of {self._held} lines watts differ from volts x amps x power factor by more than 1 %"
        if self._wrong:
            text += f", at most by {format_number(self._furthest_pct, 2)} %. Restore the log from its source."
        else:
            text += " and what their digits leave open."
        return ImportedVerdict(
            rule=_RULE,
            value=float(self._wrong),
            limit=0.0,
            unit="lines",
            outcome="fail" if self._wrong else "pass",
            text=text,
            source=_SOURCE,
        )
