"""Power settings of a server for a run: one value each, and what they are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from wattmark.core.amounts import Number
from wattmark.core.schema import Record
from wattmark.runs.environment import Text

OnOff = Literal["on", "off"]
TITLES: Mapping[str, str] = {
    "governor": "CPU governor",
    "energy_preference": "energy preference",
    "turbo": "turbo",
    "smt": "SMT",
    "deepest_c_state": "deepest C-state",
    "power_cap_w": "power cap",
    "gpu_power_cap_w": "GPU power cap",
}
"""What each setting is called, in the order in which they are named."""
STEP_W = 0.125
"""RAPL keeps a limit in steps of 1/8 W (Intel SDM, MSR_RAPL_POWER_UNIT); a cap that is rounded so is the one asked
for."""
_SHORT = {
    "energy_preference": "epp",
    "deepest_c_state": "cstate",
    "power_cap_w": "cap",
    "gpu_power_cap_w": "gpucap",
}
"""What the name of a configuration has, where it is not the name of the setting."""


class PowerSettings(Record):
    """Settings that were made for a run and undone after it. None: left as it was."""

    governor: Text | None = None
    energy_preference: Text | None = None
    turbo: OnOff | None = None
    smt: OnOff | None = None
    deepest_c_state: Text | None = None
    """All deeper states are disabled."""
    power_cap_w: Number | None = None
    """Long-term limit of each CPU package [W]."""
    gpu_power_cap_w: Number | None = None
    """Limit of each GPU [W]."""

    def stated(self) -> Iterator[tuple[str, str]]:
        """Iterate over the settings that are made, with their values: ("power_cap_w", "125")."""
        for name in TITLES:
            value = getattr(self, name)
            if value is not None:
                yield name, f"{value:g}" if isinstance(value, float | int) else value

    def __bool__(self) -> bool:
        """Return whether any setting is made."""
        return any(True for _ in self.stated())

    def words(self, *names: str) -> str:
        """Name the settings for people, or some of them: "turbo off, power cap 125 W"."""
        return settings_words({name: value for name, value in self.stated() if not names or name in names})

    def variant(self, configuration: str) -> str:
        """Name a configuration under these settings: "fbdimm-4+turbo-off+cap-125W"; without any, as it is.

        The bench file is checked for configurations that would have one name.
        """
        parts = (
            f"+{_SHORT.get(name, name)}-{value.replace(' ', '_')}{_unit(name).strip()}" for name, value in self.stated()
        )
        return configuration + "".join(parts)


def settings_words(stated: Mapping[str, str]) -> str:
    """Name settings for people, by the names of their fields."""
    return ", ".join(f"{TITLES[name]} {stated[name]}{_unit(name)}" for name in TITLES if name in stated)


def _unit(name: str) -> str:
    return " W" if name.endswith("_w") else ""


UNCHANGED = PowerSettings()
