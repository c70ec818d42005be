"""Detect a replaced device by comparing identities."""

from __future__ import annotations

from dataclasses import replace

from wattmark_drivers.errors import BadReply, ConnectionFailed
from wattmark_drivers.meter import MeterIdentity

REMEDY = "Check which device is connected: the serial number decides which certificate is used."


class Exchanged(ConnectionFailed):
    """Another device answers than at `open`; it is opened again, under its own identity."""


def exchange_of(
    name: str, *, serial: tuple[str | None, str | None], firmware: tuple[str | None, str | None] = (None, None)
) -> str | None:
    """Explain that a meter answered as another device, with both identities; None where nothing indicates that.

    Each pair is what was told before and what is told now; who never told it cannot be told apart by it.
    """
    for what, (before, now) in (("serial", serial), ("firmware", firmware)):
        if before is None or before == now or (now is None and what == "firmware"):
            continue
        how = f"without a {what}" if now is None else f"{'as' if what == 'serial' else 'with'} {what} {now}"
        return f"Meter {name} answered {how}, was {before}."
    return None


def exchange(before: MeterIdentity, now: MeterIdentity) -> str | None:
    """Explain that ``now`` is another device than ``before``; None where nothing indicates that."""
    return exchange_of(now.name, serial=(before.serial, now.serial), firmware=(before.firmware, now.firmware))


def require_same(expected: MeterIdentity, *, serial: str | None, firmware: str | None = None) -> None:
    """Check the device's present identity against that at `open`. Raises `Exchanged`.

    Raises `Exchanged` for another device, and `BadReply` for one that does not say who it is although it did: it may
    say so again, so that this reading is lost and no more.
    """
    if expected.serial is not None and serial is None:
        raise BadReply(f"Meter {expected.name} reports no serial number; it was {expected.serial}.", REMEDY)
    words = exchange(expected, replace(expected, serial=serial, firmware=firmware))
    if words is not None:
        raise Exchanged(words, REMEDY)
