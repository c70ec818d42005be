"""Start the simulator process from Python and talk to it."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from wattmark_drivers.errors import ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.simulators.control import request

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class SimulatedDevice:
    """How to reach one simulated device, or why it could not be started (``problem``).

    ``note`` says what it lacks (a BMC without DCMI where there is no C compiler).
    """

    url: str | None = None
    username: str | None = None
    password_file: Path | None = None
    note: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Planted:
    """What an experiment on a simulated server should find at full load [W/DIMM]."""

    watts_per_dimm_dc: float
    watts_per_dimm_wall: float
    dimm_counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ServerState:
    """The noise-free truth about a simulated server now."""

    dimms: int
    utilisation: float
    wall_power_w: float
    psu_power_w: tuple[float, ...]
    energy_j: float


class SimulatedLab:
    """A simulator process as a context manager, `with` or `async with`.

    It dies with this process, however this process dies. Raises `ConfigurationError` for a wrong specification and
    `ConnectionFailed` when the process does not come up.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        self._spec = spec
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None
        self._token = ""
        self.devices: dict[str, SimulatedDevice] = {}
        self.planted: dict[str, Planted] = {}
        self.control = ""
        self.token_file = Path()

    @property
    def pid(self) -> int | None:
        """Return the process id of the simulator while it runs."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process and wait until it is ready."""
        with tempfile.TemporaryFile() as errors:
            try:
                line = self._launch(errors)
            except BaseException:
                self.stop()
                raise
            if not line:
                raise self._failure(self.stop(), errors)
        self._take_over(json.loads(line))

    def stop(self) -> int | None:
        """Stop the process and remove what it may have left; return its exit code."""
        process, self._process = self._process, None
        if process is None or process.stdin is None or process.stdout is None:
            return None
        process.stdin.close()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        return process.returncode

    def set_dimms(self, server: str, dimms: int) -> None:
        """Replace a server's DIMM count at once. Raises `ControlRefused`."""
        self._request(server=server, dimms=dimms)

    def inject(self, device: str, **fault: Any) -> None:
        """Start a fault of `faults`: ``inject("wall", kind="delay", seconds=2.0)``. Raises `ControlRefused`."""
        self._request(device=device, fault=fault)

    def state(self, server: str) -> ServerState:
        """Read the true state of a server. Raises `ControlRefused`."""
        answer = self._request(server=server)
        answer.pop("ok")
        return ServerState(**{**answer, "psu_power_w": tuple(answer["psu_power_w"])})

    def _launch(self, errors: IO[bytes]) -> bytes:
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump(self._spec, file)
            file.flush()
            argv = [sys.executable, "-m", "wattmark_drivers.simulators", file.name]
            # Its own process group: Ctrl-C in a terminal reaches the parent alone, which then ends it in order.
            self._process = subprocess.Popen(
                argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, process_group=0
            )
            watchdog = threading.Timer(START_TIMEOUT_S, self._process.kill)
            watchdog.start()
            try:
                return self._process.stdout.readline() if self._process.stdout else b""
            finally:
                watchdog.cancel()

    @staticmethod
    def _failure(code: int | None, errors: IO[bytes]) -> DriverError:
        errors.seek(0)
        text = errors.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
        kind = ConfigurationError if code == 2 else ConnectionFailed
        return kind(text or "The simulator did not become ready in time.")

    def _take_over(self, ready: dict[str, Any]) -> None:
        self.devices = {name: _device(entry) for name, entry in ready["devices"].items()}
        self.planted = {
            name: Planted(**{**entry, "dimm_counts": tuple(entry["dimm_counts"])})
            for name, entry in ready["planted"].items()
        }
        self.control, self._token = ready["control"], ready["token"]
        self.token_file, self._folder = Path(ready["token_file"]), Path(ready["folder"])

    def _request(self, **message: Any) -> dict[str, Any]:
        return request(self.control, {"token": self._token, **message})

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self.start)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)


def _device(entry: dict[str, str]) -> SimulatedDevice:
    password_file = entry.pop("password_file", None)
    return SimulatedDevice(**entry, password_file=Path(password_file) if password_file else None)
