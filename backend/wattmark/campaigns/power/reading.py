"""What a server states of its power settings, from the lines that `settings.sh` prints. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wattmark.core.schema import Record
from wattmark.runs.power_settings import STEP_W
from wattmark.workloads.parsers.printed_lines import CUT

Knob = tuple[str, str]
"""A file that holds one value: its selector, and the CPU, policy, package or GPU that it belongs to ("-": none)."""
Values = Mapping[Knob, str]
WHOLE_MACHINE = "-"
_PER_WATT = {"cap": 1e6, "gpu_cap": 1.0}
"""Selectors that hold watts, and how many units of theirs are one."""
_SWITCHES: Mapping[str, Mapping[str, str]] = {
    "no_turbo": {"0": "on", "1": "off"},
    "boost": {"0": "off", "1": "on"},
    "policy_boost": {"0": "off", "1": "on"},
    "idle_state": {"0": "enabled", "1": "disabled"},
    "cap_enabled": {"0": "off", "1": "on"},
}
"""What people call the values of a switch."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A value that was not written, and why."""

    knob: Knob
    why: str
    file: str


@dataclass(frozen=True, slots=True)
class Reading:
    """All power settings of a server as they are, and what could be set instead."""

    values: Values
    choices: Values
    boot: str | None
    refused: Sequence[Refused]
    ended: bool
    """Whether the script has ended by itself."""

    def of(self, selector: str) -> dict[str, str]:
        """Return the values of a selector by instance."""
        return {instance: value for (name, instance), value in self.values.items() if name == selector}


class Held(Record):
    """Instances of a selector that have one value."""

    selector: str
    value: str
    instances: str
    """Their names, between spaces."""


def read_lines(lines: Iterable[str]) -> Reading:
    """Read what the script printed; other lines are passed over, and after a cut one it has no end."""
    values: dict[str, dict[Knob, str]] = {"value": {}, "choice": {}}
    refused: list[Refused] = []
    ended = cut = False
    for line in lines:
        kind, *fields = line.split("\t")
        cut = cut or line.endswith(CUT)
        ended = ended or kind == "end"
        if kind in values and len(fields) == 3:
            selector, value, instances = fields
            values[kind].update({(selector, instance): value for instance in instances.split()})
        elif kind == "refused" and len(fields) == 4:
            selector, instance, why, file = fields
            refused.append(Refused((selector, instance), why, file))
    boot = values["value"].pop(("boot", WHOLE_MACHINE), None)
    return Reading(values["value"], values["choice"], boot, refused, ended and not cut)


def grouped(values: Values) -> tuple[Held, ...]:
    """Put instances with the same value together, in the order of their selectors."""
    instances: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (selector, instance), value in values.items():
        instances[selector, value].append(instance)
    return tuple(
        Held(selector=selector, value=value, instances=" ".join(names))
        for (selector, value), names in instances.items()
    )


def spread(held: Iterable[Held]) -> dict[Knob, str]:
    """Return the value of each instance, as before `grouped`."""
    return {(group.selector, instance): group.value for group in held for instance in group.instances.split()}


def same(knob: Knob, a: str | None, b: str | None) -> bool:
    """Return whether two values of a setting are one; those of a cap may differ by the step in which it is kept."""
    if a is None or b is None or a == b:
        return a == b
    unit = _PER_WATT.get(knob[0])
    try:
        return unit is not None and abs(float(a) - float(b)) < STEP_W * unit
    except ValueError:
        return False


def shown(knob: Knob, value: str | None) -> str:
    """Show a value for people: "125 W"."""
    if value is None:
        return "not there"
    unit = _PER_WATT.get(knob[0])
    try:
        return _SWITCHES.get(knob[0], {}).get(value, value) if unit is None else f"{float(value) / unit:g} W"
    except ValueError:
        return value
