"""Set an analyser up for measuring, read every setting back, and leave it as it was found."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence

from wattmark_drivers.catalogue.scpi_header import spoken
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.scpi_query import AnswerField, Query
from wattmark_drivers.catalogue.scpi_setting import ON, Setting
from wattmark_drivers.catalogue.source import Status
from wattmark_drivers.errors import BadReply, ConfigurationError, DriverError
from wattmark_drivers.scpi.answer import AnswerPlace, plain
from wattmark_drivers.scpi.dialogue import ScpiDialogue
from wattmark_drivers.scpi.links import NoAnswer

_WORD = re.compile(r"[A-Za-z0-9]{1,12}")
MOST_ERRORS = 50
"""Entries of an error queue that are read before giving up."""
Value = float | str


class Setup:
    """Changes settings and remembers what they were."""

    def __init__(
        self, dialogue: ScpiDialogue, table: ScpiMap, elements: Sequence[int], owed: Sequence[str] = ()
    ) -> None:
        self._dialogue = dialogue
        self._table = table
        self._elements = tuple(elements)
        self.owed = list(owed)
        """Commands that put back what was found; after a device was lost they are owed at the next closing."""
        self._noted: set[tuple[str, int | None]] = set()
        """Settings whose first value is among them: what was found is put back, not what came between."""
        self._silent: set[str] = set()
        self.in_use: dict[str, Value] = {}
        """The value of every setting that could be read, by name."""

    async def forget_errors(self) -> None:
        """Empty the error queue, so that what comes later is ours."""
        for _ in range(MOST_ERRORS):
            if await self.error() is None:
                return

    async def error(self) -> str | None:
        """Read one entry of the error queue; None when it is empty or the device has none."""
        queue = self._table.errors
        if queue is None:
            return None
        text = plain((await self._dialogue.ask(spoken(queue.ask))).text)
        number, _, _ = text.partition(",")
        try:
            code = int(number)
        except ValueError:
            self._dialogue.doubt()
            raise BadReply(f"{self._dialogue.label} answered a query for errors with {text[:40]!r}.") from None
        return None if code == queue.none else text

    async def check_errors(self) -> None:
        """Raise `ConfigurationError` when the device complains about the set-up."""
        for _ in range(MOST_ERRORS):
            error = await self.error()
            if error is None:
                return
            if self._table.errors and int(error.partition(",")[0]) not in self._table.errors.keep:
                raise ConfigurationError(
                    f"{self._dialogue.label} reported the error {error} after setup.",
                    "Look up the number in its manual, and check the options of the meter.",
                )

    async def apply(self, name: str, value: Value | None) -> None:
        """Bring a setting to a value, or to what measuring needs; None leaves it as found where nothing is needed.

        Raises `ConfigurationError` naming the setting when the device does not take the value.
        """
        setting = self._table.setting(name)
        target = setting.hold if value is None else value
        for element in self.elements_of(setting):
            in_use = await self.read(setting, element)
            if in_use is not None:
                self.in_use[name] = in_use
            if target is None or (in_use is not None and setting.same(in_use, target)):
                continue
            if setting.restore and in_use is not None:
                self._owe(setting, element, in_use)
            await self._dialogue.tell(self._command(setting, element, target))
            now = await self.read(setting, element)
            if now is not None and not setting.same(now, target):
                raise ConfigurationError(
                    f"{self._dialogue.label}: the setting {name} was set to {_shown(target)} and reads {_shown(now)}.",
                    f"Use {setting.allowed}, and check in the manual what the setting depends on.",
                )
            self.in_use[name] = target

    async def fix(self, auto: str, name: str, value: Value | None) -> None:
        """Stop the auto-range of a device that ends it when a range is written: write the range, or the one found."""
        automatic, setting = self._table.setting(auto), self._table.setting(name)
        for element in self.elements_of(automatic):
            if await self.read(automatic, element) == ON:
                target = await self.read(setting, element) if value is None else value
                self._owe(automatic, element, ON)
                if target is not None:
                    await self._dialogue.tell(self._command(setting, element, target))
        await self.apply(auto, None)
        if self.in_use.get(auto) == ON:
            raise ConfigurationError(
                f"{self._dialogue.label} stays in auto-range.", "Set the ranges on the instrument, then try again."
            )
        await self.apply(name, value)

    async def remember(self, name: str) -> None:
        """Put a setting back at the end, although only the device will change it."""
        setting = self._table.setting(name)
        for element in self.elements_of(setting):
            in_use = await self.read(setting, element)
            if in_use is not None:
                self._owe(setting, element, in_use)

    async def change(self, name: str, value: Value) -> None:
        """Set without reading back, for a passing state."""
        setting = self._table.setting(name)
        for element in self.elements_of(setting):
            await self._dialogue.tell(self._command(setting, element, value))

    def elements_of(self, setting: Setting) -> Sequence[int | None]:
        """List the elements that a setting applies to; a single None where it applies to the whole device."""
        return self._elements if setting.per_element else (None,)

    async def read(self, setting: Setting, element: int | None) -> Value | None:
        """Read a setting; a word that is not declared (AUTO) as it is, None when the device does not report it.

        A setting that no source confirms may be missing: a device that does not answer a query of it leaves that open.
        """
        if not setting.read_back or setting.name in self._silent:
            return None
        try:
            answer = await self._dialogue.ask(spoken(setting.read_back, element))
        except NoAnswer:
            if setting.evidence is None or setting.evidence.status is not Status.UNCONFIRMED:
                raise
            self._silent.add(setting.name)
            return None
        text = plain(answer.text)
        try:
            return setting.understood(text)
        except ValueError:
            if _WORD.fullmatch(text):
                return text
            self._dialogue.doubt()
            raise BadReply(
                f"{self._dialogue.label} answered {answer.text[:40]!r} for the setting {setting.name}.",
                "Check the model of the meter.",
            ) from None

    async def select(self, query: Query, places: Sequence[AnswerPlace]) -> None:
        """Select what the device's answers contain, and check that it accepted the list."""
        if query.select is None:
            return
        if query.clear:
            await self._dialogue.tell(spoken(query.clear))
        if query.count:
            await self._tell_count(query, len(places))
        for place in places:
            fill = {"n": place.index + 1, "item": place.item}
            if query.selected is None:
                await self._dialogue.tell(spoken(query.select).format(**fill))
                continue
            ask = spoken(query.selected).format(**fill)
            selected = plain((await self._dialogue.ask(ask)).text)
            if _same_item(selected, place.item):
                continue
            self.owed.append(spoken(query.select).format(n=place.index + 1, item=selected))
            await self._dialogue.tell(spoken(query.select).format(**fill))
            now = plain((await self._dialogue.ask(ask)).text)
            if not _same_item(now, place.item):
                raise ConfigurationError(
                    f"{self._dialogue.label}: item {fill['n']} was set to {place.item} and reads {now}.",
                    "The instrument may not have that element or function; choose other elements.",
                )

    async def restore(self) -> None:
        """Restore the original settings in reverse order, and leave remote control. Never raises; see ``owed``."""
        with contextlib.suppress(DriverError):
            for command in reversed(self.owed):
                await self._dialogue.tell(command)
            if self.owed:
                # A line that is closed with commands under way may lose them; an answer proves that they arrived.
                await self._dialogue.ask(self._table.identification.ask)
            self.owed.clear()
            for command in self._table.leave:
                await self._dialogue.tell(spoken(command))

    async def _tell_count(self, query: Query, count: int) -> None:
        command = spoken(query.count or "")
        header = command.partition(" ")[0]
        if query.selected is not None:
            answer = plain((await self._dialogue.ask(f"{header}?")).text)
            if answer == str(count):
                return
            self.owed.append(f"{header} {answer}")
        await self._dialogue.tell(command.format(count=count))

    def _owe(self, setting: Setting, element: int | None, found: Value) -> None:
        if (setting.name, element) not in self._noted:
            self._noted.add((setting.name, element))
            self.owed.append(self._command(setting, element, found))

    def _command(self, setting: Setting, element: int | None, value: Value) -> str:
        whole = setting.commands.get(_shown(value))
        return spoken(whole, element) if whole else f"{spoken(setting.command, element)} {setting.written(value)}"


def place_fields(query: Query, elements: Sequence[int], *, integrating: bool) -> list[AnswerPlace]:
    """Choose the fields of a request for the elements in use, with what the device calls them and where they lie."""
    chosen = bool(query.select) or "{items}" in query.ask
    chosen_fields = [
        (number, field)
        for number, field in enumerate(query.answered)
        if (not isinstance(field.element, int) or field.element in elements) and (integrating or not field.integrates)
    ]
    return [
        AnswerPlace(
            field, item_of(field, elements), position if chosen else (number if field.index is None else field.index)
        )
        for position, (number, field) in enumerate(chosen_fields)
    ]


def item_of(field: AnswerField, elements: Sequence[int]) -> str:
    """Return the name of a field for the device; a sum over one element is that element."""
    if field.element == "sum" and len(elements) == 1 and field.single:
        return field.single.replace("<x>", str(elements[0]))
    return field.item


def _same_item(first: str, other: str) -> bool:
    """Compare `P,1` with `P,1`, and `P,SIGM` with `P,SIGMA`."""
    left, right = ([part.strip().upper() for part in text.split(",")] for text in (first, other))
    return len(left) == len(right) and all(
        a == b or (len(min(a, b, key=len)) >= 3 and (a.startswith(b) or b.startswith(a)))
        for a, b in zip(left, right, strict=True)
    )


def _shown(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float | int) else value
