"""An analyser: any declaration of the engine `scpi` becomes an instrument that obeys it. No port."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from wattmark_drivers.catalogue.scpi_header import match, short, spoken
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.scpi_query import FreshBy
from wattmark_drivers.speakers.face import Absent, Face
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.scpi.display import Display
from wattmark_drivers.speakers.scpi.grammar import Unit, units
from wattmark_drivers.speakers.scpi.settings import InstrumentSettings, OutOfRangeError, ProtectedError

UNDEFINED_HEADER = '113,"Undefined header"'
OUT_OF_RANGE = '222,"Data out of range"'
PROTECTED = '-203,"Command protected"'
OVERRUN = '-363,"Input buffer overrun"'
OVERFLOW = '-350,"Queue overflow"'
MOST_ERRORS = 20
EXECUTION_ERROR, COMMAND_ERROR = 1 << 4, 1 << 5
"""Bits of the standard event status register (IEEE 488.2, 11.5.1)."""
ERROR_WAITING = 1 << 2
"""Bit of the status byte: the error queue is not empty (SCPI 1999, volume 1, 9)."""
MOST_UNITS = 64
"""Commands and queries of one message where strangers ask."""
PUSH_PAUSE_S = 0.05
"""At least between two looks for a new reading to push."""
MOST_LINES = 100
"""Lines that wait to be pushed at most."""
EVENT_EDGES = ("FALL", "BOTH")
COMMON = {
    "*CLS": None,
    "*RST": None,
    "*OPC": None,
    "*WAI": None,
    "*OPC?": "1",
    "*SRE": None,
}
"""Common commands of IEEE 488.2 that every instrument has."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, and how long the instrument takes until it gives it [s]."""

    data: bytes
    delay_s: float = 0.0


class ScpiInstrument:
    """Keeps settings, items, registers and errors; what the declaration does not name is an error, as in reality.

    With a face it stands for a meter: each reading is an update, what the meter cannot be told is refused, and nothing
    is shown that the meter did not say.
    """

    def __init__(
        self,
        table: ScpiMap,
        serial: str,
        default_period_s: float,
        now: Callable[[], float],
        face: Face | None = None,
    ) -> None:
        self._table = table
        self._serial = serial
        self._default_period_s = default_period_s
        self._now = now
        self._face = face
        self.settings = InstrumentSettings(table, read_only=face is not None)
        self._display = Display(table, self.settings, behind_face=face is not None)
        self._live: Indication | None = None
        self._due_s = now()
        self._event = False
        self._errors: deque[str] = deque()
        self._event_status = 0
        self._integration = table.integration.idle if table.integration else ""
        self.pushing = False
        self._lines: deque[bytes] = deque(maxlen=MOST_LINES)

    @property
    def period_s(self) -> float:
        """Return the update period in use [s]."""
        value = self.settings.get(self._table.update_setting or "")
        return value if isinstance(value, float) and value > 0 else self._default_period_s

    def show(self, indication: Indication | None, absent: Absent | None = None) -> None:
        """Take over what lies on the inputs; it is shown from the next update on. None: there is no value."""
        self._live = indication
        integration = self._table.integration
        if self._face is not None and indication is None and integration and self._integration == integration.running:
            self._integration = integration.stopped
        if self._face is not None:
            self._display.over = absent == "over-range"
            self._due_s = self._now() + self.period_s
            self._update()
        elif self._display.blank:
            self._display.latch(indication, self.period_s)

    def saturate(self, count: int) -> None:
        """Let the next measuring answers be above every range."""
        self._display.saturated = count

    def receive(self, line: str) -> Reply | None:
        """Obey a message; one answer for all its queries, None when there is none."""
        self._pass_time()
        try:
            whole = self._display.measure_message(line)
        except OutOfRangeError:
            self._fail(OUT_OF_RANGE, EXECUTION_ERROR)
            return None
        if whole is not None:
            return Reply(whole)
        fresh = self._table.fresh
        if fresh.by is FreshBy.WAIT and line.strip().upper() == spoken(fresh.ask).upper():
            return Reply(b"1", max(0.0, self._due_s - self._now()))
        answers: list[bytes] = []
        delay_s = 0.0
        for number, unit in enumerate(units(line)):
            if self._face is not None and number >= MOST_UNITS:
                self.refuse_overrun()
                break
            reply = self._obey(unit)
            if reply is not None:
                answers.append(reply.data)
                delay_s += reply.delay_s
        return Reply(b";".join(answers), delay_s) if answers else None

    def refuse_overrun(self) -> None:
        """Queue the error for a message that is too long to be read."""
        self._fail(OVERRUN, COMMAND_ERROR)

    def _fail(self, error: str, event: int) -> None:
        """Queue an error; of too many the latest ones are lost (SCPI 1999, volume 2, 21.8.1)."""
        self._event_status |= event
        if len(self._errors) < MOST_ERRORS:
            self._errors.append(error)
        else:
            self._errors[-1] = OVERFLOW

    @property
    def next_update_s(self) -> float:
        """Return how long the next update is away [s]."""
        return max(0.0 if self._face is None else PUSH_PAUSE_S, self._due_s - self._now())

    def push(self) -> list[bytes]:
        """Return the lines of the updates since the last call, one each, while pushing."""
        self._pass_time()
        lines = list(self._lines)
        self._lines.clear()
        return lines

    def _pass_time(self) -> None:
        """Create the updates that are due, where they do not come with the readings of a meter."""
        while self._face is None and self._now() >= self._due_s:
            self._due_s += self.period_s
            if self._now() - self._due_s > self.period_s:
                self._due_s = self._now() + self.period_s
            if not self.settings.is_on("display_hold"):
                self._update()

    def _update(self) -> None:
        """Show what lies on the inputs. The edge of the updating bit falls with it."""
        self._display.latch(self._live, self.period_s)
        if self.pushing and (line := self._display.again()) is not None:
            self._lines.append(line)
        edge = self.settings.get("update_filter")
        self._event = self._event or edge is None or str(edge).upper() in EVENT_EDGES

    def _obey(self, unit: Unit) -> Reply | None:
        try:
            special = self._special(unit)
            if special is not None:
                return special if special.data else None
            if unit.header.endswith("?"):
                text = self.settings.answer(unit.header)
                if text is not None:
                    return Reply(text.encode("ascii"))
            elif self._write(unit):
                return None
        except OutOfRangeError:
            self._fail(OUT_OF_RANGE, EXECUTION_ERROR)
            return None
        except ProtectedError:
            self._fail(PROTECTED, EXECUTION_ERROR)
            return None
        self._fail(UNDEFINED_HEADER, COMMAND_ERROR)
        return None

    def _write(self, unit: Unit) -> bool:
        """Write a setting; a new update period begins at once."""
        before = self.period_s
        accepted = self.settings.write(unit.header, unit.data)
        if self.period_s != before:
            self._due_s = self._now() + self.period_s
        return accepted

    def _special(self, unit: Unit) -> Reply | None:
        """Answer what is not a setting; an empty reply for a command that was obeyed, None for an unknown header."""
        for handle in (self._common, self._register, self._show, self._integrate, self._known):
            reply = handle(unit)
            if reply is not None:
                return reply
        return None

    def _common(self, unit: Unit) -> Reply | None:
        header = unit.header.upper()
        identification = self._table.identification
        if match(identification.ask, unit.header):
            return Reply(self._who().encode("ascii", "replace"))
        if header == "*ESR?":
            status, self._event_status = self._event_status, 0
            return Reply(str(status).encode("ascii"))
        if header == "*STB?":
            return Reply(str(ERROR_WAITING if self._errors else 0).encode("ascii"))
        if header not in COMMON:
            return None
        if header == "*CLS":
            self._errors.clear()
            self._event_status = 0
            self._event = False
        elif header == "*RST":
            self.settings.reset()
        return Reply((COMMON[header] or "").encode("ascii"))

    def _who(self) -> str:
        """Write the identification: four fields, 0 for what is unknown (IEEE 488.2, 10.14)."""
        if self._face is None:
            return self._table.identification.simulated.format(serial=self._serial)
        face = self._face
        fields = (face.maker, face.model, face.marked(face.serial), face.firmware)
        return ",".join(field.replace(",", " ").replace(";", " ").strip() or "0" for field in fields)

    def _register(self, unit: Unit) -> Reply | None:
        errors, over, fresh = self._table.errors, self._table.over_range, self._table.fresh
        if errors and match(errors.ask, unit.header):
            none = f'{errors.none},"NO ERROR"'
            return Reply((self._errors.popleft() if self._errors else none).encode("ascii"))
        tells_over = over is not None and match(over.ask, unit.header) is not None
        tells_update = fresh.by is FreshBy.EVENT and match(fresh.ask, unit.header) is not None
        if tells_over or tells_update:
            value = self._display.condition() if tells_over else 0
            if tells_update:
                value, self._event = value | int(self._event) << fresh.bit, False
            return Reply(str(value).encode("ascii"))
        if fresh.clear and self._is(fresh.clear, unit):
            return Reply(b"0")
        if fresh.by is FreshBy.PUSH and (self._is(fresh.start, unit) or self._is(fresh.stop, unit)):
            self.pushing = self._is(fresh.start, unit)
            self._lines.clear()
            return Reply(b"")
        return None

    def _show(self, unit: Unit) -> Reply | None:
        for handle in (self._display.measure, self._display.select):
            answer = handle(unit)
            if answer is not None:
                return Reply(answer, self._measuring_s(unit))
        return None

    def _measuring_s(self, unit: Unit) -> float:
        """Return how long a request that begins a measurement takes until it is done [s]."""
        begins = self._table.fresh.by is FreshBy.REQUEST and self._is(self._first_ask, unit)
        return max(0.0, self._due_s - self._now()) if begins else 0.0

    @property
    def _first_ask(self) -> str:
        return self._table.queries[0].ask

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
                if command != integration.stop:
                    self._display.integrate(running=state == integration.running)
                self._integration = state
                return Reply(b"")
        return None

    def _known(self, unit: Unit) -> Reply | None:
        names = {item.name: self.settings.get(item.name) for item in self._table.settings}
        for declared in self._table.known:
            if self._is(declared.command, unit):
                texts = {
                    name: self.settings.written(self._table.setting(name), value)
                    for name, value in names.items()
                    if value is not None and f"{{{name}}}" in (declared.answer or "")
                }
                return Reply((declared.answer or "").format(**texts).encode("ascii"))
        for command in (*self._table.enter, *self._table.leave):
            if self._is(command, unit):
                return Reply(b"")
        return None

    @staticmethod
    def _is(command: str, unit: Unit) -> bool:
        header, _, data = command.partition(" ")
        return match(header, unit.header) is not None and data.upper() == unit.data.upper()
