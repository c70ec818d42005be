"""What is spoken, as it leaves the service."""

from __future__ import annotations

from wattmark_drivers.speakers.face import Absent, Asker

from wattmark.bench.speak import Spoken
from wattmark.core.instants import iso
from wattmark.core.schema import Schema
from wattmark.gateway.spoken import SpeakerState, SpokenEntry
from wattmark.recording.live_channel import STALE_PERIODS

OUTDATED = f"The newest reading is older than {STALE_PERIODS:g} periods of the meter."


class AskerOut(Schema):
    """A peer that asks."""

    peer: str
    requests: int
    refused: int
    """Connections and requests that were refused, such as for a wrong password."""
    first: str
    last: str
    period_s: float | None
    """Mean time between its requests [s]; None before the second one."""


class SpeakerOut(Schema):
    """An entry of the bench that is spoken: as what, to whom, and what it shows."""

    name: str
    protocol: Spoken
    what: str
    """The server or meter that it speaks."""
    sources: list[str]
    """The meters whose power it is the sum of."""
    model: str
    """Model of the catalogue whose registers, dialogue or topics are spoken."""
    identity: str | None
    """What a client is told about the device; None before it is opened."""
    serial: str | None
    simulated: bool
    corrected: bool
    """Whether power is corrected by the certificate in force."""
    state: SpeakerState
    """waiting: for the meter to say who it is; failed: ``problem`` says why, and it is tried again."""
    address: str | None
    """Address that a client uses; None while it is not open."""
    beyond_loopback: bool
    """Whether other machines can reach it."""
    asks_password: bool
    encrypted: bool
    power_w: float | None
    """Power that is shown now [W]; None: ``absent`` says why."""
    reading_at: str | None
    age_s: float | None
    """Age of that reading, or of the oldest one of a sum [s]."""
    absent: Absent | None
    reason: str | None
    """Why no power is shown, in words."""
    reason_remedy: str | None
    note: str | None
    """What clients lack at present though it is open, such as DCMI or the broker; None: nothing."""
    problem: str | None
    remedy: str | None
    since: str | None
    requests: int
    """Requests since it was opened, of the peers that are remembered."""
    refused: int
    askers: list[AskerOut]
    """The peers that asked last."""


class GatewayOut(Schema):
    """Everything that the gateway speaks; empty where the bench asks for nothing."""

    speakers: list[SpeakerOut]


def speaker_out(entry: SpokenEntry, now_ns: int, utc_ns: int) -> SpeakerOut:
    """Show an entry at an instant [monotonic ns, UTC ns]."""
    settings, shown = entry.settings, entry.shown
    fresh = shown.indication if now_ns <= shown.until_ns else None
    absent, withheld = shown.absent, shown.withheld
    reading_ns = None if fresh is None else fresh.oldest_ns
    outdated = shown.indication is not None and fresh is None
    return SpeakerOut(
        name=settings.name,
        protocol=settings.as_,
        what=settings.what,
        sources=list(entry.sources),
        model=settings.spoken_model,
        identity=None if entry.face is None else f"{entry.face.maker} {entry.face.model}",
        serial=None if entry.face is None else entry.face.serial or None,
        simulated=entry.face is not None and entry.face.simulated,
        corrected=settings.corrected,
        state=entry.state,
        address=entry.address if entry.state == "open" else None,
        beyond_loopback=settings.open_beyond,
        asks_password=settings.has_password,
        encrypted=settings.encrypted,
        power_w=None if fresh is None else fresh.total.get("power"),
        reading_at=None if reading_ns is None else iso(reading_ns),
        age_s=None if reading_ns is None else (utc_ns - reading_ns) * 1e-9,
        absent="stale" if outdated else absent,
        reason=OUTDATED if outdated else withheld and withheld.problem,
        reason_remedy=(withheld and withheld.remedy) or None,
        note=entry.note,
        problem=entry.problem,
        remedy=entry.remedy or None,
        since=None if entry.since_ns is None else iso(entry.since_ns),
        requests=entry.requests,
        refused=entry.refused,
        askers=[_asker(asker) for asker in entry.askers],
    )


def _asker(asker: Asker) -> AskerOut:
    between_s = (asker.last_ns - asker.first_ns) * 1e-9
    return AskerOut(
        peer=asker.peer,
        requests=asker.requests,
        refused=asker.refused,
        first=iso(asker.first_ns),
        last=iso(asker.last_ns),
        period_s=between_s / (asker.requests - 1) if asker.requests > 1 else None,
    )
