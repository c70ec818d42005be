"""A BMC: OpenIPMI's ipmi_sim as a child process, fed with a server's own view of its power, or with a meter's."""

from __future__ import annotations

import asyncio
import logging
import math
import resource
import secrets
import signal
import socket
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from wattmark_drivers.clock import uninterrupted_ns
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.parent_death import die_with_parent
from wattmark_drivers.speakers.face import Absent, Credentials, Doorway, Face
from wattmark_drivers.speakers.faults import Fault, FaultQueue, Freeze, NoDcmi, Restart
from wattmark_drivers.speakers.indication import Indication, Inside
from wattmark_drivers.speakers.ipmi import folder as bmc_folder
from wattmark_drivers.speakers.ipmi.relay import Relay
from wattmark_drivers.speakers.ipmi.sensors import USUAL_MOST_W, Sensor, chassis_sensors, meter_sensors, plain
from wattmark_drivers.speakers.loopback import LOOPBACK, port_refused
from wattmark_drivers.speakers.private_files import write_secret, write_values
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

LOG = logging.getLogger(__name__)
USERNAME = "wattmark"
LONGEST_USERNAME, LONGEST_PASSWORD = 16, 20
"""Of IPMI 2.0 (22.28 and 22.30) [bytes]."""
MOST_MEMORY, MOST_LOG = 256 << 20, 16 << 20
"""Address space and files of a child that strangers talk to [bytes]: at either limit it ends, and is started again."""
PROBE_S = 10.0
"""How often it is asked whether it still answers."""
RESTART_S, LONGEST_RESTART_S = 1.0, 30.0
"""Pause before it is started again, twice as long after each failure up to the longest."""
PROBES = 5
CIPHER = 3
"""RMCP+ cipher suite: ipmi_sim knows 1 to 15, and not finding 17 costs clients 10 s."""
MOST_WATTS = 65535
NS_PER_MS = 1_000_000
LONGEST_MS = 2**32 - 1
"""Of DCMI's statistics, whose period is a number of 4 bytes (DCMI 1.5, table 6-16): 49.7 days."""
PRIVILEGE = "ADMINISTRATOR"
"""ipmi_sim passes group extensions, and so DCMI, to administrators only."""
START_TIMEOUT_S = 10.0
START_ATTEMPTS = 3
_AUTHENTICATION_CAPABILITIES = bytes.fromhex(
    "0600ff07 0000000000000000 00 09 20 18c8 81 00 38 0e 04 35".replace(" ", "")
)
"""Get Channel Authentication Capabilities outside any session (IPMI 2.0, 13.6 and 22.13): any BMC answers it."""
STOP_TIMEOUT_S = 3.0


class IpmiBmc(Speaker):
    """One ipmi_sim and its value files."""

    def __init__(
        self,
        folder: Path,
        sensors: Sequence[Sensor],
        now: Callable[[], float],
        *,
        port: int = 0,
        face: Face | None = None,
        door: Doorway | None = None,
        note: str | None = None,
    ) -> None:
        self._folder = folder
        self._sensors = sensors
        self._inside = Inside()
        self._port = self._outer_port = port
        self._face = face
        self._door = door or Doorway()
        made = secrets.token_hex(8)
        self._login = self._door.credentials or Credentials(USERNAME, lambda: made)
        self._relay = Relay(self._door, self.askers) if face else None
        self._process: asyncio.subprocess.Process | None = None
        self._statistics = _PowerStatistics(now)
        self._notes = [note] if note else []
        self._trouble: str | None = None
        """Why it does not answer at present; None while it does."""
        self._faults = FaultQueue(Freeze, Restart, NoDcmi)
        self._mishap: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._has_dcmi = True
        self._values: dict[Sensor, float] = {}
        """What the sensors show now; those without a reading are absent."""
        self._scanned: set[Sensor] = set()

    async def start(self) -> dict[str, str]:
        """Start ipmi_sim on a loopback UDP port (0: any free one), wait until it answers and return the address.

        With a face, clients reach it through a relay at the door. Raises `ConfigurationError` when a program is missing
        or the login is none that IPMI has, `ConnectionFailed` when the port is taken or ipmi_sim stays silent.
        """
        program = bmc_folder.find_program("ipmi_sim")
        password = self._checked_password()
        note = await bmc_folder.prepare(self._folder, self._sensors, self._face)
        self._notes += [f"It has {note}."] if note else []
        entry = {"username": self._login.username} | ({"note": note} if note else {})
        if self._face is None:
            write_secret(self._folder / "password", password)
            entry["password_file"] = str(self._folder / "password")
        for _ in range(START_ATTEMPTS):
            port = _free_udp_port(0 if self._relay else self._port)
            self._configure(
                bmc_folder.lan_configuration(
                    port, self._login.username, password, with_dcmi=note is None, face=self._face
                )
            )
            if await self._launch(program, port):
                outer = await self._open(program, port)
                url = f"ipmi://{self._door.host}:{outer}?cipher={CIPHER}&privilege={PRIVILEGE}"
                return {"url": url, **entry}
        raise ConnectionFailed(f"ipmi_sim does not answer: {self._first_words()}.", "Start it again.")

    @property
    def note(self) -> str | None:
        return " ".join([*self._notes, *([self._trouble] if self._trouble else [])]) or None

    @property
    def upkeep(self) -> Sequence[asyncio.Task[None]]:
        return [self._watching] if self._watching is not None else []

    async def stop(self) -> None:
        tasks = [task for task in (self._mishap, self._watching) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._relay is not None:
            self._relay.stop()
        if self._process is not None:
            self._signal(signal.SIGCONT)
            await stop_child(self._process)

    async def _open(self, program: str, port: int) -> int:
        """Let clients in; return the port on which they come."""
        self._port = port
        if self._relay is None:
            return port
        try:
            outer = await self._relay.start(self._outer_port, port)
        except ConnectionFailed:
            await self.stop()
            raise
        self._watching = asyncio.create_task(self._watch(program))
        return outer

    async def _watch(self, program: str) -> None:
        """Start ipmi_sim again whenever it has ended, or answers nothing more."""
        pause_s = RESTART_S
        while self._process is not None:
            try:
                async with asyncio.timeout(PROBE_S):
                    await self._process.wait()
            except TimeoutError:
                if any([await _answers(self._port) for _ in range(PROBES)]):
                    pause_s = RESTART_S
                    continue
                self._signal(signal.SIGKILL)
                await self._process.wait()
            self._trouble = f"It does not answer: ipmi_sim has ended ({self._first_words()}) and is started again."
            LOG.warning("ipmi_sim has ended and is started again in %g s: %s.", pause_s, self._first_words())
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_RESTART_S)
            try:
                if await self._launch(program, self._port):
                    self._trouble = None
            except OSError as error:
                LOG.warning("ipmi_sim cannot be started: %s.", error.strerror)

    def _checked_password(self) -> str:
        """Return the password. Raises `ConfigurationError` where IPMI cannot have this login, or none is configured."""
        if self._face is not None and self._door.credentials is None:
            raise ConfigurationError("IPMI has no BMC without a login.", "Configure a user and a password.")
        username, password = self._login.username, self._login.password()
        for name, text, most in (("user", username, LONGEST_USERNAME), ("password", password, LONGEST_PASSWORD)):
            if not 0 < len(text) <= most or plain(text) != text or " " in text:
                raise ConfigurationError(
                    f"A {name} of IPMI has 1 to {most} characters of ASCII, without spaces, quotes and backslashes.",
                    f"Choose another {name}.",
                )
        return password

    def inject(self, fault: Fault) -> None:
        """Schedule a fault after those before it. Raises `ConfigurationError` for another fault."""
        self._faults.add(fault)
        if self._mishap is None or self._mishap.done():
            self._mishap = asyncio.get_running_loop().create_task(self._suffer())

    def sense(self, inside: Inside) -> None:
        self._inside = inside

    def show(self, indication: Indication | None, _absent: Absent | None = None) -> None:
        """Update the BMC's view: power, total and per supply (a phase each), with temperatures and fans."""
        inside, total = self._inside, indication.total if indication else {}
        supplies = [phase.get("power") for phase in indication.phases] if indication else []
        values: tuple[float | None, ...] = (total.get("power"), total.get("voltage"))
        if self._face is None:
            values = (inside.inlet_c, inside.cpu_c, inside.fan_rpm, inside.fan_rpm, total.get("power"), *supplies)
        self._values = {
            sensor: value
            for sensor, value in zip(self._sensors, values, strict=False)
            if value is not None and math.isfinite(value) and (self._face is None or sensor.shows(value))
        }
        texts = {sensor.file_name: str(sensor.raw(value)) for sensor, value in self._values.items()}
        power_line = self._statistics.update(total.get("power"), indication.stamps if indication else ())
        dcmi = {bmc_folder.DCMI_FILE: power_line if self._has_dcmi else bmc_folder.NO_DCMI}
        write_values(self._folder, texts | dcmi)
        self._scan()

    def _scan(self) -> None:
        """Let the sensors that have a value show it, and the others none."""
        if self._process is None or self._process.returncode is not None or self._process.stdin is None:
            return
        changed = [sensor for sensor in self._sensors if (sensor in self._values) != (sensor in self._scanned)]
        self._scanned = set(self._values)
        if changed:
            self._process.stdin.write("".join(sensor.scanning(self._values.get(sensor)) for sensor in changed).encode())

    def _configure(self, text: str) -> None:
        path = self._folder / "lan.conf"
        path.unlink(missing_ok=True)
        write_secret(path, text)

    async def _launch(self, program: str, port: int) -> bool:
        argv = [program, "-c", "lan.conf", "-f", "chassis.emu", "-s", str(self._folder / "state")]
        with (self._folder / "ipmi_sim.log").open("wb") as log:
            self._process = await start_bound(argv, self._folder, log, limited=self._face is not None)
        self._scanned.clear()
        deadline = asyncio.get_running_loop().time() + START_TIMEOUT_S
        while self._process.returncode is None and asyncio.get_running_loop().time() < deadline:
            if await _answers(port):
                self._scan()
                return True
        await stop_child(self._process)
        return False

    async def _suffer(self) -> None:
        """Run the scheduled faults, one after another."""
        while (fault := self._faults.take()) is not None:
            match fault:
                case Freeze():
                    self._signal(signal.SIGSTOP)
                    await asyncio.sleep(fault.seconds)
                    self._signal(signal.SIGCONT)
                case NoDcmi():
                    self._has_dcmi = False
                    write_values(self._folder, {bmc_folder.DCMI_FILE: bmc_folder.NO_DCMI})
                    await asyncio.sleep(fault.seconds)
                    self._has_dcmi = True
                case Restart():
                    self._signal(signal.SIGKILL)
                    await asyncio.sleep(fault.seconds)
                    self._statistics.restart()
                    await self._launch(bmc_folder.find_program("ipmi_sim"), self._port)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    def _first_words(self) -> str:
        lines = (self._folder / "ipmi_sim.log").read_text("utf-8", "replace").splitlines()
        return lines[0].strip() if lines else "it says nothing"


def make_speaker(device: SpeakerSpec) -> IpmiBmc:
    """Create the BMC of the server that the device measures, in a separate folder; or of a meter."""
    if device.face is not None:
        device.folder.mkdir(parents=True, exist_ok=True)
        sensors = meter_sensors(device.largest_w or USUAL_MOST_W)
        note = None
        if device.largest_w is None:
            watts = sensors[0]
            note = (
                f"The range of the meter is not known: the sensor of power shows steps of {watts.step:g} W up to "
                f"{watts.most:g} W, and DCMI every watt."
            )
        return IpmiBmc(
            device.folder,
            sensors,
            device.around.now,
            port=device.port,
            face=device.face,
            door=device.door,
            note=note,
        )
    sensors = chassis_sensors(device.supplies, 1.2 * (device.largest_w or USUAL_MOST_W))
    device.folder.mkdir()
    return IpmiBmc(device.folder, sensors, device.around.now, port=device.port)


class _PowerStatistics:
    """DCMI's least, greatest and mean power since the BMC started, or since it had no reading for the last time.

    Over a time without readings nothing is known, so that statistics that include it would not be true. They begin
    again, too, before their period is longer than DCMI can say. ``now`` is that of stamps [Unix s]; the period counts
    by ``elapsed_ns``, which nobody sets [ns].
    """

    def __init__(self, now: Callable[[], float], elapsed_ns: Callable[[], int] = uninterrupted_ns) -> None:
        self._now = now
        self._elapsed_ns = elapsed_ns
        self.restart()

    def restart(self) -> None:
        self._begin_ns = self._elapsed_ns()
        self._least = self._greatest = self._sum = self._count = 0
        self._seen_stamps: tuple[int, ...] = ()
        self._pauses = False

    def update(self, power_w: float | None, stamps: tuple[int, ...] = ()) -> str:
        """Add a reading [W] and write the line that the DCMI module reads; an empty one is no reading.

        DCMI's power is a whole number from 0 to 65,535 W (DCMI 1.5, table 6-16); another one cannot be said. A reading
        with the stamps of the one before [UTC ns] is the same one; without any, each is another.
        """
        if power_w is None or not 0 <= power_w <= MOST_WATTS:
            self.restart()
            self._pauses = True
            return "\n"
        watts, now_ns = round(power_w), self._elapsed_ns()
        if (now_ns - self._begin_ns) // NS_PER_MS > LONGEST_MS:
            self.restart()
        if not stamps or stamps != self._seen_stamps:
            self._seen_stamps = stamps
            if self._pauses:
                self._begin_ns, self._pauses = now_ns, False
            self._least = min(self._least, watts) if self._count else watts
            self._greatest = max(self._greatest, watts)
            self._sum, self._count = self._sum + watts, self._count + 1
        read_s = max(stamps) / 1e9 if stamps else self._now()
        mean, period_ms = round(self._sum / self._count), max(0, now_ns - self._begin_ns) // NS_PER_MS
        return f"{watts} {self._least} {self._greatest} {mean} {int(read_s)} {period_ms}\n"


def _free_udp_port(wanted: int) -> int:
    """Find a free loopback port, or make sure that the wanted one (not 0) is free."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((LOOPBACK, wanted))
        except OSError as error:
            raise port_refused("UDP", wanted, error) from None
        return int(probe.getsockname()[1])


async def _answers(port: int) -> bool:
    """Probe the authentication capabilities; return whether there was any answer."""
    loop = asyncio.get_running_loop()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.setblocking(False)
        try:
            client.connect((LOOPBACK, port))
            await loop.sock_sendall(client, _AUTHENTICATION_CAPABILITIES)
            async with asyncio.timeout(0.2):
                await loop.sock_recv(client, 64)
        except TimeoutError:
            return False
        except OSError:
            await asyncio.sleep(0.05)
            return False
    return True


async def start_bound(argv: list[str], folder: Path, log: IO[bytes], *, limited: bool = False) -> Process:
    """Start a program, with its errors in a log, that the kernel kills when this process dies, however it dies.

    ``limited``: it cannot grow beyond the limits of a child that strangers talk to. Call it from the main thread.
    Raises OSError when it cannot be started.
    """
    bind = die_with_parent()

    def prepare() -> None:
        bind()
        if limited:
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_LOG, MOST_LOG))

    return await asyncio.create_subprocess_exec(
        *argv, cwd=folder, stdin=PIPE, stdout=DEVNULL, stderr=log, preexec_fn=prepare
    )


async def stop_child(process: Process) -> None:
    """Stop a child: ask, wait, then kill."""
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(STOP_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
