"""One entry of the bench that is spoken: what it stands for, how its speaker stands, who asks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.speakers.face import Asker, Face

from wattmark.bench.instruments import Meter
from wattmark.bench.speak import Speak
from wattmark.core.version import version
from wattmark.gateway.feed import WAITING, Shown
from wattmark.gateway.messages import Order, Said

SpeakerState = Literal["waiting", "open", "failed"]
MAKER = "wattmark"
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
STEADY_S = 60.0
"""A speaker that stood for so long begins again at once when it fails."""


class Source(Protocol):
    """A meter whose power is spoken, by its name."""

    @property
    def id(self) -> str:
        """Return its name."""
        ...


class SpokenBench(Protocol):
    """What the gateway takes of a bench: what is spoken, of which meters, and where its files are."""

    @property
    def speak(self) -> Sequence[Speak]:
        """List what is spoken."""
        ...

    @property
    def meters(self) -> Sequence[Meter]:
        """List the entries of the meters, from which a correction takes the certificate."""
        ...

    @property
    def folder(self) -> Path:
        """Return the folder to which paths are relative."""
        ...

    def sources_of(self, entry: Speak, /) -> Sequence[Source]:
        """List the meters whose power an entry speaks."""
        ...


@dataclass(slots=True)
class SpokenEntry:
    """An entry, its speaker, and what was shown last. Times of ``retry_ns`` and ``opened_ns`` are monotonic [ns]."""

    settings: Speak
    sources: tuple[str, ...]
    """The meters whose power it speaks."""
    wanted_ns: int
    """Since when it is wanted [monotonic ns]."""
    shown: Shown = WAITING
    face: Face | None = None
    """As which it was opened; None: it was not."""
    devices: tuple[object, ...] = ()
    """What told the devices that it was opened for from others."""
    largest_w: float | None = None
    """Most that its meters could show when it was opened [W]; None: nobody knew."""
    number: int = 0
    """Of the latest opening."""
    state: SpeakerState = "waiting"
    address: str | None = None
    note: str | None = None
    """What its clients lack at present."""
    problem: str | None = None
    remedy: str = ""
    since_ns: int | None = None
    """Since when there is a problem [UTC ns]."""
    opened_ns: int = 0
    retry_ns: int = 0
    pause_s: float = FIRST_PAUSE_S
    askers: tuple[Asker, ...] = ()
    requests: int = 0
    refused: int = 0

    def stands(self, said: Said, now_ns: int) -> None:
        """Note that the speaker is open."""
        self.state, self.address, self.note, self.opened_ns = "open", said.address, said.note, now_ns
        self.problem, self.remedy, self.since_ns = None, "", None

    def fails(self, cause: str, remedy: str, now_ns: int, utc_ns: int) -> None:
        """Note why it does not speak, and when it is tried again."""
        if self.state == "open" and now_ns - self.opened_ns > STEADY_S * 1e9:
            self.pause_s = FIRST_PAUSE_S
        if self.problem is None:
            self.since_ns = utc_ns
        self.state, self.problem, self.remedy, self.face, self.note = "failed", cause, remedy, None, None
        self.retry_ns = now_ns + round(self.pause_s * 1e9)
        self.pause_s = min(2 * self.pause_s, LONGEST_PAUSE_S)

    def is_outgrown(self, largest_w: float | None) -> bool:
        """Return whether its meters can show more by now than what was opened for them, or nobody knows any more.

        The sensors of a BMC alone have an end, which their description fixes.
        """
        if self.settings.as_ != "ipmi" or largest_w == self.largest_w:
            return False
        return largest_w is None or self.largest_w is None or largest_w > self.largest_w

    def asked(self, said: Said) -> None:
        """Note who asks, and what they lack."""
        self.askers, self.requests, self.refused, self.note = said.askers, said.requests, said.refused, said.note


def face_of(entry: Speak, identities: Sequence[MeterIdentity]) -> Face:
    """Describe what stands behind an entry: wattmark, and the meter or the meters of the server."""
    serials = [identity.serial for identity in identities if identity.serial]
    titles = list(dict.fromkeys(identity.title for identity in identities))
    behind = titles[0] if len(titles) == 1 else f"{len(identities)} meters of {entry.what}"
    return Face(
        maker=MAKER,
        model=f"gateway to {behind}",
        serial=" + ".join(serials),
        firmware=version(),
        simulated=any(identity.simulated for identity in identities),
    )


def largest_of(identities: Sequence[MeterIdentity]) -> float | None:
    """Return the most that meters can show together [W]; None where the range of one is not known."""
    ranges_w = [most for identity in identities if (most := identity.range_limit_w or identity.range_w)]
    return sum(ranges_w) if len(ranges_w) == len(identities) > 0 else None


def order_of(entry: SpokenEntry, face: Face, engine: str, password: str | None, folder: Path) -> Order:
    """Write the order to open the speaker of an entry; paths are relative to ``folder``."""
    settings = entry.settings
    files = (settings.certificate_file, settings.key_file)
    certificate, key = (path and str(folder / Path(path).expanduser()) for path in files)
    return Order(
        name=settings.name,
        number=entry.number,
        engine=engine,
        model=settings.spoken_model,
        port=settings.port or 0,
        address=settings.address,
        most_clients=settings.most_clients,
        face=face,
        username=settings.user,
        password=password,
        certificate_file=certificate,
        key_file=key,
        url=settings.url,
        period_s=settings.period_s,
        largest_w=entry.largest_w,
    )
