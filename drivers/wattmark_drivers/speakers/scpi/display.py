"""What an analyser answers when it is asked to measure: chosen items, values of one update, over-range."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence

from wattmark_drivers.catalogue.scpi_header import match, same_word, spoken
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.scpi_query import AnswerField, Encoding, Query
from wattmark_drivers.speakers.indication import RANGED, Indication
from wattmark_drivers.speakers.scpi.grammar import Unit
from wattmark_drivers.speakers.scpi.settings import InstrumentSettings, OutOfRangeError
from wattmark_drivers.speakers.scpi.values import SIMULATED_START_S, Inputs, belongs_to_sum, moment, shown

MOST_ITEMS = 255
COUNTS = 65536
"""A counter of cycles begins again here, as that of the ZES LMG95 does."""


class Display:
    """Shows the values of one update; the instrument latches a new one with each."""

    def __init__(self, table: ScpiMap, settings: InstrumentSettings, *, behind_face: bool = False) -> None:
        self._table = table
        self._settings = settings
        self._behind_face = behind_face
        self._inputs = Inputs(table, behind_face=behind_face)
        self._latched: Indication | None = None
        self._cycles = 0
        self._period_s = self._elapsed_s = 0.0
        self._items: dict[int, dict[int, str]] = {}
        self._counts: dict[int, int] = {}
        self._energy_start_wh: float | None = None
        self._asked: tuple[Query, Sequence[str]] | None = None
        self.saturated = 0
        """How many measuring answers more show everything above its range."""
        self.over = False
        """Whether the meter behind is above its range, where that is told instead of found by the ranges set here."""

    @property
    def blank(self) -> bool:
        """Return whether nothing was latched yet."""
        return self._latched is None

    def latch(self, indication: Indication | None, period_s: float) -> None:
        """Show another update; auto-range follows it."""
        if self._behind_face:
            self._latch_reading(indication)
            return
        self._latched, self._period_s = indication, period_s
        self._cycles += 1
        self._elapsed_s += period_s
        ranges = self._table.ranges
        for kind in (ranges.voltage, ranges.current) if ranges and indication else ():
            if kind.auto and self._settings.is_on(kind.auto) and indication is not None:
                now = self._settings.nominal(kind)
                self._settings.choose(kind, self._inputs.best(indication, kind, self._settings.row(kind), now))

    def _latch_reading(self, indication: Indication | None) -> None:
        """Show a reading of the meter behind, or that it has none: then count and energy begin anew.

        What was missed in between is not known, so that no count may look as if nothing had been.
        """
        before, self._latched = self._latched, indication
        if indication is None:
            self._cycles, self._energy_start_wh = 0, None
        elif before is None or not before.stamps or not indication.stamps:
            self._cycles, self._period_s = self._cycles + 1, math.nan
        elif before.stamps != indication.stamps:  # else it is the same reading once more
            period_s = (max(indication.stamps) - max(before.stamps)) / 1e9
            self._cycles, self._period_s = self._cycles + 1, period_s if period_s > 0 else math.nan

    def integrate(self, *, running: bool) -> None:
        """Start to count energy from here, or have none."""
        self._energy_start_wh = self._latched.energy_wh if running and self._latched else None

    def again(self) -> bytes | None:
        """Return the answer to the last request once more, for what is now shown."""
        return self._measured(*self._asked) if self._asked else None

    def measure(self, unit: Unit) -> bytes | None:
        """Return the answer to a measuring request; None for another. Raises `OutOfRangeError`."""
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
                items = [field.item for field in query.answered]
            else:
                continue
            return self._measured(query, items)
        return None

    def measure_message(self, line: str) -> bytes | None:
        """Recognise a request that is itself made of several units, with its list of items inside."""
        for query in self._table.queries:
            if ";" in query.ask and "{items}" in query.ask:
                before, _, after = spoken(query.ask).partition("{items}")
                match_ = re.fullmatch(f"{re.escape(before)}(.*){re.escape(after)}", line.strip(), re.IGNORECASE)
                if match_:
                    return self._measured(query, match_[1].split(query.joiner))
        return None

    def _measured(self, query: Query, items: Sequence[str]) -> bytes:
        """Write the values of the present update in the order of the items."""
        self._asked = (query, items)
        saturated = self.saturated > 0
        self.saturated = max(0, self.saturated - 1)
        by_index = not query.select and "{items}" not in query.ask
        if by_index:
            answered = query.answered
            texts = [self._nothing()] * (query.length or len(answered))
            for number, field in enumerate(answered):
                texts[number if field.index is None else field.index] = self._text(field, saturated)
        else:
            texts = []
            for item in items:
                value = self._field(query, item)
                if value is None and item.upper() != "NONE":
                    raise OutOfRangeError
                text = self._nothing() if value is None else self._text(value, saturated)
                texts.append(f"{value.name} {text}" if value and query.named else text)
        if query.encoding is Encoding.FLOAT32 or same_word("FLOat", str(self._settings.get("number_format"))):
            body = b"".join(struct.pack(">f", _as_float(text)) for text in texts)
            return b"#4%04d%s" % (len(body), body)
        return query.separator[0].join(texts).encode("ascii")

    def _nothing(self) -> str:
        return self._table.invalid[0] if self._table.invalid else "NAN"

    def _text(self, field: AnswerField, saturated: bool) -> str:
        indication = self._latched
        if indication is None:
            over = self.over and field.quantity in RANGED
            return shown(math.nan, field, over=True, table=self._table) if over else self._nothing()
        if field.quantity == "time" and not self._behind_face:
            return moment(SIMULATED_START_S + self._elapsed_s)
        if field.quantity == "time":
            return self._nothing() if indication.t_ns is None else moment(indication.t_ns / 1e9)
        if field.quantity in ("count", "duration"):
            special = float(self._cycles % COUNTS) if field.quantity == "count" else self._period_s
            return shown(special, field, over=False, table=self._table)
        if field.integrates:
            return shown(self._integrated_wh(indication), field, over=False, table=self._table)
        over = (saturated or self._is_over(field, indication)) and field.quantity != "frequency"
        return shown(self._inputs.quantity(indication, field), field, over=over, table=self._table)

    def _integrated_wh(self, indication: Indication) -> float:
        """Return the energy since the start; NaN where it is not known: a register that went back was reset."""
        start_wh, energy_wh = self._energy_start_wh, indication.energy_wh
        if start_wh is None or energy_wh is None or energy_wh < start_wh:
            return math.nan
        return energy_wh - start_wh

    def _is_over(self, field: AnswerField, indication: Indication) -> bool:
        if self._behind_face:
            return False
        elements = self._table.elements if belongs_to_sum(field) else [field.element]
        return any(self._exceeds(indication, element)[0] for element in elements if isinstance(element, int))

    def _exceeds(self, indication: Indication, element: int) -> tuple[bool, bool, bool]:
        return self._inputs.exceeds(
            indication, element, lambda kind: self._settings.nominal(kind, element), self._settings.crest_factor
        )

    def condition(self) -> int:
        """Write the condition register: for each element its over-range bit, then its peak bits."""
        over, indication = self._table.over_range, self._latched
        register = 0
        for element, bits in over.bits.items() if over and indication else ():
            elements = self._table.elements if element == 0 else (element,)
            flags = (
                [self._exceeds(indication, element) for element in elements]
                if indication and not self._behind_face
                else []
            )
            for place, bit in enumerate(bits):
                one_bit = any(any(flag) if len(bits) == 1 else flag[min(place, 2)] for flag in flags)
                register |= int(one_bit or self.over or self.saturated > 0) << bit
        return register

    def select(self, unit: Unit) -> bytes | None:
        """Obey or answer what chooses the items; nothing to send is empty, None for another header."""
        for number, query in enumerate(self._table.queries):
            if query.clear and match(query.clear, unit.header):
                self._items[number] = {}
                return b""
            if query.selected and (header := match(query.selected, unit.header)):
                item = self._items.get(number, {}).get(int(header[1] or 1), "NONE")
                return item.encode("ascii")
            if query.select and (header := match(query.select, unit.header)):
                self._choose(number, query, header.groups(), unit)
                return b""
            if query.count and match(f"{query.count.partition(' ')[0]}?", unit.header):
                return str(self._counts.get(number, 0)).encode("ascii")
            if query.count and match(query.count, unit.header):
                if not unit.data.isdecimal() or not 1 <= int(unit.data) <= MOST_ITEMS:
                    raise OutOfRangeError
                self._counts[number] = int(unit.data)
                return b""
        return None

    def _choose(self, number: int, query: Query, groups: Sequence[str | None], unit: Unit) -> None:
        chosen = self._items.setdefault(number, {})
        named = groups[0] if groups and groups[0] else ""
        place = int(named) if named.isdecimal() else len(chosen) + 1
        item = unit.data.upper() or named.upper()
        if not 1 <= place <= MOST_ITEMS:
            raise OutOfRangeError
        if item != "NONE" and self._field(query, item) is None:
            raise OutOfRangeError
        chosen[place] = item

    def _field(self, query: Query, item: str) -> AnswerField | None:
        """Find the field that an item names; the item of a single element stands for the sum's quantity there."""
        for field in query.answered:
            if _same_item(field.item, item):
                return field
            for element in self._table.elements if field.single else ():
                if _same_item(field.single.replace("<x>", str(element)), item):
                    return field.model_copy(update={"element": element})
        return None


def _same_item(first: str, other: str) -> bool:
    left, right = ([part.strip().upper() for part in text.split(",")] for text in (first, other))
    return len(left) == len(right) and all(
        a == b or (len(b) >= 3 and a.startswith(b)) for a, b in zip(left, right, strict=True)
    )


def _as_float(text: str) -> float:
    return float("9.9E+37") if text.upper() == "INF" else float(text)
