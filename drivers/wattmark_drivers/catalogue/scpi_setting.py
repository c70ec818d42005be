"""A setting of a bench analyser: the command that writes it, the query that reads it back, and its allowed values."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.scpi_header import ELEMENT, same_word
from wattmark_drivers.catalogue.source import Declared, Fact

ON, OFF = "on", "off"
_ON_WORDS = {"ON": ON, "OFF": OFF}


class SettingKind(StrEnum):
    """How the value of a setting is written and compared."""

    NUMBER = "number"
    SWITCH = "switch"
    """`on` or `off` in the bench file; ON or OFF, 1 or 0 on the wire."""
    WORD = "word"
    """A word of the notation: CURRent is answered as CURR or CURRENT."""


class Setting(Declared):
    """One setting. A person sets it by its name if it is an ``option``; ``hold`` is what measuring needs."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    command: str
    """Header in the notation of the manual; with ``<x>`` it exists once per element."""
    query: str | None = None
    """What reads it back; None: the header with a question mark. An empty text: it cannot be read back."""
    kind: SettingKind = SettingKind.NUMBER
    unit: str = ""
    values: tuple[float | str, ...] = ()
    """Allowed values as a person writes them; of a setting with ranges by crest factor, all of them."""
    tokens: dict[str, str] = {}
    """What goes over the wire for a value, where it is not the value itself ('0.5': '500MS')."""
    commands: dict[str, str] = {}
    """The whole command for a value, where it is not the header with the value (`:BLK:DIS` for `off`)."""
    option: bool = True
    hold: float | str | None = None
    """The value while measuring when nobody asks for another; None leaves it as found."""
    power_on: float | str
    """The value after power-on or initialisation; the simulator starts with it."""
    restore: bool = True
    """Whether closing puts back what was found."""
    evidence: Fact | None = None

    @property
    def per_element(self) -> bool:
        """Return whether each element has its own."""
        return ELEMENT in self.command

    @property
    def read_back(self) -> str:
        """Return the query that reads it back; empty when the device has none."""
        return f"{self.command}?" if self.query is None else self.query

    @property
    def allowed(self) -> str:
        """List what a person may write, for an error."""
        if self.kind is SettingKind.SWITCH:
            return f"{ON} or {OFF}"
        shown = [f"{value:g}" if isinstance(value, float | int) else str(value) for value in self.values]
        return f"one of {', '.join(shown)}{f' {self.unit}' if self.unit else ''}"

    def normal(self, value: object) -> float | str:
        """Bring a value to the form of ``values``. Raises ValueError when it is not allowed."""
        if self.kind is SettingKind.SWITCH:
            return _switch(value)
        if self.kind is SettingKind.NUMBER:
            number = _number(value)
            near = next(
                (allowed for allowed in self.values if isinstance(allowed, float | int) and close(allowed, number)),
                None,
            )
            if self.values and near is None:
                raise ValueError(f"{value} is not allowed")
            return number if near is None else near
        word = next((allowed for allowed in self.values if same_word(str(allowed), str(value))), None)
        if word is None:
            raise ValueError(f"{value} is not allowed")
        return word

    def written(self, value: float | str) -> str:
        """Format an allowed value as sent over the wire."""
        shown = f"{value:g}" if isinstance(value, float | int) else value
        if shown in self.tokens:
            return self.tokens[shown]
        if self.kind is SettingKind.SWITCH:
            return shown.upper()
        if self.kind is SettingKind.WORD:
            return shown.upper()
        return shown

    def understood(self, text: str) -> float | str:
        """Read an answer of the device. Raises ValueError when it is not a value of this setting."""
        plain = text.strip().strip('"')
        for value, token in self.tokens.items():
            if same_word(token, plain) or _equal_numbers(token, plain):
                return self.normal(value)
        if self.kind is SettingKind.SWITCH:
            return _switch(plain)
        if self.kind is SettingKind.NUMBER:
            if self.values and all(self.tokens.get(f"{value:g}", "").isdecimal() for value in self.values):
                raise ValueError(f"{plain} is not a value of {self.name}")
            return _number(plain)
        return next((allowed for allowed in self.values if same_word(str(allowed), plain)), plain)

    def same(self, first: float | str, other: float | str) -> bool:
        """Return whether two values are the same setting."""
        if isinstance(first, float | int) and isinstance(other, float | int):
            return close(first, other)
        return same_word(str(first), str(other)) or same_word(str(other), str(first))

    @model_validator(mode="after")
    def _values_fit(self) -> Self:
        if self.kind is SettingKind.WORD and not self.values:
            raise ValueError(f"the setting {self.name} is a word and needs a list of its values")
        for value in (self.hold, self.power_on):
            if value is not None:
                self.normal(value)
        if self.hold is not None and not self.read_back and self.restore:
            raise ValueError(f"the setting {self.name} cannot be read, so it cannot be restored")
        return self


def close(first: float, other: float) -> bool:
    """Return whether two numbers are the same setting; instruments answer with three or four digits."""
    return abs(first - other) <= 1e-3 * max(abs(first), abs(other))


def _switch(value: object) -> str:
    if isinstance(value, bool):
        return ON if value else OFF
    text = str(value).strip().upper()
    if text in _ON_WORDS:
        return _ON_WORDS[text]
    try:
        return ON if round(float(text)) else OFF
    except (ValueError, OverflowError):
        raise ValueError(f"{value} is neither {ON} nor {OFF}") from None


def _number(value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        raise ValueError(f"{value} is not a number") from None
    if number != number or abs(number) == float("inf"):
        raise ValueError(f"{value} is not a number")
    return number


def _equal_numbers(first: str, other: str) -> bool:
    try:
        return close(_number(first), _number(other))
    except ValueError:
        return False
