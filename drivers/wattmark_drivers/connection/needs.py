"""Requirements of a model beyond a plain installation."""

from __future__ import annotations

from collections.abc import Collection
from importlib.util import find_spec

from wattmark_drivers.engines import ENGINES

VISA = frozenset({"vxi11", "hislip", "usbtmc"})
"""Schemes that need the extra of that name."""
PACKAGES = {
    "kasa": "kasa",
    "mqtt": "aiomqtt",
    "nvml": "pynvml",
    "plugs": "httpx2",
    "redfish": "httpx2",
    "snmp": "pysnmp",
    "visa": "pyvisa",
}
"""A package that each extra brings."""


def extra_of(engine: str, schemes: Collection[str]) -> str | None:
    """Return the extra that a model needs; None where a plain installation suffices."""
    return "visa" if schemes and set(schemes) <= VISA else ENGINES[engine].extra


def missing(extra: str | None) -> str | None:
    """Explain how to install an extra that is not there; None where nothing is missing."""
    if extra is None or find_spec(PACKAGES[extra]) is not None:
        return None
    return f"Install it with: pip install 'wattmark[{extra}]'."
