"""One GPU of the driver: found, described, queried. Every call here may block."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pynvml

from wattmark_drivers.catalogue.nvml_map import NvmlChannel
from wattmark_drivers.clock import Clock, Stamp, stamp_since
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.nvml.address import NvmlAddress
from wattmark_drivers.nvml.queries import QUERIES, Handle

ABSENT = frozenset(
    {pynvml.NVML_ERROR_NOT_SUPPORTED, pynvml.NVML_ERROR_FUNCTION_NOT_FOUND, pynvml.NVML_ERROR_DEPRECATED}
)
"""This GPU or this driver never answers that question."""
LOST = frozenset(
    {
        pynvml.NVML_ERROR_UNINITIALIZED,
        pynvml.NVML_ERROR_DRIVER_NOT_LOADED,
        pynvml.NVML_ERROR_GPU_IS_LOST,
        pynvml.NVML_ERROR_RESET_REQUIRED,
        pynvml.NVML_ERROR_GPU_NOT_FOUND,
    }
)
"""The GPU is gone; any other error means that there is no value now."""


@dataclass(frozen=True, slots=True)
class NvmlAnswer:
    """The library's reply to one query; ``number`` None where it had no value now."""

    channel: NvmlChannel
    number: int | None
    t_ns: int
    stamp: Stamp


class Gpu:
    """A GPU with the library held open; not reusable after `close`."""

    def __init__(self, address: NvmlAddress, clock: Clock) -> None:
        """Open the library and find the GPU. Raises a `DriverError`."""
        self._clock = clock
        self._place = str(address)
        try:
            pynvml.nvmlInit()
        except pynvml.NVMLError as error:
            raise explain(error, self._place) from None
        try:
            self._handle = _find(address)
            self.uuid = _text(lambda: pynvml.nvmlDeviceGetUUID(self._handle))
            self.name = _text(lambda: pynvml.nvmlDeviceGetName(self._handle)) or "NVIDIA GPU"
            self.driver = _text(pynvml.nvmlSystemGetDriverVersion)
            self.limit_w = _limit_w(self._handle)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the library. Never raises."""
        with contextlib.suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()

    def supported(self, channels: Sequence[NvmlChannel]) -> list[NvmlChannel]:
        """List the channels that this GPU and this driver know. Raises `ConnectionFailed` when the GPU is lost."""
        return [channel for channel in channels if self._knows(channel)]

    def ask(self, channels: Sequence[NvmlChannel]) -> list[NvmlAnswer]:
        """Read all channels once. Raises `ConnectionFailed` when the GPU is lost."""
        return [self._ask(channel) for channel in channels]

    def _knows(self, channel: NvmlChannel) -> bool:
        try:
            QUERIES[channel.query](self._handle)
        except pynvml.NVMLError as error:
            if error.value in LOST:
                raise explain(error, self._place) from None
            return error.value not in ABSENT
        return True

    def _ask(self, channel: NvmlChannel) -> NvmlAnswer:
        asked_ns = self._clock.monotonic_ns()
        try:
            number: int | None = QUERIES[channel.query](self._handle)
        except pynvml.NVMLError as error:
            if error.value in LOST:
                raise explain(error, self._place) from None
            number = None
        return NvmlAnswer(channel, number, self._clock.monotonic_ns(), stamp_since(self._clock, asked_ns))


def _find(address: NvmlAddress) -> Handle:
    count = None
    try:
        count = int(pynvml.nvmlDeviceGetCount())
        if address.uuid is not None:
            handle = pynvml.nvmlDeviceGetHandleByUUID(address.uuid)
        else:
            handle = pynvml.nvmlDeviceGetHandleByIndex(address.index)
    except pynvml.NVMLError as error:
        raise explain(error, str(address), count) from None
    if _is_mig(handle):
        raise ConfigurationError(f"{address} is a MIG instance; no sensor measures its power.", "Use its GPU instead.")
    return handle


def _is_mig(handle: Handle) -> bool:
    try:
        return bool(pynvml.nvmlDeviceIsMigDeviceHandle(handle).value)
    except pynvml.NVMLError:
        return False


def _limit_w(handle: Handle) -> float | None:
    """Read the power limit in force or the one as shipped, whichever is higher [W]; None where neither is reported."""
    limits_mw = []
    for ask in (pynvml.nvmlDeviceGetEnforcedPowerLimit, pynvml.nvmlDeviceGetPowerManagementDefaultLimit):
        with contextlib.suppress(pynvml.NVMLError):
            limits_mw.append(int(ask(handle)))
    return max(limits_mw, default=0) / 1000 or None


def _text(ask: Callable[[], object]) -> str | None:
    """Read a text; None where there is none or it is not text."""
    try:
        return str(ask()) or None
    except (pynvml.NVMLError, UnicodeDecodeError):
        return None


def explain(error: pynvml.NVMLError, gpu: str, count: int | None = None) -> DriverError:
    """Convert an error of the library to a cause and a remedy; ``count`` is how many GPUs the driver has."""
    code = error.value
    if code == pynvml.NVML_ERROR_LIBRARY_NOT_FOUND:
        return ConfigurationError(
            "The library libnvidia-ml.so.1 of the NVIDIA driver is missing or broken.",
            "Install the NVIDIA driver on this machine; a GPU is read on the machine that holds it.",
        )
    if code == pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH:
        return ConfigurationError("The NVIDIA driver and its library have different versions.", "Restart the machine.")
    if code == pynvml.NVML_ERROR_NO_PERMISSION:
        return ConfigurationError(f"This user may not read {gpu}.", "Give this user access to /dev/nvidia*.")
    if code in (pynvml.NVML_ERROR_NOT_FOUND, pynvml.NVML_ERROR_INVALID_ARGUMENT) and count is not None:
        have = "1 GPU, with index 0" if count == 1 else f"{count} GPUs, with indices from 0"
        return ConfigurationError(f"There is no {gpu}.", f"The driver has {have}.")
    if code == pynvml.NVML_ERROR_DRIVER_NOT_LOADED:
        return ConnectionFailed("The NVIDIA driver is not loaded.", "Load it, for example by running nvidia-smi.")
    return ConnectionFailed(
        f"{gpu} does not answer: {_words(error)}.", "wattmark retries; see the output of nvidia-smi and dmesg."
    )


def _words(error: pynvml.NVMLError) -> str:
    return str(error).rstrip(".").lower() or f"error {error.value}"
