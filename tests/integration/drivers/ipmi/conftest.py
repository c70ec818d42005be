"""A BMC by OpenIPMI's ipmi_sim, whose DCMI answer and sensors a test sets. Needs the packages openipmi and ipmitool."""

from __future__ import annotations

import asyncio
import mmap
import os
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ...ports import free_port

LAN = """name "bmc"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 {port}
    priv_limit admin
    allowed_auths_callback none md2 md5 straight
    allowed_auths_user none md2 md5 straight
    allowed_auths_operator none md2 md5 straight
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  user 1 true "" "" user 10 none md2 md5 straight
  user 2 true "admin" "secret1" admin 10 none md2 md5 straight
  user 3 true "meter" "watts" user 10 none md2 md5 straight
"""
LOAD_DCMI = 'loadlib "./dcmi_module.so" "dcmi.hex"\n'
# number, name, SDR type, type code, unit, multiplier, entity; FAN1 is packed into 6 bits, which ipmitool garbles
SENSORS = [
    (1, "Inlet Temp", "Temperature", 0x01, "degrees_C", 1, "external_environment"),
    (3, "FAN1", "Fan", 0x04, "RPM", 60, "fan_cooling_device"),
    (5, "PSU1 Input Power", "Other_Units_Based_Sensor", 0x0B, "Watts", 4, "power_supply"),
    (7, "PSU1 Voltage", "Voltage", 0x02, "Volts", 1, "power_supply"),
    (8, "Pwr Consumption", "Other_Units_Based_Sensor", 0x0B, "Watts", 8, "system_board"),
]
SUPPLIES = [
    (5, "PS1 Power In", "Other_Units_Based_Sensor", 0x0B, "Watts", 4, "power_supply"),
    (6, "PS2 Power In", "Other_Units_Based_Sensor", 0x0B, "Watts", 4, "power_supply"),
    (7, "Power Supply 1", "Other_Units_Based_Sensor", 0x0B, "Watts", 4, "power_supply"),
]
SDR = """sdr type 1
	sensor_owner_id 0x20
	sensor_owner_lun 0
	channel_number 0
	sensor_number {number}
	entity_id {entity}
	entity_instance 1
	sensor_type {kind}
	init_scanning true
	init_sensor_type true
	default_sensor_scan_on true
	event_reading_type_code 1
	analog_data_format unsigned
	rate_unit none
	modifier_unit none
	percentage false
	base_unit {unit}
	modifier_unit_code unspecified
	linearization linear
	m {multiplier}
	tolerance 0
	b 0
	accuracy 1
	accuracy_exp 0
	sensor_direction input
	r_exp 0
	b_exp 0
	sensor_maximum 255
	sensor_minimum 0
	id_string "{name}"
endsdr
"""
MASK = "000000000000000"


class Bmc:
    """One simulated BMC in a folder of its own."""

    def __init__(
        self,
        folder: Path,
        module: Path | None,
        preload: Path | None = None,
        sensors: Sequence[tuple[int, str, str, int, str, int, str]] = SENSORS,
    ) -> None:
        self.folder = folder
        self._sensors = sensors
        self._environment = os.environ | ({"LD_PRELOAD": str(preload)} if preload else {})
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port(kind=socket.SOCK_DGRAM)
        if module is not None:
            (folder / "dcmi_module.so").symlink_to(module)
        loading = LOAD_DCMI if module is not None else ""
        (folder / "lan.conf").write_text(LAN.format(port=self.port) + loading)
        self._write_sensors()
        self.show_dcmi(623)
        for number, value in {1: 24, 3: 8400, 5: 312, 7: 230, 8: 616}.items():
            self.show(number, value)

    def url(self, options: str = "?privilege=ADMINISTRATOR") -> str:
        return f"ipmi://127.0.0.1:{self.port}{options}"

    def show(self, number: int, value: int) -> None:
        """Let a sensor show a value; it is polled each 100 ms."""
        (self.folder / f"s{number}.val").write_text(f"{value}\n")

    def show_dcmi(self, power_w: int, time_s: int = 1_795_234_338, state: int = 0x40) -> None:
        """Answer DCMI with this power, BMC time and state (DCMI 1.5, 6.6.1)."""
        self.answer_dcmi(struct.pack("<BHHHHIIB", 0xDC, power_w, 0, 9999, power_w, time_s, 5000, state).hex(" "))

    def answer_dcmi(self, text: str) -> None:
        """Answer DCMI with these hexadecimal bytes, "code XX", or not at all for an empty text."""
        (self.folder / "dcmi.new").write_text(text)
        (self.folder / "dcmi.new").replace(self.folder / "dcmi.hex")

    @property
    def running(self) -> bool:
        """Tell whether the process is there."""
        return self._process is not None

    def start(self) -> None:
        """Start it and wait until the sensors were polled."""
        self._process = subprocess.Popen(
            ["ipmi_sim", "-c", "lan.conf", "-f", "bmc.emu", "-s", "state", "-n"],
            cwd=self.folder, env=self._environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(0.5)

    def stop(self) -> None:
        """Kill it, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def restart_with(self, sensors: Sequence[tuple[int, str, str, int, str, int, str]]) -> None:
        """Start it again with other sensors, as after an update."""
        self.stop()
        self._sensors = sensors
        self._write_sensors()
        self.start()

    def freeze(self) -> None:
        """Let it hang."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def _write_sensors(self) -> None:
        commands = ["mc_setbmc 0x20", "mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr"]
        records = []
        for number, name, kind, code, unit, multiplier, entity in self._sensors:
            divide = "" if multiplier == 1 else f" div={multiplier}"
            commands.append(f'sensor_add 0x20 0 {number} {code} 0x01 poll 100 file "s{number}.val"{divide}')
            commands.append(
                f"sensor_set_event_support 0x20 0 {number} enable scanning none {MASK} {MASK} {MASK} {MASK}"
            )
            records.append(
                SDR.format(number=number, name=name, kind=kind, unit=unit, multiplier=multiplier, entity=entity)
            )
        (self.folder / "bmc.emu").write_text("\n".join([*commands, "mc_enable 0x20", ""]))
        (self.folder / "bmc.sdrs").write_text("\n".join(records))
        repository = self.folder / "state" / "ipmi_sim" / "bmc"
        repository.mkdir(parents=True, exist_ok=True)
        subprocess.run(["sdrcomp", "-o", repository / "sdr.20.main", self.folder / "bmc.sdrs"], check=True)


@pytest.fixture(scope="session")
def dcmi_module(tmp_path_factory) -> Path:
    """Compile the DCMI plug-in."""
    module = tmp_path_factory.mktemp("bmc") / "dcmi_module.so"
    source = Path(__file__).with_name("dcmi_module.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", module, source], check=True)
    return module


@pytest.fixture
def plain_bmc(tmp_path) -> Iterator[Bmc]:
    """Start a BMC that never heard of DCMI."""
    simulated = Bmc(tmp_path, None)
    simulated.start()
    yield simulated
    simulated.stop()


NS = 1_000_000_000


@pytest.fixture
def supplies_bmc(tmp_path) -> Iterator[Bmc]:
    """Start a BMC without DCMI that gives the watts of its supplies only."""
    simulated = Bmc(tmp_path, None, sensors=SUPPLIES)
    for number, value in {5: 132, 6: 160, 7: 36}.items():
        simulated.show(number, value)
    simulated.start()
    yield simulated
    simulated.stop()


FAST = 200
"""How much faster time passes for the hasty BMC, while a test lets it pass."""
START_S = 10
"""How much time it needs to start, of its own [s]."""


class HastyBmc(Bmc):
    """A BMC whose time passes when a test says so, faster than ours, and stands still otherwise."""

    def __init__(self, folder: Path, module: Path, shim: Path) -> None:
        super().__init__(folder, module, shim)
        clock = folder / "clock"
        clock.write_bytes(struct.pack("=2q", START_S * NS, 0))
        self._environment |= {"BMC_CLOCK": str(clock)}
        with clock.open("r+b") as file:
            self._clock = mmap.mmap(file.fileno(), 16)

    @property
    def passed_ns(self) -> int:
        """Return how much time passed for it [ns]."""
        passed_ns: int = struct.unpack_from("=q", self._clock, 8)[0]
        return passed_ns

    async def pass_s(self, seconds: float) -> None:
        """Let time pass for it, and wait until it has."""
        until_ns = self.passed_ns + int(seconds * NS)
        struct.pack_into("=q", self._clock, 0, until_ns)
        while self.passed_ns < until_ns:
            assert self._process is not None
            assert self._process.poll() is None
            await asyncio.sleep(0.005)


@pytest.fixture
def hasty_bmc(tmp_path, dcmi_module: Path) -> Iterator[HastyBmc]:
    """Start a BMC whose idle minutes pass when a test says so."""
    shim, source = tmp_path / "fast_clock.so", Path(__file__).with_name("fast_clock.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", f"-DFAST={FAST}", "-o", shim, source], check=True)
    simulated = HastyBmc(tmp_path, dcmi_module, shim)
    simulated.start()
    yield simulated
    simulated.stop()


@pytest.fixture(scope="session")
def shared_bmc(tmp_path_factory, dcmi_module: Path) -> Iterator[Bmc]:
    """Start a BMC that ends with the tests."""
    simulated = Bmc(tmp_path_factory.mktemp("bmc"), dcmi_module)
    yield simulated
    simulated.stop()


@pytest.fixture
def bmc(shared_bmc: Bmc) -> Bmc:
    """Give the BMC, running and as it was at first, to a test."""
    shared_bmc.show_dcmi(623)
    if not shared_bmc.running:
        shared_bmc.start()
    return shared_bmc
