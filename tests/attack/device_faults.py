"""Inject device faults on the wire and hold every reading against the truth of the simulated device.

`python -m tests.attack.device_faults --faults 10000 --seed 1` prints what each kind of fault did on each protocol. Exit
code 1 where a reading that counts as good was wrong.

A simulated meter (its own physics, nothing of the driver's) shows a new power at each update, at least 10 % apart from
the one before, and what it showed when is kept. A good reading is right where the device showed it in its last three
updates (or within the timeout, where a request was repeated), or where it repeats a right one for no longer than the
model declares that a standstill goes unnoticed. An energy register must also never go back unnoticed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import math
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Quality, Reading
from wattmark_drivers.sampler import Sampler, SamplerState
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.mains import MainsPhase
from wattmark_drivers.simulators.meter_model import MeterErrors, MeterModel
from wattmark_drivers.simulators.spec import ServerSpec
from wattmark_drivers.speakers.faults import Delay, Drop, Fault, Freeze, Garbage, Restart, Silence, Torn, Unplug
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.speaker import SpeakerSpec, Surroundings, Transport, find_speaker

from .faulty_wire import LOOPBACK, FaultyWire, Harm, TcpWire, UdpWire

STALL_REACHES = 12
"""Updates after a stall of this machine in which no reading is judged: a standstill of 8, and the 3 until it shows."""
KINDS = ("late", "partial", "stuck", "stuck register", "rebooted", "replaced", "counter reset")
OUTCOMES = ("wrong", "unnoticed", "stalled", "marked", "gap", "harmless")
"""A machine that stalls for half an update of a device is no judge: the simulated device stalls with it."""
LOADS_W = (150.0, 400.0)
OTHER_LOADS_W = (600.0, 900.0)
"""The device that replaces the first one measures another server; no reading of one passes for the other's."""
APART = 0.12
SETTLED_S = 120.0
"""Longest time until a device is read again after a fault [s]."""
START_WH = 5000.0
ROWS = 3
"""Updates that an answer may be old: that before the poll, that of a display behind its input, one in between."""


@dataclass(frozen=True)
class Case:
    """A model on a kind of wire; ``other`` replaces it, and ``fast`` is how much faster than real its time passes."""

    name: str
    model: str
    wire: type[TcpWire] | type[UdpWire] | None = TcpWire
    transport: Transport | None = None
    other: str | None = None
    fast: float = 20.0
    timeout_s: float = 0.3
    """How long the driver waits for an answer, in real time [s]."""
    lacks: tuple[str, ...] = ()
    """Kinds of faults that cannot be, such as that of a register which the device does not show."""
    own: tuple[tuple[str, Fault], ...] = ()
    """Faults of the simulated device itself by kind, where no wire of ours does it."""
    range: str | None = None
    repeats: bool = False
    """Whether a stuck device goes on sending (one that pushes)."""
    weight: float = 1.0
    """Share of the faults, less for a device that takes seconds to recover."""
    counts_anew: bool = False
    """Whether its register counts from when it was asked, so that the model of the meter does not tell it."""

    @property
    def kinds(self) -> list[str]:
        """List the kinds of faults that the device can have."""
        missing = set(self.lacks) | ({"replaced"} if self.other is None else set())
        if self.wire is None:
            missing |= {"late", "partial", "rebooted"} - {kind for kind, _ in self.own}
        return [kind for kind in KINDS if kind not in missing]


UNPLUGGED = ("rebooted", Unplug(kind="unplug", seconds=0.1))
CASES = (
    Case("modbus-tcp", "eastron.sdm120", other="abb.b21"),
    Case("modbus-tcp, no serial", "siemens.pac2200", other="janitza.b23"),
    Case("modbus-rtu-tcp", "eastron.sdm630", transport="rtu-tcp", other="eastron.sdm72v2"),
    Case(
        "modbus-rtu",
        "eastron.sdm230",
        wire=None,
        transport="rtu",
        own=(
            ("late", Delay(kind="delay", seconds=0.1)),
            ("late", Delay(kind="delay", seconds=0.3)),
            ("partial", Drop(kind="drop")),
            ("partial", Torn(kind="torn")),
            ("partial", Garbage(kind="garbage")),
            UNPLUGGED,
        ),
    ),
    Case(
        "scpi",
        "yokogawa.wt310e",
        other="gwinstek.gpm8213",
        fast=1.0,
        timeout_s=0.5,
        range="300V-5A",
        lacks=("counter reset",),
    ),
    Case(
        "wattsup",
        "wattsup.pro",
        wire=None,
        own=(
            ("late", Silence(kind="silence")),
            ("partial", Torn(kind="torn")),
            ("partial", Garbage(kind="garbage")),
            UNPLUGGED,
        ),
        # What it pushes is stamped as it arrives, so that the lateness of a busy machine counts so many times.
        fast=8.0,
        repeats=True,
        counts_anew=True,
    ),
    Case("snmp", "raritan.pxinlet", wire=UdpWire, other="apc.rpdu2"),
    Case("http", "shelly.plus1pm", other="tasmota.plug"),
    Case("http, no login", "tasmota.plug", other="shelly.plugs"),
    Case(
        "mqtt",
        "tasmota.mqtt",
        wire=None,
        own=(
            ("late", Delay(kind="delay", seconds=0.2)),
            ("late", Delay(kind="delay", seconds=0.4)),
            ("partial", Drop(kind="drop")),
            ("partial", Garbage(kind="garbage")),
            UNPLUGGED,
        ),
        fast=1.0,
        weight=0.03,
    ),
    Case("redfish", "redfish.bmc", lacks=("stuck register", "counter reset")),
    # The one value of a sensor chip may rest rightly; that it is stuck shows in a run only, by the verdict `frozen`.
    Case(
        "hwmon",
        "linux.hwmon",
        wire=None,
        own=(("partial", Garbage(kind="garbage")), UNPLUGGED),
        lacks=("stuck", "stuck register", "counter reset"),
    ),
    Case(
        "ipmi",
        "ipmi.bmc",
        wire=UdpWire,
        own=(("rebooted", Restart(kind="restart", seconds=1.0)), ("rebooted", Freeze(kind="freeze", seconds=4.0))),
        fast=1.0,
        timeout_s=4.0,
        lacks=("stuck register", "counter reset"),
        weight=0.03,
    ),
)


class FastClock:
    """Time that passes ``fast`` times as fast as real time, for driver and device alike."""

    def __init__(self, fast: float) -> None:
        self._fast = fast
        self._real_ns, self._utc_ns = time.monotonic_ns(), time.time_ns()

    def monotonic_ns(self) -> int:
        """Return the fast monotonic time [ns]."""
        return int((time.monotonic_ns() - self._real_ns) * self._fast)

    def utc_ns(self) -> int:
        """Return the fast UTC [ns]."""
        return self._utc_ns + self.monotonic_ns()

    async def sleep(self, seconds: float) -> None:
        """Wait fast [s]."""
        await asyncio.sleep(max(0.0, seconds) / self._fast)


@dataclass
class Device:
    """A simulated device with what it showed: UTC [ns], power [W] and energy [Wh], as its model had it."""

    model: str
    speaker: Any
    entry: dict[str, str]
    meter: MeterModel
    loads_w: tuple[float, float]
    shown: list[tuple[int, float, float]] = field(default_factory=list)
    load_w: float = 200.0


@dataclass
class Tally:
    """What became of the faults, by case and kind."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    """Meters that were not read again in time; their other faults were not injected."""

    def total(self, outcome: str) -> int:
        """Count the faults with an outcome."""
        return sum(count for key, count in self.counts.items() if key[2] == outcome)

    def table(self) -> str:
        """Write one row per case and kind."""
        rows = sorted({key[:2] for key in self.counts})
        head = f"{'device':26} {'fault':15}" + "".join(f"{name:>11}" for name in OUTCOMES)
        lines = [f"{c:26} {k:15}" + "".join(f"{self.counts[c, k, o]:>11}" for o in OUTCOMES) for c, k in rows]
        total = f"{'all':26} {'':15}" + "".join(f"{self.total(name):>11}" for name in OUTCOMES)
        return "\n".join([head, *lines, total])


class Rig:
    """One meter under fault: device, wire, driver and sampler, and a judge of every reading."""

    def __init__(self, case: Case, folder: Path, seed: int, tally: Tally) -> None:
        self._case, self._folder, self._tally = case, folder, tally
        self._rng = random.Random(f"{seed} {case.name} {folder.name}")
        self._clock = FastClock(case.fast)
        self._wire: FaultyWire | None = case.wire() if case.wire else None
        self._update_s = load_catalogue()[case.model].rhythm.update_period_s
        declaration = load_catalogue()[case.model]
        self._unnoticed_ns = (declaration.suspicion.still_updates + 0.5) * self._update_s * 1e9
        self._apart = declaration.suspicion.apart_pct / 100
        """By how much the load may move before a register that does not counts as stuck."""
        self._device: Device | None = None
        self._other: Device | None = None
        """The device that was put in its place last."""
        self._built = 0
        self._held: Indication | None = None
        """What a stuck device shows, or what the power register of one shows whose register is stuck."""
        self._held_s = 0.0
        """Since when it is stuck [Unix s]."""
        self._first = (math.nan, 0)
        """The power that was read last [W], and when it was read first without a pause since [UTC ns]."""
        self._kind = "none"
        self._seen: Counter[str] = Counter()
        self._good_ns = self._before_ns = self._believed_ns = self._stalled_ns = 0
        self._exchange_noticed = False
        self._energy: dict[str, float] = {}
        self._state: SamplerState | None = None

    async def run(self, faults: int) -> None:
        """Inject so many faults, one after another, each after the device was read again."""
        async with contextlib.AsyncExitStack() as stack:
            device = self._device = await self._build(self._case.model, LOADS_W, START_WH)
            stack.push_async_callback(self._stop)
            if self._wire is not None:
                await self._wire.start()
                self._wire.connect(_address(device))
            sampler = Sampler(
                self._create_meter(device.entry),
                period_s=self._update_s,
                on_readings=self._judge,
                on_state=self._note,
                clock=self._clock,
            )
            for work in (self._show(), sampler.run()):
                stack.push_async_callback(_end, asyncio.create_task(work))
            await self._settle()
            for _ in range(faults):
                await self._injure()

    async def _injure(self) -> None:
        self._kind, self._seen, self._exchange_noticed = self._rng.choice(self._case.kinds), Counter(), False
        match self._kind:
            case "late":
                await self._harm(Harm(late_s=self._rng.uniform(0.2, 2.5) * self._case.timeout_s))
            case "partial":
                await self._harm(Harm(share=self._rng.random(), noise=self._rng.random() < 0.3))
            case "stuck" | "stuck register":
                self._held, self._held_s = self._present.meter.indication, self._now_s()
                await self._pass(self._rng.randint(1, 8))
                self._held = None
                self._update(self._present)
            case "rebooted":
                await self._reboot()
            case "replaced":
                await self._replace()
            case "counter reset":
                self._present.meter = _meter_model(self._case.model, 0.0)
                await self._pass(3)
        if hasattr(self._present.speaker, "forget_sessions"):
            self._present.speaker.forget_sessions()  # as a BMC does after some minutes; it allows few at a time
        await self._settle()
        outcome = next((name for name in OUTCOMES if self._seen[name]), "harmless")
        self._tally.counts[self._case.name, self._kind, outcome] += 1
        self._kind = "none"

    async def _harm(self, harm: Harm) -> None:
        if self._wire is None:
            self._own_fault()
        else:
            self._wire.harm(harm)
        await self._pass(2)

    def _own_fault(self) -> None:
        self._present.speaker.inject(self._rng.choice([fault for kind, fault in self._case.own if kind == self._kind]))

    async def _reboot(self) -> None:
        """Lose power and connections, and half the time what the register counted."""
        if self._wire is None or any(kind == "rebooted" for kind, _ in self._case.own):
            self._own_fault()
            await self._pass(4)
            return
        before = self._present
        self._wire.connect(None)
        await before.speaker.stop()
        await self._pass(self._rng.randint(0, 4))
        energy_wh = before.shown[-1][2] if self._rng.random() < 0.5 else 0.0
        self._device = await self._build(self._case.model, LOADS_W, energy_wh, before)
        self._wire.connect(_address(self._device))

    async def _replace(self) -> None:
        """Put another model at the same place for a while, then the first one again."""
        assert self._wire is not None
        assert self._case.other is not None
        self._other = await self._build(self._case.other, OTHER_LOADS_W, START_WH / 2, self._present)
        self._wire.connect(_address(self._other))
        await self._pass(self._rng.randint(2, 8))
        self._wire.connect(_address(self._present))
        await self._other.speaker.stop()

    @property
    def _present(self) -> Device:
        assert self._device is not None
        return self._device

    async def _pass(self, updates: float) -> None:
        await self._clock.sleep(updates * self._update_s)

    async def _settle(self) -> None:
        """Wait for a good reading of the healthy device, taken from now on."""
        began_ns, deadline = self._clock.utc_ns(), time.monotonic() + SETTLED_S
        while self._good_ns <= began_ns:
            await asyncio.sleep(0.01)
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"{self._case.name}: no good reading {SETTLED_S:g} s after the fault {self._kind}; "
                    f"{dict(self._seen)}, {self._state}"
                )

    def _now_s(self) -> float:
        """Return the time of the devices [Unix s], which stands still in a stuck one."""
        stuck = self._held is not None and self._kind == "stuck"
        return self._held_s if stuck else self._clock.utc_ns() / 1e9

    async def _build(
        self, model: str, loads_w: tuple[float, float], energy_wh: float, like: Device | None = None
    ) -> Device:
        """Start a device; ``like`` another, it knows that one's secret and shows what it showed."""
        declaration = load_catalogue()[model]
        self._built += 1
        folder = self._folder / str(self._built)
        folder.mkdir()
        around = Surroundings(folder, self._now_s)
        serial = 7 if model == self._case.model else 8
        speaker = find_speaker(declaration.protocol.engine)(
            SpeakerSpec("device", declaration, serial, around, transport=self._case.transport)
        )
        for secret in ("_login", "_password"):
            if like is not None and secret in vars(speaker) and secret in vars(like.speaker):
                setattr(speaker, secret, getattr(like.speaker, secret))
        shown = list(like.shown) if like is not None and model == like.model else []
        device = Device(model, speaker, {}, _meter_model(model, energy_wh), loads_w, shown)
        self._update(device)
        device.entry = await speaker.start()
        return device

    def _create_meter(self, entry: dict[str, str]) -> Meter:
        url = entry["url"]
        if self._wire is not None:
            url = url.replace(f":{urlsplit(url).port}", f":{self._wire.port}")
        file = entry.get("password_file")
        password = Path(file).read_text("utf-8").strip() if file else ""
        return create_meter(
            MeterSettings(
                "wall",
                self._case.model,
                url,
                period_s=self._update_s,
                range=self._case.range,
                timeout_s=self._case.timeout_s,
                username=entry.get("username"),
                password=lambda: password,
            ),
            self._clock,
        )

    async def _stop(self) -> None:
        if self._wire is not None:
            self._wire.stop()
        await self._present.speaker.stop()

    async def _show(self) -> None:
        """Show a new power at each update, of every device there is."""
        while True:
            due_ns = self._clock.monotonic_ns() + self._update_s * 1e9
            await self._pass(1)
            if self._clock.monotonic_ns() - due_ns > 0.5e9 * self._update_s:
                self._stalled_ns = self._clock.utc_ns()
            for device in (self._device, self._other):
                if device is not None:
                    self._update(device)

    def _update(self, device: Device) -> None:
        load_w = device.load_w
        while abs(load_w / device.load_w - 1) < APART:
            load_w = self._rng.uniform(*device.loads_w)
        device.load_w = load_w
        phases = _phase_count(device.model)
        volts = 230 + self._rng.uniform(-2, 2)
        phase = MainsPhase(volts, load_w / phases, 0.1 * load_w / phases, 50.0)
        device.meter.add([phase] * phases, load_catalogue()[device.model].rhythm.update_period_s)
        shown = device.meter.indication
        assert shown is not None
        assert shown.energy_wh is not None
        device.shown.append((self._clock.utc_ns(), shown.total["power"], shown.energy_wh))
        del device.shown[:-200]
        if self._held is None or device is self._other:
            device.speaker.show(shown)
        elif self._kind == "stuck register":
            device.speaker.show(_with_power_of(shown, self._held))
        elif self._case.repeats:
            device.speaker.show(self._held)

    def _note(self, state: SamplerState) -> None:
        self._state = state
        if state.state == "lost":
            self._seen["gap"] += 1
            self._exchange_noticed |= "answer" in (state.problem or "") and "was" in (state.problem or "")

    def _judge(self, _meter: Meter, readings: list[Reading]) -> None:
        for reading in readings:
            if reading.channel == "power":
                self._judge_power(reading)
            elif reading.channel in ("energy", "energy_import"):
                self._judge_energy(reading)

    def _judge_power(self, reading: Reading) -> None:
        if reading.t_ns - self._before_ns > 1.9 * self._update_s * 1e9:
            self._seen["gap"] += 1
        self._before_ns = reading.t_ns
        if not reading.quality.usable or reading.quality & Quality.STALE:
            self._seen["marked"] += 1
            return
        believed_ns, self._believed_ns = self._believed_ns, reading.t_ns
        if reading.value != self._first[0] or reading.t_ns - believed_ns > self._unnoticed_ns:
            self._first = (reading.value, reading.t_ns)
        elif reading.t_ns - self._first[1] <= self._unnoticed_ns:
            return
        if self._fits(self._present, reading, 1):
            self._good_ns = reading.t_ns
        elif self._other is not None and self._fits(self._other, reading, 1):
            self._seen["gap" if self._exchange_noticed else "unnoticed"] += 1
        else:
            self._wrong(reading)

    def _judge_energy(self, reading: Reading) -> None:
        if not reading.quality.usable or reading.quality & Quality.STALE:
            self._seen["marked"] += 1
            if not reading.quality.usable:
                self._energy.pop(reading.channel, None)
            return
        before = self._energy.get(reading.channel)
        self._energy[reading.channel] = reading.value
        back = before is not None and reading.value < before and not self._exchange_noticed
        known = [self._present, *([self._other] if self._other else [])]
        fits = self._case.counts_anew or any(self._fits(device, reading, 2) for device in known)
        if back or not fits:
            self._wrong(reading)

    def _fits(self, device: Device, reading: Reading, column: int) -> bool:
        """Return whether the device showed it in its last updates, or while a repeated request waited."""
        waited_s = self._case.timeout_s * self._case.fast if reading.quality & Quality.RETRIED else 0.0
        rows = [row for row in device.shown if row[0] <= reading.t_ns + reading.u_t_ns]
        early = [row for row in rows if row[0] <= reading.t_ns - reading.u_t_ns - waited_s * 1e9]
        slack = 1.5 + 3e-3 * abs(reading.value) if column == 1 else 0.1 + 1.01 * _energy_step(device.model)
        if self._kind == "stuck register":
            slack = max(slack, self._apart * abs(reading.value))
        return any(abs(row[column] - reading.value) <= slack for row in rows[max(0, len(early) - ROWS) :])

    def _wrong(self, reading: Reading) -> None:
        if reading.t_ns - reading.u_t_ns - self._stalled_ns < STALL_REACHES * self._update_s * 1e9:
            self._seen["stalled"] += 1
            return
        self._seen["wrong"] += 1
        shown = [
            f"{(row[0] - reading.t_ns) / 1e9:.2f} s {row[1]:.1f} W {row[2]:.2f} Wh" for row in self._present.shown[-8:]
        ]
        self._tally.wrong.append(f"{self._case.name}, {self._kind}: {reading}; shown {'; '.join(shown)}")


def _meter_model(model: str, energy_wh: float) -> MeterModel:
    declaration = load_catalogue()[model]
    steps = {item.quantity: item.step for item in declaration.protocol.measured if item.step is not None}
    return MeterModel(
        MeterErrors(),
        declaration.rhythm.update_period_s,
        np.random.default_rng(1),
        phase_count=_phase_count(model),
        resolution=steps or {"power": 1.0},
        energy_start_wh=energy_wh,
    )


def _phase_count(model: str) -> int:
    protocol = load_catalogue()[model].protocol
    return ServerSpec(idle_w=180, dynamic_w=160, dimms=4).psu.powered if protocol.whole_server else protocol.phase_count


def _energy_step(model: str) -> float:
    steps = [item.step for item in load_catalogue()[model].protocol.measured if item.quantity == "energy" and item.step]
    return max([1.0, *steps])


def _with_power_of(shown: Indication, held: Indication) -> Indication:
    phases = tuple({**now, "power": old["power"]} for now, old in zip(shown.phases, held.phases, strict=True))
    return replace(shown, phases=phases, total={**shown.total, "power": held.total["power"]})


def _address(device: Device) -> tuple[str, int]:
    port = urlsplit(device.entry["url"]).port
    assert port is not None
    return LOOPBACK, port


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def injure(case: Case, faults: int, seed: int, folder: Path, tally: Tally, rigs: int = 1) -> None:
    """Inject so many faults into ``rigs`` meters of a case at a time."""
    places = [folder / f"{case.name.replace(' ', '-')}-{n}" for n in range(rigs)]
    for place in places:
        place.mkdir()
    work = (Rig(case, place, seed, tally).run(math.ceil(faults / rigs)) for place in places)
    for result in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(result, TimeoutError):
            tally.gone.append(str(result))
        elif result is not None:
            raise result


def attack(faults: int, seed: int, cases: Sequence[Case] = CASES, rigs: int = 1) -> Tally:
    """Inject so many faults in all, each case in a process of its own, so that none waits for another's."""
    weight = sum(case.weight for case in cases)
    tally = Tally()
    with ProcessPoolExecutor(len(cases), multiprocessing.get_context("spawn")) as pool:
        work = [pool.submit(_alone, case, math.ceil(faults * case.weight / weight), seed, rigs) for case in cases]
        for done in work:
            part = done.result()
            tally.counts += part.counts
            tally.wrong += part.wrong
            tally.gone += part.gone
    return tally


def _alone(case: Case, faults: int, seed: int, rigs: int) -> Tally:
    logging.disable(logging.CRITICAL)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(injure(case, faults, seed, Path(folder), tally, rigs))
    return tally


def main() -> int:
    """Run the attack from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rigs", type=int, default=4, help="meters of each case at a time")
    parser.add_argument("--case", action="append", help="only this case")
    arguments = parser.parse_args()
    cases = [case for case in CASES if not arguments.case or case.name in arguments.case]
    tally = attack(arguments.faults, arguments.seed, cases, arguments.rigs)
    sys.stdout.write("\n".join([tally.table(), *tally.wrong[:20], *tally.gone, ""]))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
