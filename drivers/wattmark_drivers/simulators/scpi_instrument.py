"""A simulated analyser: any declaration of the engine `scpi` becomes an instrument that obeys it. No port."""

from __future__ import annotations

import re
import struct
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wattmark_drivers.catalogue.scpi_header import match, same_word, short, spoken
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.scpi_query import AnswerField, Encoding, FreshBy, Query
from wattmark_drivers.simulators.meter_model import Indication
from wattmark_drivers.simulators.scpi_grammar import Unit, units
from wattmark_drivers.simulators.scpi_settings import OutOfRangeError, Settings
from wattmark_drivers.simulators.scpi_values import Inputs, belongs_to_sum, shown

UNDEFINED_HEADER = '113,"Undefined header"'
OUT_OF_RANGE = '222,"Data out of range"'
MOST_ERRORS = 20
MOST_ITEMS = 255
EVENT_EDGES = ("FALL", "BOTH")
COMMON = {
    "*CLS": None,
    "*RST": None,
    "*OPC": None,
    "*WAI": None,
    "*OPC?": "1",
    "*ESR?": "0",
    "*STB?": "0",
    "*SRE": None,
}
"""Common commands of IEEE 488.2 that every instrument has."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, and how long the instrument takes until it gives it [s]."""

    data: bytes
    delay_s: float = 0.0


class ScpiInstrument:
    """Keeps settings, items, registers and errors; what the declaration does not name is an error, as in reality."""

    def __init__(self, table: ScpiMap, serial: str, default_period_s: float, now: Callable[[], float]) -> None:
        self._table = table
        self._serial = serial
        self._default_period_s = default_period_s
        self._now = now
        self.settings = Settings(table)
        self._inputs = Inputs(table)
        self._live: Indication | None = None
        self._latched: Indication | None = None
        self._cycles = 0
        self._due_s = now()
        self._event = False
        self._errors: deque[str] = deque(maxlen=MOST_ERRORS)
        self._items: dict[int, dict[int, str]] = {}
        self._counts: dict[int, int] = {}
        self._integration = table.integration.idle if table.integration else ""
        self._energy_start_wh = 0.0
        self.saturated = 0
        """How many measuring answers more show everything above its range."""
        self.pushing = False
        self._pushed: Query | None = None
        self._pushed_items: Sequence[str] = ()

    @property
    def period_s(self) -> float:
        """The update period in use [s]."""
        value = self.settings.get(self._table.update_setting or "")
        return value if isinstance(value, float) and value > 0 else self._default_period_s

    def show(self, indication: Indication) -> None:
        """Take over what lies on the inputs; it is shown from the next update on."""
        self._live = indication
        if self._latched is None:
            self._latch()

    def receive(self, line: str) -> Reply | None:
        """Obey a message; one answer for all its queries, None when there is none."""
        self._pass_time()
        try:
            whole = self._whole_message(line)
        except OutOfRangeError:
            self._errors.append(OUT_OF_RANGE)
            return None
        if whole is not None:
            return Reply(whole)
        answers: list[bytes] = []
        delay_s = 0.0
        for unit in units(line):
            reply = self._obey(unit)
            if reply is not None:
                answers.append(reply.data)
                delay_s += reply.delay_s
        return Reply(b";".join(answers), delay_s) if answers else None

    def push(self) -> bytes | None:
        """Give the line of the present update while pushing; call it once per update period."""
        self._pass_time()
        return self._measured(self._pushed, self._pushed_items) if self.pushing and self._pushed else None

    def _pass_time(self) -> None:
        """Make the updates that are due. The edge of the updating bit falls with each."""
        while self._now() >= self._due_s:
            self._due_s += self.period_s
            if self._now() - self._due_s > self.period_s:
                self._due_s = self._now() + self.period_s
            if not self.settings.is_on("display_hold"):
                self._latch()
                self._cycles += 1
                edge = self.settings.get("update_filter")
                self._event = self._event or edge is None or str(edge).upper() in EVENT_EDGES

    def _latch(self) -> None:
        self._latched = self._live
        ranges = self._table.ranges
        for kind in (ranges.voltage, ranges.current) if ranges and self._live else ():
            if kind.auto and self.settings.is_on(kind.auto) and self._live is not None:
                now = self.settings.nominal(kind)
                self.settings.choose(kind, self._inputs.best(self._live, kind, self.settings.row(kind), now))

    def _obey(self, unit: Unit) -> Reply | None:
        try:
            found = self._special(unit)
            if found is not None:
                return found if found.data else None
            if unit.header.endswith("?"):
                text = self.settings.answer(unit.header)
                if text is not None:
                    return Reply(text.encode("ascii"))
            elif self._write(unit):
                return None
        except OutOfRangeError:
            self._errors.append(OUT_OF_RANGE)
            return None
        self._errors.append(UNDEFINED_HEADER)
        return None

    def _write(self, unit: Unit) -> bool:
        """Write a setting; a new update period begins at once."""
        before = self.period_s
        known = self.settings.write(unit.header, unit.data)
        if self.period_s != before:
            self._due_s = self._now() + self.period_s
        return known

    def _special(self, unit: Unit) -> Reply | None:
        """Answer what is no setting; an empty reply for a command that was obeyed, None for an unknown header."""
        for handle in (self._common, self._register, self._measure, self._select, self._integrate, self._known):
            reply = handle(unit)
            if reply is not None:
                return reply
        return None

    def _common(self, unit: Unit) -> Reply | None:
        header = unit.header.upper()
        identification = self._table.identification
        if match(identification.ask, unit.header):
            return Reply(identification.simulated.format(serial=self._serial).encode("ascii"))
        if header not in COMMON:
            return None
        if header == "*CLS":
            self._errors.clear()
            self._event = False
        elif header == "*RST":
            self.settings.reset()
        return Reply((COMMON[header] or "").encode("ascii"))

    def _register(self, unit: Unit) -> Reply | None:
        errors, over, fresh = self._table.errors, self._table.over_range, self._table.fresh
        if errors and match(errors.ask, unit.header):
            none = f'{errors.none},"NO ERROR"'
            return Reply((self._errors.popleft() if self._errors else none).encode("ascii"))
        if over and match(over.ask, unit.header):
            return Reply(str(self._condition()).encode("ascii"))
        if fresh.by is FreshBy.EVENT and match(fresh.ask, unit.header):
            value, self._event = int(self._event) << fresh.bit, False
            return Reply(str(value).encode("ascii"))
        if fresh.by is FreshBy.WAIT and self._is(fresh.ask, unit):
            return Reply(b"1", max(0.0, self._due_s - self._now()))
        if fresh.clear and self._is(fresh.clear, unit):
            return Reply(b"0")
        if fresh.by is FreshBy.PUSH and (self._is(fresh.start, unit) or self._is(fresh.stop, unit)):
            self.pushing = self._is(fresh.start, unit)
            return Reply(b"")
        return None

    def _measure(self, unit: Unit) -> Reply | None:
        for number, query in enumerate(self._table.queries):
            ask, _, arguments = query.ask.partition(" ")
            if not match(ask, unit.header):
                continue
            if "{items}" in arguments:
                items = [item.strip() for item in unit.data.split(query.joiner)]
            elif query.select:
                chosen = self._items.get(number, {})
                items = [chosen.get(n, "NONE") for n in range(1, self._counts.get(number, len(chosen)) + 1)]
            elif unit.data == arguments:
                items = [field.item for field in query.fields]
            else:
                continue
            return Reply(self._measured(query, items))
        return None

    def _whole_message(self, line: str) -> bytes | None:
        """Recognise a request that is itself made of several units, with its list of items inside."""
        for query in self._table.queries:
            if ";" in query.ask and "{items}" in query.ask:
                before, _, after = spoken(query.ask).partition("{items}")
                found = re.fullmatch(f"{re.escape(before)}(.*){re.escape(after)}", line.strip(), re.IGNORECASE)
                if found:
                    self._pushed, self._pushed_items = query, found[1].split(query.joiner)
                    return self._measured(query, self._pushed_items)
        return None

    def _measured(self, query: Query, items: Sequence[str]) -> bytes:
        """Write the values of the present update in the order of the items."""
        saturated = self.saturated > 0
        self.saturated = max(0, self.saturated - 1)
        by_index = not query.select and "{items}" not in query.ask
        if by_index:
            texts = [self._nothing()] * (query.length or len(query.fields))
            for number, field in enumerate(query.fields):
                texts[number if field.index is None else field.index] = self._text(field, saturated)
        else:
            texts = []
            for item in items:
                known = self._field(query, item)
                if known is None and item.upper() != "NONE":
                    raise OutOfRangeError
                text = self._nothing() if known is None else self._text(known, saturated)
                texts.append(f"{known.name} {text}" if known and query.named else text)
        if query.encoding is Encoding.FLOAT32 or same_word("FLOat", str(self.settings.get("number_format"))):
            body = b"".join(struct.pack(">f", _as_float(text)) for text in texts)
            return b"#4%04d%s" % (len(body), body)
        return query.separator.join(texts).encode("ascii")

    def _nothing(self) -> str:
        return self._table.invalid[0] if self._table.invalid else "NAN"

    def _text(self, field: AnswerField, saturated: bool) -> str:
        indication = self._latched
        if indication is None:
            return self._nothing()
        special = {"count": float(self._cycles % 65536), "duration": self.period_s}
        if field.quantity in special:
            return shown(special[field.quantity], field, over=False, table=self._table)
        if field.integrates:
            integrating = self._table.integration and not same_word(self._table.integration.idle, self._integration)
            value = indication.energy_wh - self._energy_start_wh if integrating else float("nan")
            return shown(value, field, over=False, table=self._table)
        over = (saturated or self._is_over(field, indication)) and field.quantity != "frequency"
        return shown(self._inputs.quantity(indication, field), field, over=over, table=self._table)

    def _is_over(self, field: AnswerField, indication: Indication) -> bool:
        elements = self._table.elements if belongs_to_sum(field) else [field.element]
        return any(self._exceeds(indication, one)[0] for one in elements if isinstance(one, int))

    def _exceeds(self, indication: Indication, element: int) -> tuple[bool, bool, bool]:
        return self._inputs.exceeds(
            indication, element, lambda kind: self.settings.nominal(kind, element), self.settings.crest_factor
        )

    def _condition(self) -> int:
        """Write the condition register: for each element its over-range bit, then its peak bits."""
        over, indication = self._table.over_range, self._latched
        register = 0
        for element, bits in over.bits.items() if over and indication else ():
            elements = self._table.elements if element == 0 else (element,)
            flags = [self._exceeds(indication, one) for one in elements] if indication else []
            for place, bit in enumerate(bits):
                one_bit = any(any(flag) if len(bits) == 1 else flag[min(place, 2)] for flag in flags)
                register |= int(one_bit or self.saturated > 0) << bit
        return register

    def _select(self, unit: Unit) -> Reply | None:
        for number, query in enumerate(self._table.queries):
            if query.selected and (found := match(query.selected, unit.header)):
                item = self._items.get(number, {}).get(int(found[1] or 1), "NONE")
                return Reply(item.encode("ascii"))
            if query.select and (found := match(query.select, unit.header)):
                self._choose(number, query, found.groups(), unit)
                return Reply(b"")
            if query.count and match(f"{query.count.partition(' ')[0]}?", unit.header):
                return Reply(str(self._counts.get(number, 0)).encode("ascii"))
            if query.count and match(query.count, unit.header):
                if not unit.data.isdecimal() or not 1 <= int(unit.data) <= MOST_ITEMS:
                    raise OutOfRangeError
                self._counts[number] = int(unit.data)
                return Reply(b"")
        return None

    def _choose(self, number: int, query: Query, groups: Sequence[str | None], unit: Unit) -> None:
        chosen = self._items.setdefault(number, {})
        named = groups[0] if groups and groups[0] else ""
        place = int(named) if named.isdecimal() else len(chosen) + 1
        item = unit.data.upper() or named.upper()
        if item != "NONE" and self._field(query, item) is None:
            raise OutOfRangeError
        chosen[place] = item

    def _field(self, query: Query, item: str) -> AnswerField | None:
        """Find the field that an item names; the item of a single element stands for the sum's quantity there."""
        for field in query.fields:
            if _same_item(field.item, item):
                return field
            for element in self._table.elements if field.single else ():
                if _same_item(field.single.replace("<x>", str(element)), item):
                    return field.model_copy(update={"element": element})
        return None

    def _integrate(self, unit: Unit) -> Reply | None:
        integration = self._table.integration
        if integration is None:
            return None
        if match(integration.state, unit.header):
            word = self._integration
            return Reply((word if self.settings.is_on("verbose") else short(word)).upper().encode("ascii"))
        for command, state in (
            (integration.start, integration.running),
            (integration.stop, integration.stopped),
            (integration.reset, integration.idle),
        ):
            if self._is(command, unit):
                if state == integration.running and self._latched is not None:
                    self._energy_start_wh = self._latched.energy_wh
                self._integration = state
                return Reply(b"")
        return None

    def _known(self, unit: Unit) -> Reply | None:
        names = {item.name: self.settings.get(item.name) for item in self._table.settings}
        for known in self._table.known:
            if self._is(known.command, unit):
                texts = {
                    name: self.settings.written(self._table.setting(name), value)
                    for name, value in names.items()
                    if value is not None and f"{{{name}}}" in (known.answer or "")
                }
                return Reply((known.answer or "").format(**texts).encode("ascii"))
        for command in (*self._table.enter, *self._table.leave):
            if self._is(command, unit):
                return Reply(b"")
        return None

    @staticmethod
    def _is(command: str, unit: Unit) -> bool:
        header, _, data = command.partition(" ")
        return match(header, unit.header) is not None and data.upper() == unit.data.upper()


def _same_item(one: str, other: str) -> bool:
    left, right = ([part.strip().upper() for part in text.split(",")] for text in (one, other))
    return len(left) == len(right) and all(
        a == b or (len(b) >= 3 and a.startswith(b)) for a, b in zip(left, right, strict=True)
    )


def _as_float(text: str) -> float:
    return float("9.9E+37") if text.upper() == "INF" else float(text)
