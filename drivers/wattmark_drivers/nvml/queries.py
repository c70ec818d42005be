"""The questions to NVML, each a call that returns a whole number or raises `pynvml.NVMLError`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pynvml

from wattmark_drivers.catalogue.nvml_map import Query

Handle = Any
"""pynvml's handle of a device, which it does not type."""
_VALUES = {
    pynvml.NVML_VALUE_TYPE_UNSIGNED_INT: "uiVal",
    pynvml.NVML_VALUE_TYPE_UNSIGNED_LONG: "ulVal",
    pynvml.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG: "ullVal",
    pynvml.NVML_VALUE_TYPE_SIGNED_LONG_LONG: "sllVal",
    pynvml.NVML_VALUE_TYPE_SIGNED_INT: "siVal",
}


def _field(handle: Handle, field: int) -> int:
    answer = pynvml.nvmlDeviceGetFieldValues(handle, [field])[0]
    if answer.nvmlReturn != pynvml.NVML_SUCCESS:
        raise pynvml.NVMLError(answer.nvmlReturn)
    if answer.valueType not in _VALUES:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
    return int(getattr(answer.value, _VALUES[answer.valueType]))


def _newer(handle: Handle, new: Callable[[Handle], int], old: Callable[[Handle], int]) -> int:
    """Call the newer of two functions; older drivers have only the older one."""
    try:
        return new(handle)
    except pynvml.NVMLError as error:
        if error.value != pynvml.NVML_ERROR_FUNCTION_NOT_FOUND:
            raise
        return old(handle)


def _temperature(handle: Handle) -> int:
    sensor = pynvml.NVML_TEMPERATURE_GPU
    return _newer(
        handle,
        lambda h: int(pynvml.nvmlDeviceGetTemperatureV(h, sensor)),
        lambda h: int(pynvml.nvmlDeviceGetTemperature(h, sensor)),
    )


def _clock_limits(handle: Handle) -> int:
    return _newer(
        handle,
        lambda h: int(pynvml.nvmlDeviceGetCurrentClocksEventReasons(h)),
        lambda h: int(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(h)),
    )


def _memory_ppm(handle: Handle) -> int:
    memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
    if not 0 < memory.total >= memory.used:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_NO_DATA)
    return int(memory.used * 1_000_000 // memory.total)


QUERIES: dict[Query, Callable[[Handle], int]] = {
    "energy": lambda h: int(pynvml.nvmlDeviceGetTotalEnergyConsumption(h)),
    "power_average": lambda h: _field(h, pynvml.NVML_FI_DEV_POWER_AVERAGE),
    "power_instant": lambda h: _field(h, pynvml.NVML_FI_DEV_POWER_INSTANT),
    "power_usage": lambda h: int(pynvml.nvmlDeviceGetPowerUsage(h)),
    "temperature": _temperature,
    "clock_sm": lambda h: int(pynvml.nvmlDeviceGetClockInfo(h, pynvml.NVML_CLOCK_SM)),
    "clock_memory": lambda h: int(pynvml.nvmlDeviceGetClockInfo(h, pynvml.NVML_CLOCK_MEM)),
    "utilisation_gpu": lambda h: int(pynvml.nvmlDeviceGetUtilizationRates(h).gpu),
    "utilisation_memory": lambda h: int(pynvml.nvmlDeviceGetUtilizationRates(h).memory),
    "memory_used": _memory_ppm,
    "clock_limits": _clock_limits,
}
