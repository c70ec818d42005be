"""A library with the public signatures of NVML, compiled here and loaded by the real nvidia-ml-py. Needs cc."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pynvml
import pytest
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.settings import MeterSettings

from tests.set_clock import SetClock

NS = 1_000_000_000


class Planted:
    """What the library answers."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def set(self, question: str, value: int = 0, *, device: int = 0, error: int = 0) -> None:
        self._library.fake_nvml_set(
            question.encode(), ctypes.c_uint(device), ctypes.c_ulonglong(value % 2**64), ctypes.c_int(error)
        )

    @property
    def opened(self) -> int:
        """How often the library is open."""
        return int(self._library.fake_nvml_opened())


def build(folder: Path, *options: str) -> ctypes.CDLL:
    """Compile the library and load it."""
    target = folder / "libnvidia-ml.so.1"
    source = Path(__file__).with_name("fake_nvml.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", *options, "-o", target, source], check=True)
    return ctypes.CDLL(str(target))


@pytest.fixture(scope="session")
def new_driver(tmp_path_factory) -> ctypes.CDLL:
    return build(tmp_path_factory.mktemp("nvml"))


@pytest.fixture(scope="session")
def old_driver(tmp_path_factory) -> ctypes.CDLL:
    return build(tmp_path_factory.mktemp("nvml-old"), "-DOLD_DRIVER")


def use(library: ctypes.CDLL, monkeypatch) -> Planted:
    """Let nvidia-ml-py call this library; it would keep the first one that it found."""
    monkeypatch.setattr(pynvml, "nvmlLib", library)
    monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
    library.fake_nvml_reset()
    return Planted(library)


@pytest.fixture
def nvml(new_driver, monkeypatch) -> Planted:
    """A GPU that knows everything."""
    planted = use(new_driver, monkeypatch)
    for question, value in {
        "energy": 3_600_000_000, "power_average": 310_500, "power_instant": 402_250, "power_usage": 310_000,
        "temperature": 61, "clock_sm": 1_980, "clock_memory": 2_619, "utilisation_gpu": 97, "utilisation_memory": 43,
        "memory_used": 20 * 2**30, "memory_total": 80 * 2**30, "clock_limits": 0x4,
    }.items():  # fmt: skip
        planted.set(question, value)
    return planted


@pytest.fixture
def old_nvml(old_driver, monkeypatch) -> Iterator[Planted]:
    """A GPU before Volta on a driver without field values and without the newer functions."""
    planted = use(old_driver, monkeypatch)
    for question, value in {"power_usage": 90_000, "temperature": 50, "clock_limits": 0x1}.items():
        planted.set(question, value)
    return planted


@pytest.fixture
def clock() -> SetClock:
    return SetClock(0, 1_795_000_000 * NS)


@pytest.fixture
def make(clock):
    """Make a meter on a URL."""

    def make(url: str = "nvml://0") -> Meter:
        return create_meter(MeterSettings("gpu", "nvidia.gpu", url), clock)

    return make
