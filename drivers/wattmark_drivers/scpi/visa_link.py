"""Links through pyvisa and pyvisa-py: VXI-11, HiSLIP, USBTMC. A dedicated thread makes the blocking calls."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any, TypeVar

from wattmark_drivers.errors import ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.scpi.address import VisaAddress
from wattmark_drivers.scpi.links import NoAnswer
from wattmark_drivers.traffic import tell

BACKEND = "@py"
PORT_MAPPER, OPEN_S = 111, 5.0
_T = TypeVar("_T")
REMEDY = (
    "Check the address and that the device is on; for USB, that libusb is installed and this user may open the device."
)


def load_pyvisa() -> Any:
    """Import pyvisa and its pure Python backend. Raises `ConfigurationError` naming the extra."""
    try:
        import_module("pyvisa_py")
        warnings.filterwarnings("ignore", "TCPIP::.*discovery requires")  # nothing is looked for on the network
        return import_module("pyvisa")
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"VXI-11, HiSLIP and USBTMC need the Python package {error.name}, which is not installed.",
            "Install it with: pip install 'wattmark[visa]'. A raw TCP port or a serial port needs no extra.",
        ) from None


class VisaLink:
    """Messages over a VISA resource, which itself knows where a message ends."""

    def __init__(self, address: VisaAddress, *, send_end: str = "\n", backend: str = BACKEND) -> None:
        self._pyvisa = load_pyvisa()
        self._address = address
        self._send_end = send_end
        self._backend = backend
        self._manager: Any = None
        self._resource: Any = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="visa")

    async def open(self) -> None:
        """Open the resource. Raises `ConnectionFailed`."""
        await self._run(self._open)

    async def send(self, message: str) -> None:
        await self._run(lambda: self._resource.write_raw((message + self._send_end).encode("ascii")))
        tell("sent", message + self._send_end)

    async def receive(self, patience_s: float, *, block: bool = False) -> bytes:
        """Wait for a message. Raises `NoAnswer`."""
        message = await self._run(lambda: self._read(patience_s))
        tell("received", message)
        return message.removesuffix(b"\n") if block else message.rstrip(b"\r\n")

    async def clear(self, quiet_gap_s: float) -> None:
        """Clear the device, so that it forgets what it was about to answer; read it empty where it has no clear."""
        if not await self._run(self._clear):
            with contextlib.suppress(NoAnswer):
                while True:
                    await self.receive(quiet_gap_s)

    async def close(self) -> None:
        with contextlib.suppress(DriverError):
            await self._run(self._close)
        self._thread.shutdown(wait=False)

    async def _run(self, call: Callable[[], _T]) -> _T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, call)
        except DriverError:
            raise
        except Exception as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> ConnectionFailed:
        status = getattr(error, "error_code", None)
        if status == self._pyvisa.constants.StatusCode.error_timeout:
            return NoAnswer(f"{self._address.label} does not answer in time.", "Raise timeout_s if this repeats.")
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        return ConnectionFailed(f"{self._address.label}: {reason}.", REMEDY)

    def _open(self) -> None:
        self._manager = self._pyvisa.ResourceManager(self._backend)
        name = self._address.resource
        if "?*" in name:
            resources = self._search(name)
            if len(resources) != 1:
                raise ConnectionFailed(
                    f"{self._address.label}: {len(resources)} such devices are connected.",
                    "Add the serial number to the address." if resources else REMEDY,
                )
            name = resources[0]
        if self._backend == BACKEND:
            self._knock(name)
        self._resource = self._manager.open_resource(name, write_termination="", read_termination="")

    def _knock(self, name: str) -> None:
        """Raise `OSError` where nothing serves VXI-11: pyvisa-py 0.8 asks too, and then leaves its socket open."""
        asked = self._pyvisa.rname.ResourceName.from_string(name)
        device = getattr(asked, "lan_device_name", "hislip")
        if not device.lower().startswith("hislip"):
            host, _, port = asked.host_address.partition(",")
            socket.create_connection((host, int(port or PORT_MAPPER)), OPEN_S).close()

    def _search(self, pattern: str) -> tuple[str, ...]:
        try:
            return tuple(self._manager.list_resources(pattern))
        except self._pyvisa.errors.VisaIOError as error:
            if error.error_code == self._pyvisa.constants.StatusCode.error_resource_not_found:
                return ()
            raise

    def _clear(self) -> bool:
        """Send the device clear; False when the backend cannot."""
        try:
            self._resource.clear()
        except (NotImplementedError, self._pyvisa.errors.VisaIOError) as error:
            code = getattr(error, "error_code", self._pyvisa.constants.StatusCode.error_nonsupported_operation)
            if code != self._pyvisa.constants.StatusCode.error_nonsupported_operation:
                raise
            return False
        return True

    def _read(self, patience_s: float) -> bytes:
        self._resource.timeout = max(1, round(patience_s * 1000))
        return bytes(self._resource.read_raw())

    def _close(self) -> None:
        resource, manager, self._resource, self._manager = self._resource, self._manager, None, None
        for handle in (resource, manager):
            if handle is not None:
                with contextlib.suppress(Exception):
                    handle.close()
