"""The dialogue of a Watts Up? PRO: commands in, records out. No port, no clock."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.indication import Indication

VERSION = ("1", "8", "3", "0", "3", "24", "20050531", SIMULATOR_MARK)
"""Model (1: PRO), memory, hardware and firmware numbers, firmware date; then the mark, instead of a checksum."""
END_OF_RECORD = b"\r\n"
NUL_EVERY = 8
"""Real meters put stray NUL bytes into the stream; this one does so before every eighth record."""
LONGEST_COMMAND = 256
CONSTANT = {"Cost": 0, "Cost/Mo": 0, "DC": 100, "PC": 0}
"""Without a price, and with a duty cycle [%] and a count of power failures that nobody set."""
SHOWN = (
    ("W", "power", 10),
    ("V", "voltage", 10),
    ("A", "current", 1000),
    ("WH/Mo", "power", 24 * 30),
    ("PF", "power_factor", 100),
    ("HZ", "frequency", 10),
    ("VA", "apparent_power", 10),
)
"""Field, quantity, and steps per unit: tenths of W, V, Hz and VA, mA, percent, Wh per 30 days."""
_MASKED = "_"


class WattsUpDialogue:
    """What one meter was told, and what it remembers: field mask, logging interval, extremes, energy since cleared."""

    def __init__(self, header: Sequence[str]) -> None:
        self._header = tuple(header)
        self._mask = (True,) * len(self._header)
        self._received = b""
        self._records = 0
        self._interval_s = 0
        self._waited_s = 0
        self._extremes: dict[str, int] = {}
        self._energy_cleared_wh: float | None = None

    @property
    def logging(self) -> bool:
        """Return whether external logging is on, so that records are pushed."""
        return self._interval_s > 0

    def receive(self, data: bytes) -> bytes:
        """Receive bytes from the host and return the answers to the commands that they complete."""
        *commands, rest = (self._received + data).split(b";")
        self._received = rest[-LONGEST_COMMAND:]
        return b"".join(self._obey(command) for command in commands)

    def second(self, indication: Indication) -> bytes:
        """Take over one second of measurement; return the record when one is due, else nothing."""
        values = self._values(indication)
        self._waited_s += 1
        if not self.logging or self._waited_s < self._interval_s:
            return b""
        self._waited_s = 0
        shown = {name for name, keep in self._fields() if keep and name in values}
        return self._record("d", [str(values[name]) if name in shown else _MASKED for name in self._header])

    def _obey(self, command: bytes) -> bytes:
        _, mark, text = command.decode("ascii", "replace").rpartition("#")
        match text.strip().split(",") if mark else []:
            case ["V", "R", *_]:
                return self._record("v", VERSION)
            case ["H", "R", *_]:
                return self._record("h", [name if keep else _MASKED for name, keep in self._fields()])
            case ["C", "W", _, *mask] if len(mask) == len(self._header):
                self._mask = tuple(item.strip() == "1" for item in mask)
            case ["R", "W", *_]:
                self._extremes.clear()
                self._energy_cleared_wh = None
            case ["L", "W", _, "E", _, interval] if interval.isdecimal() and int(interval) > 0:
                self._interval_s, self._waited_s = int(interval), 0
            case ["L", "W", _, "I", *_] | ["L", "R", *_]:
                self._interval_s = 0
        return b""

    def _fields(self) -> list[tuple[str, bool]]:
        return list(zip(self._header, self._mask, strict=True))

    def _record(self, letter: str, fields: Sequence[str]) -> bytes:
        self._records += 1
        stray = b"" if self._records % NUL_EVERY else b"\0"
        return stray + f"#{letter},-,{len(fields)},{','.join(fields)};".encode("ascii") + END_OF_RECORD

    def _values(self, indication: Indication) -> dict[str, int]:
        """Encode one second as whole numbers; what is not measured is absent, and sent like a field that is off."""
        energy_wh = indication.energy_wh
        if self._energy_cleared_wh is None:
            self._energy_cleared_wh = energy_wh
        values = {
            name: round(indication.total[quantity] * factor)
            for name, quantity, factor in SHOWN
            if math.isfinite(indication.total.get(quantity, math.nan))
        }
        if energy_wh is not None and self._energy_cleared_wh is not None:
            values["WH"] = round((energy_wh - self._energy_cleared_wh) * 10)
        return CONSTANT | values | self._update_extremes(values)

    def _update_extremes(self, values: dict[str, int]) -> dict[str, int]:
        for name in {"W", "V", "A"} & values.keys():
            self._extremes[f"{name}max"] = max(values[name], self._extremes.get(f"{name}max", values[name]))
            self._extremes[f"{name}min"] = min(values[name], self._extremes.get(f"{name}min", values[name]))
        return self._extremes
