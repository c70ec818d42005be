"""The kinds of files that hold a power setting, in the order in which they are written, and what is known of each.

They are restored in the reverse order. `settings.sh` has the path of each. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_POLICY, _PACKAGE = ("CPU policy", "CPU policies"), ("package", "packages")


@dataclass(frozen=True, slots=True)
class Selector:
    """A kind of file."""

    words: str
    owner: tuple[str, str] | None = None
    """What each instance belongs to, one and several; None: the whole machine."""
    switch: Mapping[str, str] = field(default_factory=dict)
    """What people call the values of a switch."""
    per_watt: float | None = None
    """How many of its units are one watt; None: it holds no watts."""
    moves: tuple[str, ...] = ()
    """Selectors that the kernel changes along with it: CPUs that come back have its defaults."""
    is_clamped: bool = False
    """Whether a server may take another value than the one written."""


SELECTORS: Mapping[str, Selector] = {
    "smt": Selector("SMT", moves=("governor", "energy_preference", "policy_boost", "idle_state")),
    "governor": Selector("CPU governor", _POLICY, moves=("energy_preference",)),
    "energy_preference": Selector("energy preference", _POLICY),
    "no_turbo": Selector("turbo", switch={"0": "on", "1": "off"}),
    "boost": Selector("boost", switch={"0": "off", "1": "on"}, moves=("policy_boost",)),
    "policy_boost": Selector("boost", _POLICY, switch={"0": "off", "1": "on"}),
    "idle_state": Selector("C-state", ("CPU", "CPUs"), switch={"0": "enabled", "1": "disabled"}),
    "cap": Selector("power cap", _PACKAGE, per_watt=1e6, is_clamped=True),
    "cap_enabled": Selector("switch of the power cap", _PACKAGE, switch={"0": "off", "1": "on"}),
    "gpu_cap": Selector("power cap", ("GPU", "GPUs"), per_watt=1.0, is_clamped=True),
}
