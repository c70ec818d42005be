"""The ranges of the analyser behind a daemon: the configured ones while we measure, and the former ones afterwards."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable

from wattmark_drivers.catalogue.declaration import Range
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.meter import RangeInForce
from wattmark_drivers.ptdaemon.dialogue import DaemonDialogue
from wattmark_drivers.ptdaemon.replies import RangeReport, parse_all_ranges, parse_ranges

LOG = logging.getLogger(__name__)
MayChange = Callable[[], Awaitable[bool]]
"""Asks the daemon whether a range may be changed now. Each change takes seconds, in which others may begin."""
SETTLING_S = 30.0
"""Longest time that the daemon may take to change a range: 5 s were seen."""
EXAMPLE = "Enter a range that the analyser has."


class DaemonRanges:
    """Sets ranges, and remembers what to put back. ``label`` names the daemon at the begin of a sentence."""

    def __init__(self, dialogue: DaemonDialogue, label: str) -> None:
        self._dialogue = dialogue
        self._label = label
        self.channel: int | None = None
        """Number of the channel that is meant; None: the only one, or all."""
        self.channels = 1
        """How many the daemon has."""
        self._owed: dict[str, str] = {}
        """By input, the command that puts back the range that was there."""

    @property
    def owed(self) -> bool:
        """Return whether a range is to be put back."""
        return bool(self._owed)

    async def read(self) -> RangeReport:
        """Ask for the ranges in force; of all channels, for what they have in common, unless the daemon does not tell.

        Raises `ConnectionFailed`, ValueError for a reply that is none.
        """
        if self.channel is None and self.channels > 1:
            with contextlib.suppress(ValueError):
                return parse_all_ranges(await self._dialogue.ask("RR,*"), self.channels)
        return parse_ranges(await self._dialogue.ask(f"RR{self._of}"))

    async def choose(self, wanted: Range, may_change: MayChange) -> bool:
        """Set a range where it is not in force already; return whether it was not.

        Raises a `DriverError`, ValueError for a reply that is none.
        """
        before = await self.read()
        if before.fixed == (wanted.voltage_v, wanted.current_a):
            return False
        inputs = (("V", wanted.voltage_v, before.volts), ("A", wanted.current_a, before.amps))
        for letter, nominal, in_force in inputs:
            if nominal is None or (in_force.auto is False and in_force.nominal == nominal):
                continue
            if not await may_change():
                raise begun_meanwhile(self._label)
            self._owe(letter, in_force)
            reply = await self._dialogue.ask(f"SR,{letter},{nominal:g}{self._of}", SETTLING_S)
            if reply != f"Range {letter} changed":
                raise ConfigurationError(
                    f"{self._label} refused the range {nominal:g} {letter}: {reply[:80]!r}.", EXAMPLE
                )
        chosen = await self.read()
        if chosen.fixed != (wanted.voltage_v, wanted.current_a):
            raise ConfigurationError(f"{self._label} chose {chosen.name or 'no fixed range'} for {wanted.id}.", EXAMPLE)
        return True

    async def put_back(self, may_change: MayChange) -> None:
        """Put back the ranges that were there, as long as they may be changed.

        Raises `ConnectionFailed`; what was not put back stays owed.
        """
        while self._owed:
            if not await may_change():
                self.leave()
                return
            letter, command = next(reversed(self._owed.items()))
            reply = await self._dialogue.ask(command, SETTLING_S)
            if reply != f"Range {letter} changed":
                LOG.warning("%s did not put its range back: it answered %r to %s.", self._label, reply[:80], command)
            del self._owed[letter]

    def leave(self) -> None:
        """Owe nothing any more: the ranges are somebody else's now."""
        if self._owed:
            LOG.warning("%s: the ranges that were there before stay changed, as somebody else measures.", self._label)
        self._owed.clear()

    def _owe(self, letter: str, in_force: RangeInForce) -> None:
        if letter in self._owed:
            return
        if in_force.auto is False and in_force.nominal is not None:
            self._owed[letter] = f"SR,{letter},{in_force.nominal:g}{self._of}"
        elif in_force.auto is True:
            self._owed[letter] = f"SR,{letter},Auto{self._of}"
        else:
            LOG.warning("%s does not report the %s range in force, so it cannot be put back.", self._label, letter)

    @property
    def _of(self) -> str:
        return "" if self.channel is None else f",{self.channel}"


def begun_meanwhile(label: str) -> ConnectionFailed:
    """Say that somebody else was quicker; ``label`` names the daemon at the begin of a sentence."""
    return ConnectionFailed(
        f"{label} has a measurement now that somebody else has begun meanwhile.", "wattmark looks what it may do now."
    )
