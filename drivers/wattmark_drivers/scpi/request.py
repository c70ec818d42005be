"""The measuring request: wait for an update, ask, decode, and add what the device's registers say about it."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wattmark_drivers.catalogue.scpi_header import same_word, spoken
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.scpi_query import AnswerField, Encoding, FreshBy, Query
from wattmark_drivers.clock import Clock, Stamp
from wattmark_drivers.errors import BadReply, ConfigurationError, DriverError
from wattmark_drivers.reading import Quality
from wattmark_drivers.scpi.agreement import belong_together
from wattmark_drivers.scpi.answer import AnswerPlace, Value, decode, plain
from wattmark_drivers.scpi.dialogue import ScpiDialogue
from wattmark_drivers.scpi.fresh import PATIENCE, Cycles, CyclesLost, Freshness, OnHold, register
from wattmark_drivers.scpi.setup import place_fields
from wattmark_drivers.scpi.wanted import CheckedOptions


@dataclass(frozen=True, slots=True)
class UpdateValues:
    """The values of one update and when it was."""

    values: Sequence[Value]
    stamp: Stamp


def update_read(noticed: Stamp, values: Stamp, update_period_s: float) -> Stamp:
    """Return when the update ended whose values were read, from the one that was ``noticed`` before.

    Where a slow link or machine took so long that the next one may have ended meanwhile, the stamp covers both.
    """
    first_ns, last_ns = noticed.t_ns - noticed.u_t_ns, values.t_ns + values.u_t_ns
    if last_ns - first_ns < update_period_s * 1e9:
        return noticed
    half_ns = (last_ns - first_ns) // 2
    return Stamp(first_ns + half_ns, half_ns)


class Request:
    """Asks for the values of one update after the other."""

    def __init__(self, table: ScpiMap, dialogue: ScpiDialogue, wanted: CheckedOptions, clock: Clock) -> None:
        self._table = table
        self._dialogue = dialogue
        self._wanted = wanted
        self._clock = clock
        self._freshness = Freshness(table.fresh, dialogue, clock)
        self._counted: float | None = None
        self._cycles = Cycles(table.fresh)
        self._held: UpdateValues | None = None
        self._trip_ns = 0
        self._integrating = False
        placed = [
            (query, place_fields(query, wanted.elements, integrating=wanted.integrate)) for query in table.queries
        ]
        self.plan: list[tuple[Query, list[AnswerPlace]]] = [(query, places) for query, places in placed if places]

    async def start(self) -> None:
        """Start integrating and pushing where requested. Raises a `DriverError`."""
        if self._wanted.integrate:
            await self._integrate()
        await self.start_pushing()

    async def start_pushing(self) -> None:
        """Start the pushed updates of a device. Raises a `DriverError`."""
        if self._table.fresh.by is FreshBy.PUSH:
            query, places = self.plan[0]
            self._cycles, self._held = Cycles(self._table.fresh), None
            self._trip_ns = (await self._dialogue.ask(request_text(query, places))).stamp.u_t_ns
            await self._dialogue.tell(spoken(self._table.fresh.start))

    async def stop(self) -> None:
        """Stop pushing and integrating. Never raises."""
        with contextlib.suppress(DriverError):
            await self.stop_pushing()
            if self._integrating and self._table.integration:
                await self._dialogue.tell(spoken(self._table.integration.stop))

    async def stop_pushing(self) -> None:
        """Stop the pushed updates, and wait until the device has confirmed. Raises a `DriverError`."""
        if self._table.fresh.by is FreshBy.PUSH:
            await self._dialogue.break_in(spoken(self._table.fresh.stop))
            await self._dialogue.ask(self._table.identification.ask)

    async def take(self, update_period_s: float) -> UpdateValues:
        """Return the next update. Raises `BadReply`, `NoAnswer`, `ConnectionFailed`."""
        if self._table.fresh.by is FreshBy.PUSH:
            return await self._listen(update_period_s)
        updated = await self._freshness.wait(update_period_s)
        taken = await self._ask_until_new(update_period_s)
        over = await self._over_range()
        values = [self._judge(value, over) for value in taken.values]
        stamp = taken.stamp if updated is None else update_read(updated, taken.stamp, update_period_s)
        return UpdateValues(self._completed(values), stamp)

    def doubt(self) -> None:
        """Mark the last answer as senseless."""
        self._dialogue.doubt()

    async def _ask_until_new(self, update_period_s: float) -> UpdateValues:
        """Poll; where a counter numbers the cycles, again until it has moved."""
        counts = self._table.fresh.by is FreshBy.COUNTER
        deadline_ns = self._clock.monotonic_ns() + int(PATIENCE * update_period_s * 1e9 + 1e9)
        while True:
            taken = await self._ask(update_period_s)
            if not counts or self._has_moved(taken):
                return taken
            if self._clock.monotonic_ns() > deadline_ns:
                raise OnHold(
                    f"{self._dialogue.label} reports no new measurement cycle.", "Check that it is not on hold."
                )
            await self._clock.sleep(min(self._table.fresh.pause_s, update_period_s / 5))

    def _has_moved(self, taken: UpdateValues) -> bool:
        count = next(value.value for value in taken.values if value.field.channel == self._table.fresh.channel)
        before, self._counted = self._counted, count
        return before is not None and before != count

    async def _ask(self, update_period_s: float) -> UpdateValues:
        values: list[Value] = []
        stamps: list[Stamp] = []
        patience_s = PATIENCE * update_period_s if self._table.fresh.by is FreshBy.REQUEST else 0.0
        for query, places in self.plan:
            block = query.encoding is Encoding.FLOAT32
            answer = await self._dialogue.ask(request_text(query, places), patience_s=patience_s, block=block)
            values += self._decoded(query, places, answer.data)
            stamps.append(answer.stamp)
        first, last = stamps[0], stamps[-1]
        half_ns = (last.t_ns + last.u_t_ns - first.t_ns + first.u_t_ns) // 2
        return UpdateValues(values, Stamp(first.t_ns - first.u_t_ns + half_ns, half_ns))

    async def _listen(self, update_period_s: float) -> UpdateValues:
        """Return the next line; a missing cycle before it is reported first, as a separate gap."""
        if self._held is not None:
            taken, self._held = self._held, None
            return taken
        query, places = self.plan[0]
        arrival = await self._dialogue.listen(PATIENCE * update_period_s)
        try:
            values = decode(self._table, query, places, arrival.data)
        except BadReply:
            self._cycles.skip()
            raise
        stamp = Stamp(arrival.stamp.t_ns - self._trip_ns, self._trip_ns)
        taken = UpdateValues(self._completed(values), stamp)
        lost = self._cycles.lost(values)
        if lost:
            self._held = taken
            raise CyclesLost(f"{self._dialogue.label} lost {lost} cycles.", "The line or the computer was too slow.")
        return taken

    def _completed(self, values: Sequence[Value]) -> list[Value]:
        """Check that the values belong together, and add the sums that the device does not give."""
        vouched = _vouched(values)
        sums = [field for field in self._table.measured if field.summed]
        return [*vouched, *(added_up(field, vouched) for field in sums)]

    def _decoded(self, query: Query, places: Sequence[AnswerPlace], data: bytes) -> list[Value]:
        try:
            return decode(self._table, query, places, data)
        except BadReply:
            self._dialogue.doubt()
            raise

    async def _over_range(self) -> frozenset[int]:
        """Read which elements are over their range; 0 means the whole device."""
        over = self._table.over_range
        if over is None:
            return frozenset()
        overs = register(plain((await self._dialogue.ask(spoken(over.ask))).text), self._dialogue)
        return frozenset(element for element, bits in over.bits.items() if any(overs >> bit & 1 for bit in bits))

    def _judge(self, value: Value, over: frozenset[int]) -> Value:
        """Flag a value whose element is over its range; a sum is over with any of its elements."""
        element = value.field.element
        own = over & {0, element} if isinstance(element, int) else over & {0, *self._wanted.elements}
        return replace(value, quality=value.quality | Quality.OVER_RANGE) if own else value

    async def _integrate(self) -> None:
        integration = self._table.integration
        if integration is None:
            return
        state = plain((await self._dialogue.ask(spoken(integration.state))).text)
        if same_word(integration.running, state):
            return
        if not same_word(integration.idle, state):
            await self._dialogue.tell(spoken(integration.reset))
        await self._dialogue.tell(spoken(integration.start))
        now = plain((await self._dialogue.ask(spoken(integration.state))).text)
        if not same_word(integration.running, now):
            raise ConfigurationError(
                f"{self._dialogue.label} does not integrate: it reports {now}.", "Reset it by hand."
            )
        self._integrating = True


def request_text(query: Query, places: Sequence[AnswerPlace]) -> str:
    """Write the request, with its list of items where it has one."""
    return spoken(query.ask).replace("{items}", query.joiner.join(place.item for place in places))


def _vouched(values: Sequence[Value]) -> list[Value]:
    """Mark all values as implausible when they contradict each other: one of them was changed on the way."""
    if belong_together(values):
        return list(values)
    return [replace(value, quality=value.quality | Quality.IMPLAUSIBLE) for value in values]


def added_up(field: AnswerField, values: Sequence[Value]) -> Value:
    """Compute the sum of a quantity over the measured elements; each doubt about a part applies to the sum."""
    parts = [
        value for value in values if value.field.quantity == field.quantity and isinstance(value.field.element, int)
    ]
    if not parts:
        return Value(field, math.nan, Quality.INVALID)
    quality = Quality.GOOD
    for part in parts:
        quality |= part.quality
    total = math.fsum(part.value for part in parts)
    fits = field.limits is None or math.isnan(total) or field.limits[0] <= total <= field.limits[1]
    return Value(field, total, quality if fits else quality | Quality.IMPLAUSIBLE)
