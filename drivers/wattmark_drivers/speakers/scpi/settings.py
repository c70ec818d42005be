"""The settings of a simulated analyser with their limits, as strict as the real ones. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_drivers.catalogue.scpi_header import echoed, match, short
from wattmark_drivers.catalogue.scpi_map import InputRanges, ScpiMap
from wattmark_drivers.catalogue.scpi_setting import OFF, ON, Setting, SettingKind
from wattmark_drivers.speakers.scpi.values import nearest, setting_number

Value = float | str
Key = tuple[str, int | None]


class OutOfRangeError(ValueError):
    """The value is none that the setting has."""


class ProtectedError(ValueError):
    """The setting is one of the meter behind, which clients only read."""


class InstrumentSettings:
    """The values by name and element; ``read_only``: those that decide what is measured do not change."""

    def __init__(self, table: ScpiMap, *, read_only: bool = False) -> None:
        self._table = table
        self._read_only = read_only
        self._values: dict[Key, Value] = {}
        self.reset()

    def reset(self) -> None:
        """Restore the settings after power-on."""
        for item in self._table.settings:
            for element in self._elements(item):
                self._values[item.name, element] = item.normal(item.power_on)

    def get(self, name: str, element: int | None = None) -> Value | None:
        """Return a value; of the first element where each has its own."""
        keys = ((name, element), (name, None), (name, self._table.elements[0]))
        return next((self._values[key] for key in keys if key in self._values), None)

    def is_on(self, name: str) -> bool:
        """Return whether a switch is on; False for a setting that does not exist."""
        return self.get(name) == ON

    @property
    def crest_factor(self) -> float:
        """Return the crest factor in use."""
        ranges = self._table.ranges
        if ranges is None or ranges.crest_setting is None:
            return next(iter(ranges.voltage.crest)) if ranges else 3.0
        return float(str(self.get(ranges.crest_setting)).strip("Aa"))

    def nominal(self, kind: InputRanges, element: int | None = None) -> float:
        """Return the range in use [V or A]."""
        return float(self.get(kind.setting, element) or 0.0)

    def row(self, kind: InputRanges) -> Sequence[float]:
        """List the ranges at the crest factor in use."""
        return kind.crest[self.crest_factor]

    def choose(self, kind: InputRanges, nominal: float) -> None:
        """Apply a range that auto-range chose."""
        for element in self._elements(self._table.setting(kind.setting)):
            self._values[kind.setting, element] = nominal

    def answer(self, header: str) -> str | None:
        """Answer the query of a setting; None when no setting has that header."""
        for item in self._table.settings:
            header_match = match(item.read_back, header) if item.read_back else None
            if header_match is not None:
                element = self._element(item, header_match.groups())
                if self._is_told_by_another(item, self._values[item.name, element]):
                    continue
                text = self.written(item, self._values[item.name, element])
                return f"{self._echo(item, element)} {text}" if self.is_on("header") else text
        return None

    def _is_told_by_another(self, item: Setting, value: Value) -> bool:
        """Return whether two settings share a query (range and AUTO), and the other one is in force."""
        shared = any(other is not item and other.read_back == item.read_back for other in self._table.settings)
        return shared and bool(item.commands) and value not in item.commands

    def write(self, header: str, data: str) -> bool:
        """Write a setting; False when no setting has that header. Raises `OutOfRangeError` or `ProtectedError`."""
        for item in self._table.settings:
            whole = next((value for value, text in item.commands.items() if _is_command(text, header, data)), None)
            if whole is not None:
                self._write(item, self._element(item, ()), whole)
                return True
            header_match = None if item.commands else match(item.command, header)
            if header_match is not None:
                self._write(item, self._element(item, header_match.groups()), data)
                return True
        return False

    def written(self, item: Setting, value: Value) -> str:
        """Format a value as the instrument answers it."""
        key = f"{value:g}" if isinstance(value, float | int) else value
        token = item.tokens.get(key, "")
        if token.isdecimal() or token[:1].isalpha():
            return token
        if isinstance(value, float | int):
            return setting_number(value) if item.unit else f"{value:g}"
        if item.kind is SettingKind.SWITCH:
            return "1" if value == ON else "0"
        return (value if self.is_on("verbose") else short(value)).upper()

    def _write(self, item: Setting, element: int | None, data: str) -> None:
        try:
            value = item.understood(data)
            value = self._table.setting(item.name).normal(value)
        except ValueError:
            raise OutOfRangeError from None
        if self._is_protected(item) and not item.same(value, self._values[item.name, element]):
            raise ProtectedError
        ranges = self._table.ranges
        for kind in (ranges.voltage, ranges.current) if ranges else ():
            if item.name == kind.setting:
                if nearest(self.row(kind), float(value)) is None:
                    raise OutOfRangeError
                if kind.auto:
                    self._everywhere(kind.auto, OFF)
        before = self.crest_factor
        self._values[item.name, element] = value
        if ranges and item.name == ranges.crest_setting:
            self._follow_crest(before)

    def _is_protected(self, item: Setting) -> bool:
        """Return whether a setting decides what is measured; the others form the dialogue."""
        ranges = self._table.ranges
        autos = (ranges.voltage.auto, ranges.current.auto) if ranges else ()
        return self._read_only and (item.option or item.name in autos)

    def _follow_crest(self, before: float) -> None:
        """Keep the place in the list of ranges when the crest factor changes."""
        ranges = self._table.ranges
        for kind in (ranges.voltage, ranges.current) if ranges else ():
            old = list(kind.crest[before])
            for element in self._elements(self._table.setting(kind.setting)):
                now = nearest(old, float(self._values[kind.setting, element]))
                place = old.index(now) if now is not None else 0
                self._values[kind.setting, element] = self.row(kind)[min(place, len(self.row(kind)) - 1)]

    def _everywhere(self, name: str, value: Value) -> None:
        for element in self._elements(self._table.setting(name)):
            self._values[name, element] = value

    def _echo(self, item: Setting, element: int | None) -> str:
        text = echoed(item.command, verbose=self.is_on("verbose"), element=element)
        return text if text.startswith(":") else f":{text}"

    def _elements(self, item: Setting) -> Sequence[int | None]:
        return self._table.elements if item.per_element else (None,)

    def _element(self, item: Setting, groups: Sequence[str | None]) -> int | None:
        if not item.per_element:
            return None
        number = int(groups[0] or self._table.elements[0]) if groups else self._table.elements[0]
        if number not in self._table.elements:
            raise OutOfRangeError
        return number


def _is_command(text: str, header: str, data: str) -> bool:
    wanted, _, argument = text.partition(" ")
    return match(wanted, header) is not None and argument.upper() == data.upper()
