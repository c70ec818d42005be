"""Say what an error of NVML means for the person who measures."""

from __future__ import annotations

import pynvml

from wattmark_drivers.errors import ConfigurationError, ConnectionFailed, DriverError

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


def explain(error: pynvml.NVMLError, gpu: str, count: int | None = None) -> DriverError:
    """Convert an error of the library to a cause and a remedy; ``count`` is how many GPUs the driver has."""
    code = error.value
    if code == pynvml.NVML_ERROR_LIBRARY_NOT_FOUND:
        return ConfigurationError(
            "The library libnvidia-ml.so.1 of the NVIDIA driver is missing or broken.",
            "Install the NVIDIA driver on this machine; a GPU is read on the machine that holds it.",
        )
    if code == pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH:
        return ConfigurationError("The NVIDIA driver and its library differ in version.", "Restart the machine.")
    if code == pynvml.NVML_ERROR_NO_PERMISSION:
        return ConfigurationError(f"This user may not read {gpu}.", "Give it access to /dev/nvidia*.")
    if code in (pynvml.NVML_ERROR_NOT_FOUND, pynvml.NVML_ERROR_INVALID_ARGUMENT) and count is not None:
        have = "1 GPU, with index 0" if count == 1 else f"{count} GPUs, with indices from 0"
        return ConfigurationError(f"There is no {gpu}.", f"The driver has {have}.")
    if code == pynvml.NVML_ERROR_DRIVER_NOT_LOADED:
        return ConnectionFailed("The NVIDIA driver is not loaded.", "Load it, for example by running nvidia-smi.")
    return ConnectionFailed(f"{gpu} does not answer: {_words(error)}.", "It is tried again; see nvidia-smi and dmesg.")


def _words(error: pynvml.NVMLError) -> str:
    return str(error).rstrip(".").lower() or f"error {error.value}"
