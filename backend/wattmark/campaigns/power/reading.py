"""What a server states of its power settings, from the lines that `settings.sh` prints. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wattmark.campaigns.power.selectors import SELECTORS
from wattmark.core.schema import Record
from wattmark.runs.power_settings import STEP_W
from wattmark.workloads.parsers.printed_lines import CUT

Knob = tuple[str, str]
"""A file that holds one value: its selector, and the CPU, policy, package or GPU that it belongs to ("-": none)."""
Values = Mapping[Knob, str]
WHOLE_MACHINE = "-"
VERSION = "2"
"""That of the script, whose copies on servers do not change with this wattmark. Increase both when its lines change."""


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
    version: str | None
    """That of the script; None: one of before it stated any."""
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
    boot, version = (values["value"].pop((name, WHOLE_MACHINE), None) for name in ("boot", "version"))
    return Reading(values["value"], values["choice"], boot, version, refused, ended and not cut)


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
    unit = SELECTORS[knob[0]].per_watt
    try:
        return unit is not None and abs(float(a) - float(b)) < STEP_W * unit
    except ValueError:
        return False


def shown(knob: Knob, value: str | None) -> str:
    """Show a value for people: "125 W"."""
    if value is None:
        return "not there"
    selector = SELECTORS[knob[0]]
    try:
        watts = None if selector.per_watt is None else float(value) / selector.per_watt
    except ValueError:
        return value
    return selector.switch.get(value, value) if watts is None else f"{watts:g} W"
