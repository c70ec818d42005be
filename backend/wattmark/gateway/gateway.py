"""What the bench in force speaks: fed with live readings, opened, closed, and opened again where it fails."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from wattmark_drivers.cancellation import end_tasks
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import DriverError
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Reading

from wattmark.bench.passwords import secret_reader
from wattmark.bench.speak import ENGINES, Speak
from wattmark.core.errors import WattmarkError
from wattmark.gateway.behind import MetersBehind
from wattmark.gateway.corrected import corrector
from wattmark.gateway.feed import OTHER_DEVICE, Correct, MeterFeed, Shown, together
from wattmark.gateway.link import Link, SpeakingProcess
from wattmark.gateway.messages import Said, close_line, open_line, show_line
from wattmark.gateway.spoken import SpokenBench, SpokenEntry, face_of, largest_of, order_of
from wattmark.gateway.views import SpeakerOut, speaker_out
from wattmark.instruments.instruments import meter_record
from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import MonitoredMeter
from wattmark.runs.record import MeterRecord
from wattmark.traceability.certificates.register import CertificateRegister

STEP_S = 1.0
"""How soon the gateway does what the bench asks for, and sees that a meter is gone [s]."""
GATHER_S = 0.02
"""Readings that come within this time are shown together [s]."""
PATIENCE_S = 3.0
"""How long a speaker waits for the meter behind it to say who it is, before it is opened without [s]."""
REOPEN_S = 5.0
"""Least time between two openings of a speaker because of the device behind it [s]."""
REGISTER_S = 5.0
"""How soon an accepted certificate is in force here [s]."""
MakeLink = Callable[[Callable[[Said], None], Callable[[str], None]], Link]
_log = logging.getLogger(__name__)


class Gateway:
    """Speak what the bench asks for, in a process of its own, so that nobody who asks delays a reading.

    ``bench`` gives the bench in force, ``meters`` what is sampled, ``register`` reads the certificates (it may wait for
    a disk), ``own_port`` is that of the service itself. All methods belong to the thread of the event loop.
    """

    def __init__(
        self,
        bench: Callable[[], SpokenBench],
        hub: LiveHub,
        meters: Callable[[], Sequence[MonitoredMeter]],
        register: Callable[[], CertificateRegister],
        clock: Clock,
        *,
        own_port: int | None = None,
        make_link: MakeLink = SpeakingProcess,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._bench = bench
        self._hub = hub
        self._meters = meters
        self._register = register
        self._clock = clock
        self._own_port = own_port
        self._environment = environment
        self._link = make_link(self._hear, self._lose_all)
        self._feeds: dict[str, MeterFeed] = {}
        self._behind = MetersBehind()
        self._entries: dict[str, SpokenEntry] = {}
        self._followed: SpokenBench | None = None
        self._certificates: CertificateRegister | None = None
        self._read_ns: int | None = None
        self._openings = 0
        self._fresh: set[str] = set()
        """Sources with readings that were not shown yet."""
        self._news = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def take(self, source: str, readings: Sequence[Reading]) -> None:
        """Take readings that the live view has taken; costs a look-up where nobody speaks their meter."""
        feed = self._feeds.get(source)
        if feed is None:
            return
        shown = self._hub.source(source)
        if shown is not None:
            feed.take(shown, readings, self._clock.monotonic_ns())
            self._fresh.add(source)
            self._news.set()

    def states(self) -> list[SpeakerOut]:
        """Describe every entry that is spoken, in the order of the bench."""
        now_ns, utc_ns = self._clock.monotonic_ns(), self._clock.utc_ns()
        return [speaker_out(entry, now_ns, utc_ns) for entry in self._entries.values()]

    def notes(self) -> list[str]:
        """List what is not spoken as the bench asks for it, or not in full; the reason is for those with access."""
        return [
            f"The gateway does not speak {entry.settings.as_} for {entry.settings.what}"
            f"{'' if entry.problem is not None else ' in full'}."
            for entry in self._entries.values()
            if entry.problem is not None or entry.note is not None
        ]

    def start(self) -> None:
        """Begin to speak what the bench asks for, now or later."""
        self._running = asyncio.create_task(self._run(), name="gateway")

    async def stop(self) -> None:
        """Close every port."""
        if self._running is not None:
            await end_tasks(self._running)
        await self._link.end()

    async def _run(self) -> None:
        due_ns = 0
        while True:
            try:
                if self._clock.monotonic_ns() >= due_ns or self._bench() is not self._followed:
                    due_ns = self._clock.monotonic_ns() + round(STEP_S * 1e9)
                    await self.step()
                else:
                    self.refresh()
            except Exception:
                _log.exception("The gateway is broken.")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, (due_ns - self._clock.monotonic_ns()) * 1e-9)):
                    await self._news.wait()
            await self._clock.sleep(GATHER_S)

    async def step(self) -> None:
        """Do what the bench asks for, and show what all meters show now."""
        bench = self._bench()
        if bench is not self._followed:
            self._follow(bench)
        self._news.clear()
        self._fresh.clear()
        if not self._entries:
            if self._link.alive:
                await self._link.end()
            return
        if any(entry.settings.corrected for entry in self._entries.values()):
            await self._read_register()
        for entry in self._entries.values():
            self._show(entry)
            await self._keep_open(entry)

    def refresh(self) -> None:
        """Show what the meters show from which readings have come."""
        self._news.clear()
        fresh, self._fresh = self._fresh, set()
        for entry in self._entries.values():
            if not fresh.isdisjoint(entry.sources):
                self._show(entry)

    def _follow(self, bench: SpokenBench) -> None:
        """Take over what a bench asks for; what it does not change stands as it is."""
        self._followed = bench
        before, self._entries = self._entries, {}
        for settings in bench.speak:
            sources = tuple(meter.id for meter in bench.sources_of(settings))
            known = before.get(settings.name)
            if known is not None and (known.settings, known.sources) == (settings, sources):
                self._entries[settings.name] = known
            else:
                self._entries[settings.name] = SpokenEntry(settings, sources, self._clock.monotonic_ns())
        for name, entry in before.items():
            if self._entries.get(name) is not entry:
                self._link.send(close_line(name))
        wanted = {source for entry in self._entries.values() for source in entry.sources}
        self._feeds = {source: self._feeds.get(source) or MeterFeed() for source in wanted}

    async def _read_register(self) -> None:
        now_ns = self._clock.monotonic_ns()
        if self._read_ns is None or now_ns - self._read_ns > REGISTER_S * 1e9:
            self._certificates = await asyncio.to_thread(self._register)
            self._read_ns = now_ns

    def _show(self, entry: SpokenEntry) -> None:
        """Send what an entry shows now, where it is something else than before."""
        shown = self._look(entry)
        if shown != entry.shown:
            entry.shown = shown
            if entry.state == "open":  # not to the speaker that is about to be replaced
                self._send(entry)

    def _send(self, entry: SpokenEntry) -> None:
        shown = entry.shown
        self._link.send(show_line(entry.settings.name, shown.indication, shown.absent, shown.until_ns))

    def _look(self, entry: SpokenEntry) -> Shown:
        """Judge what the meters of an entry show now, as the device that the speaker was opened for."""
        now_ns = self._clock.monotonic_ns()
        shown = together([self._look_at(source, entry.settings, now_ns) for source in entry.sources])
        if entry.face is not None and entry.devices != self._devices(entry):
            return OTHER_DEVICE
        return shown

    def _devices(self, entry: SpokenEntry) -> tuple[object, ...]:
        """Return what tells the devices that answer now from others in their places."""
        sources = [self._hub.source(source) for source in entry.sources]
        return tuple(source and (source.serial, source.simulated) for source in sources)

    def _look_at(self, source: str, settings: Speak, now_ns: int) -> Shown:
        traces = {trace.channel.id: trace for trace in self._hub.recent(source)}
        correct, feed = self._corrector(source) if settings.corrected else None, self._feeds[source]
        shown = feed.look(self._hub.source(source), traces, self._hub.totals(source), now_ns, correct)
        monitored = next((meter for meter in self._meters() if meter.name == source), None)
        if settings.as_ != "ptdaemon" or shown.indication is None or monitored is None:
            return shown
        return replace(shown, indication=self._behind.describe(shown.indication, monitored, feed.range_name))

    def _corrector(self, source: str) -> Correct:
        return corrector(partial(self._record, source), self._certificates or CertificateRegister())

    def _record(self, source: str) -> MeterRecord:
        entry = next(meter for meter in self._bench().meters if meter.id == source)
        monitored = next(meter for meter in self._meters() if meter.name == source)
        return meter_record(monitored.meter, entry.role, entry)

    def _identities(self, entry: SpokenEntry) -> list[MeterIdentity]:
        return [meter.meter.identity for meter in self._meters() if meter.name in entry.sources]

    async def _keep_open(self, entry: SpokenEntry) -> None:
        """Open the speaker of an entry that has none, and again for another device, or one that can show more now."""
        now_ns = self._clock.monotonic_ns()
        identities = self._identities(entry)
        face = face_of(entry.settings, identities)
        largest_w = largest_of(identities)
        same = entry.face == face and entry.devices == self._devices(entry) and not entry.is_outgrown(largest_w)
        if same or now_ns < entry.retry_ns or not self._may_open(entry, now_ns):
            return
        problem = entry.settings.takes(self._own_port)
        if problem is not None:
            entry.fails(problem, "Choose another port.", now_ns, self._clock.utc_ns())
            return
        self._openings += 1
        entry.number = self._openings
        try:
            password = await asyncio.to_thread(self._password, entry.settings) if entry.settings.has_password else None
            if not self._link.alive:
                await self._link.start()
        except (WattmarkError, DriverError) as error:
            entry.fails(error.cause, error.remedy, now_ns, self._clock.utc_ns())
            return
        engine, folder = ENGINES[entry.settings.as_], self._bench().folder
        entry.largest_w = largest_w
        order = order_of(entry, face, engine, password, folder)
        entry.face, entry.devices, entry.opened_ns, entry.state = face, self._devices(entry), now_ns, "waiting"
        self._link.send(open_line(order))

    def _may_open(self, entry: SpokenEntry, now_ns: int) -> bool:
        """Return whether an entry may be opened: its meters have said who they are, or took too long."""
        heard = all(self._feeds[source].heard(self._hub.source(source)) for source in entry.sources)
        if entry.face is not None:
            return heard and now_ns - entry.opened_ns > REOPEN_S * 1e9
        return heard or now_ns - entry.wanted_ns > PATIENCE_S * 1e9

    def _password(self, settings: Speak) -> str | None:
        """Read the password of an entry; None where it names none. Raises `InputError`."""
        owner = f"the gateway ({settings.name})"
        read = secret_reader(
            settings.password_env, settings.password_file, self._bench().folder, owner, self._environment
        )
        return None if read is None else read()

    def _hear(self, said: Said) -> None:
        """Note what became of a speaker, and feed one that has just been opened."""
        entry = self._entries.get(said.name)
        if entry is None or said.number != entry.number:
            return
        now_ns = self._clock.monotonic_ns()
        if said.kind == "open":
            entry.stands(said, now_ns)
            entry.shown = self._look(entry)
            self._send(entry)
            _log.info("The gateway speaks %s for %s at %s.", entry.settings.as_, entry.settings.what, said.address)
        elif said.kind == "failed":
            if said.cause != entry.problem:
                _log.warning("The gateway does not speak %s: %s %s", entry.settings.name, said.cause, said.remedy)
            entry.fails(said.cause, said.remedy, now_ns, self._clock.utc_ns())
        else:
            entry.asked(said)

    def _lose_all(self, why: str) -> None:
        """Note that the process that speaks has ended; it is started again with the next opening."""
        for entry in self._entries.values():
            if entry.face is not None:
                entry.fails(
                    f"The process that speaks has ended: {why}.",
                    "wattmark starts it again by itself; see the log.",
                    self._clock.monotonic_ns(),
                    self._clock.utc_ns(),
                )
