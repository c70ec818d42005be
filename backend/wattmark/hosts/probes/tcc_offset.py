"""How far below its TjMax an Intel processor may throttle itself: the offset of its thermal control circuit (TCC).

Sources: intel_tcc.c (the temperature at which it throttles is TjMax less the offset; how large that can be, by model),
intel_tcc_cooling.c, and processor_thermal_device.c with the kernel's Documentation/driver-api/thermal/intel_dptf.rst.
These files are of machines with one package; elsewhere the register is readable by root alone, and not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from wattmark.hosts.probes.files import Texts

MODEL = "/sys/devices/system/cpu/modalias"
_OF_DEVICE = "/sys/bus/pci/devices/0000:00:04.0/tcc_offset_degree_celsius"
_STATE = "/cur_state"
FILES = (MODEL, _OF_DEVICE, "/sys/class/thermal/cooling_device*/type", f"/sys/class/thermal/cooling_device*{_STATE}")
_COOLING = "TCC Offset"
_MODEL = re.compile(r"ven0000fam0006mod([0-9A-Fa-f]{4})")
"""Intel's family 6 in the text of modalias: "cpu:type:x86,ven0000fam0006mod0055:feature:..."."""
_NONE = (
    "0E 0F 16 17 1D 1E 1F 1A 2E 25 2C 2F 2A 2D 3A 3C 45 46 1C 26 36 27"  # Core, Nehalem to Sandy Bridge, client Haswell
)
_OF_FOUR_BITS = "3E 3F 4F 56 55"  # servers from Ivy Bridge to Cascade Lake
_OF_SIX_BITS = (
    "3D 47 4E 5E 8E 9E A5 A6 66 6A 6C 7E 7D 9D A7 8C 8D 8F CF 8A 97 9A B7 BA BF 37 4D 4A 4C 5A 75 86 96 9C BE 57 85"
)
_LARGEST: Mapping[int, float] = {
    int(model, 16): largest
    for largest, models in ((0.0, _NONE), (15.0, _OF_FOUR_BITS), (63.0, _OF_SIX_BITS))
    for model in models.split()
}
UNKNOWN_MODEL = 127.0
"""The largest that the register has bits for."""


def offset_file(texts: Texts, packages: int) -> str | None:
    """Find the file with the offset [°C]; None where there is none, or several packages that it may not be of."""
    if packages != 1:
        return None
    if _OF_DEVICE in texts:
        return _OF_DEVICE
    folders = (path.removesuffix("/type") for path in texts if path.startswith("/sys/class/thermal/cooling_device"))
    named = (folder for folder in folders if texts.get(f"{folder}/type", "").strip() == _COOLING)
    return next((f"{folder}{_STATE}" for folder in named if f"{folder}{_STATE}" in texts), None)


def largest_offset(texts: Texts) -> float:
    """Return how large the offset of this model can be [°C]; of a model that is not known, the largest there is."""
    match = _MODEL.search(texts.get(MODEL, ""))
    return _LARGEST.get(int(match[1], 16), UNKNOWN_MODEL) if match else UNKNOWN_MODEL
