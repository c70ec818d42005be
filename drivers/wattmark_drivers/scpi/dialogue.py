"""One request at a time, and after trouble a fresh start, so that a late answer is never taken for the next one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.clock import Clock, Stamp, stamp_since
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.exchange import REMEDY, Exchanged, exchange_of
from wattmark_drivers.scpi.links import Link, NoAnswer

STRAY_MESSAGES = 20
"""Most late answers that are skipped while looking for the identification."""


@dataclass(frozen=True, slots=True)
class ScpiAnswer:
    """A message of the device and when it was made."""

    data: bytes
    stamp: Stamp

    @property
    def text(self) -> str:
        """Decode the message. Raises `BadReply` for bytes that no device would write."""
        text = self.data.decode("ascii", "replace").strip()
        if not (text.isprintable() and text.isascii()):
            raise BadReply(
                f"An answer with invalid characters was dropped: {text[:40]!r}.", "Check the cable and the baud rate."
            )
        return text


class ScpiDialogue:
    """Commands and queries over a link.

    When an answer is missing or unreadable, the line is in doubt: before the next request it is cleared, and the device
    is asked who it is. Devices answer in order, so once that answer is there, nothing older can follow.
    """

    def __init__(
        self, link: Link, table: ScpiMap, clock: Clock, *, timeout_s: float, label: str, name: str = ""
    ) -> None:
        self._link = link
        self._name = name or label
        self._table = table
        self._clock = clock
        self._timeout_s = timeout_s
        self.label = label
        self._who = re.compile(table.identification.pattern)
        self._identified: re.Match[str] | None = None
        self._in_doubt = True
        self._free_ns = clock.monotonic_ns()

    async def identify(self) -> re.Match[str]:
        """Open the link and ask who is there. Raises `ConfigurationError` when it is another model."""
        await self._link.open()
        for command in self._table.enter:
            await self._send(command)
            await self._gap()
        try:
            return await self._find_identification()
        except NoAnswer:
            # An incomplete command of another client may have swallowed the query.
            return await self._settle()

    async def tell(self, command: str) -> None:
        """Send a command that has no answer, and leave the gap that the device wants."""
        if self._in_doubt:
            await self._settle()
        await self._send(command)
        await self._gap()

    async def ask(self, query: str, *, patience_s: float = 0.0, block: bool = False) -> ScpiAnswer:
        """Send a query and wait for its answer, ``patience_s`` [s] longer than usual."""
        if self._in_doubt:
            await self._settle()
        self._in_doubt = True
        await self._send(query)
        asked_ns = self._clock.monotonic_ns()
        data = await self._receive(self._timeout_s + patience_s, block=block)
        answer = ScpiAnswer(self._without_tail(data), stamp_since(self._clock, asked_ns))
        self._in_doubt = False
        return answer

    async def listen(self, patience_s: float) -> ScpiAnswer:
        """Wait for a message that the device sends without a query."""
        data = await self._link.receive(self._timeout_s + patience_s)
        return ScpiAnswer(self._without_tail(data), Stamp(self._clock.utc_ns(), 0))

    async def break_in(self, command: str) -> None:
        """Send a command while the device is sending, without settling first."""
        await self._send(command)
        self._in_doubt = True

    def doubt(self) -> None:
        """Mark the last answer as senseless; the next request starts afresh."""
        self._in_doubt = True

    async def close(self) -> None:
        await self._link.close()

    async def _settle(self) -> re.Match[str]:
        """Clear the line and find the device's identification behind all late answers."""
        await self._link.clear(self._table.quiet_gap_s)
        return await self._find_identification()

    async def _find_identification(self) -> re.Match[str]:
        """Read the identification, and skip what is older than the answer."""
        await self._send(self._table.identification.ask)
        for _ in range(STRAY_MESSAGES):
            text = (await self._link.receive(self._timeout_s)).decode("ascii", "replace").strip()
            match = self._who.fullmatch(text.removesuffix(self._table.reply_tail))
            if match is not None:
                self._require_same(match)
                self._in_doubt = False
                return match
            if is_identification(text):
                raise ConfigurationError(
                    f"{self.label} answered {text[:60]!r}, which is another model.", "Correct the model or the address."
                )
        raise ConnectionFailed(f"{self.label} does not identify itself.", "Check the model and the line settings.")

    def _require_same(self, match: re.Match[str]) -> None:
        """Check the identity after trouble against the first one. Raises `Exchanged`."""
        first = self._identified or match
        self._identified = first
        before, now = first.groupdict(), match.groupdict()
        pairs = {name: (before.get(name), now.get(name)) for name in ("serial", "firmware")}
        words = exchange_of(self._name, **pairs)
        if words is not None:
            raise Exchanged(words, REMEDY)

    async def _receive(self, patience_s: float, *, block: bool) -> bytes:
        """Wait for a message that says something, where empty lines acknowledge commands."""
        data = await self._link.receive(patience_s, block=block)
        while self._table.blank_lines and not data.strip():
            data = await self._link.receive(patience_s, block=block)
        return data

    async def _send(self, message: str) -> None:
        left_ns = self._free_ns - self._clock.monotonic_ns()
        if left_ns > 0:
            await self._clock.sleep(left_ns / 1e9)
        await self._link.send(message)

    async def _gap(self) -> None:
        """Wait for the acknowledgement of a command where the device gives one; then keep the line free."""
        expected = self._table.acknowledgement
        if expected:
            answer = (await self._link.receive(self._timeout_s)).decode("ascii", "replace").strip()
            if answer != expected:
                self._in_doubt = True
                raise BadReply(
                    f"{self.label} rejected a command with {answer[:40]!r}.", "Check the options of the meter."
                )
        self._free_ns = self._clock.monotonic_ns() + int(self._table.command_gap_s * 1e9)

    def _without_tail(self, data: bytes) -> bytes:
        tail = self._table.reply_tail.encode("ascii")
        if not tail:
            return data
        if not data.rstrip().endswith(tail):
            raise BadReply(
                f"{self.label} answered {data[:40]!r}, which reports an error.", "See the error codes in its manual."
            )
        return data.rstrip().removesuffix(tail)


def is_identification(text: str) -> bool:
    """Return whether a text is an identification (IEEE 488.2, 10.14), not late numbers."""
    fields = [field.strip() for field in text.split(",")]
    return len(fields) == 4 and fields[0].isalpha() and not any(map(_is_number, fields[:2])) and text.isprintable()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
