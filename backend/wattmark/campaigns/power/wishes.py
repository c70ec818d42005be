"""Which files get which values for the settings of a plan, by what a server states of itself. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from wattmark.campaigns.power.reading import WHOLE_MACHINE, Knob, Reading, Refused, same, shown
from wattmark.campaigns.power.selectors import SELECTORS
from wattmark.core.errors import WorkloadFailed
from wattmark.core.numbers import format_number
from wattmark.core.texts import first_of
from wattmark.runs.power_settings import TITLES, PowerSettings

STAGES = (("smt",), ("governor",), ("energy_preference", "turbo", "deepest_c_state", "power_cap_w", "gpu_power_cap_w"))
"""SMT decides which CPUs there are, and the governor which energy preferences: each stage is planned from what the one
before has left."""
LEAST_W = 5.0
LEAST_SHARE = 0.1
"""Where a package states no lowest cap (the driver intel_rapl states none): a tenth of its highest one, and 5 W. Idle
packages hardly take less, so that a lower cap only slows the server down until it does not answer who would undo it."""
MOST_NAMED = 3
RIGHTS = "Give that user the right, as “Power settings” in docker/README.md describes."


def all_wanted(settings: PowerSettings, reading: Reading, names: tuple[str, ...] = tuple(TITLES)) -> dict[Knob, str]:
    """Return the value of each file for several settings. Raises `WorkloadFailed` for what the server does not have."""
    knobs: dict[Knob, str] = {}
    for name, value in settings.stated():
        if name in names:
            knobs |= _BY_SETTING[name](value, reading)
    return knobs


def in_words(knob: Knob) -> str:
    """Name a setting for people: "CPU governor of CPU policy 3"."""
    name, instance = _owner(knob)
    owner = SELECTORS[knob[0]].owner
    return name if owner is None else f"{name} of {owner[0]} {instance}"


def listed(knobs: Mapping[Knob, str]) -> str:
    """List settings with their values for people: "turbo: on; power cap of package intel-rapl:0: 150 W"."""
    owners: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for knob, value in knobs.items():
        name, owner = _owner(knob)
        owners[knob[0], name, shown(knob, value)].append(owner)
    parts = [f"{name}{_of(selector, named)}: {value}" for (selector, name, value), named in owners.items()]
    return first_of(parts, MOST_NAMED, "; ")


def _owner(knob: Knob) -> tuple[str, str]:
    """Return what a setting is called, and the name of what it belongs to: a C-state is a part of the setting's."""
    selector, instance = knob
    cpu, _, state = instance.partition(".")
    return (f"C-state {state}", cpu) if selector == "idle_state" else (SELECTORS[selector].words, instance)


def _of(selector: str, owners: Sequence[str]) -> str:
    owner = SELECTORS[selector].owner
    if owner is None:
        return ""
    one, several = owner
    return f" of {one if len(owners) == 1 else several} {first_of(owners, MOST_NAMED)}"


def not_as(targets: Mapping[Knob, str], now: Reading) -> list[str]:
    """Say which settings a server does not have as they should be: "The turbo is on instead of off"."""
    return [
        f"The {in_words(knob)} is {shown(knob, now.values.get(knob))} instead of {shown(knob, wished)}"
        for knob, wished in targets.items()
        if not same(knob, now.values.get(knob), wished)
    ]


def refusal(server: str, refused: Sequence[Refused], values: Mapping[Knob, str], reading: Reading) -> WorkloadFailed:
    """Explain why values were not written, by the first of them."""
    first = refused[0]
    what = f"The {in_words(first.knob)} of {server} was not set to {shown(first.knob, values.get(first.knob))}"
    more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
    if first.why == "not permitted":
        return WorkloadFailed(f"{what}{more}: who runs loads there may not write {first.file}.", RIGHTS)
    if first.why == "not there":
        return WorkloadFailed(f"{what}{more}: {first.file} is not there.", "Remove the setting from the plan.")
    now = shown(first.knob, reading.values.get(first.knob))
    return WorkloadFailed(f"{what}{more}: {first.file} refused it and has {now}.", "Choose another value.")


def _smt(value: str, reading: Reading) -> dict[Knob, str]:
    now = reading.of("smt").get(WHOLE_MACHINE)
    if now not in ("on", "off"):
        raise _lacks(f"SMT cannot be switched there: its kernel states {now or 'nothing of it'}")
    return {("smt", WHOLE_MACHINE): value}


def _per_policy(selector: str, title: str) -> Callable[[str, Reading], dict[Knob, str]]:
    def of_all(value: str, reading: Reading) -> dict[Knob, str]:
        policies = reading.of(selector)
        if not policies:
            raise _lacks(f"The server has no {title} that can be set")
        for instance in policies:
            choices = reading.choices.get((selector, instance))
            if choices is not None and value not in choices.split() and not value.isdecimal():
                listed = ", ".join(choices.split())
                raise _lacks(f"The {title} of CPU policy {instance} cannot be {value}: there are {listed}")
        return {(selector, instance): value for instance in policies}

    return of_all


def _turbo(value: str, reading: Reading) -> dict[Knob, str]:
    if reading.of("no_turbo"):
        return {("no_turbo", WHOLE_MACHINE): "1" if value == "off" else "0"}
    selector = "boost" if reading.of("boost") else "policy_boost"
    switches = reading.of(selector)
    if not switches:
        raise _lacks("The server has no switch for turbo")
    return {(selector, instance): "0" if value == "off" else "1" for instance in switches}


def _deepest_c_state(value: str, reading: Reading) -> dict[Knob, str]:
    """Enable the named state on each CPU, whose states need not be those of another, and disable the deeper ones."""
    states: dict[str, dict[int, str]] = defaultdict(dict)
    for (selector, instance), name in reading.choices.items():
        cpu, _, number = instance.partition(".")
        if selector == "idle_state" and number.isdecimal():
            states[cpu][int(number)] = name
    if not states:
        raise _lacks("The server has no C-states that can be disabled")
    knobs: dict[Knob, str] = {}
    for cpu, names in states.items():
        deepest = next((number for number, name in names.items() if name == value), None)
        if deepest is None:
            listed = ", ".join(names[number] for number in sorted(names))
            raise _lacks(f"CPU {cpu} has no C-state {value}: there are {listed}")
        knobs |= {
            ("idle_state", f"{cpu}.{number}"): "1" if number > deepest else "0"
            for number in sorted(names)
            if number >= deepest
        }
    return knobs


def _power_cap(value: str, reading: Reading) -> dict[Knob, str]:
    packages = reading.of("cap")
    if not packages:
        raise _lacks("The server has no power limit of its CPU packages that can be set (RAPL)")
    watts = float(value)
    for package in packages:
        least, most = (limit / 1e6 for limit in _limits(reading, ("cap", package)) or (0.0, 0.0))
        lowest = least or max(LEAST_W, LEAST_SHARE * most)
        cannot = f"The power cap of package {package} cannot be {value} W"
        if 0 < most < watts:
            raise _lacks(f"{cannot}: it is at most {format_number(most, 4)} W")
        if watts < lowest:
            why = "" if least else "; it states no lowest, and with less the server would hardly answer"
            raise _lacks(f"{cannot}: it is at least {format_number(lowest, 4)} W{why}")
    microwatts = round(watts * 1e6)
    knobs = {("cap", package): str(microwatts) for package in packages}
    return knobs | {("cap_enabled", package): "1" for package in reading.of("cap_enabled")}


def _gpu_power_cap(value: str, reading: Reading) -> dict[Knob, str]:
    gpus = reading.of("gpu_cap")
    if not gpus:
        raise _lacks("The server has no NVIDIA GPU with a power limit (nvidia-smi)")
    for gpu in gpus:
        limits = _limits(reading, ("gpu_cap", gpu))
        if limits is None:
            raise _lacks(f"GPU {gpu} does not state between which limits its power cap can be set")
        low, high = limits
        if not low <= float(value) <= high:
            raise _lacks(f"The power cap of GPU {gpu} cannot be {value} W: it is from {low:g} W to {high:g} W")
    return {("gpu_cap", gpu): value for gpu in gpus}


def _limits(reading: Reading, knob: Knob) -> tuple[float, float] | None:
    """Return the lowest and the highest value of a cap, in its own unit; None where they cannot be read."""
    try:
        low, high = map(float, reading.choices.get(knob, "").split())
    except ValueError:
        return None
    return low, high


def _lacks(cause: str) -> WorkloadFailed:
    return WorkloadFailed(f"{cause}.", "Change the settings of the plan.")


_BY_SETTING: Mapping[str, Callable[[str, Reading], dict[Knob, str]]] = {
    "smt": _smt,
    "governor": _per_policy("governor", TITLES["governor"]),
    "energy_preference": _per_policy("energy_preference", TITLES["energy_preference"]),
    "turbo": _turbo,
    "deepest_c_state": _deepest_c_state,
    "power_cap_w": _power_cap,
    "gpu_power_cap_w": _gpu_power_cap,
}


def in_order(knobs: Mapping[Knob, str], *, backwards: bool = False) -> dict[Knob, str]:
    """Sort files by the order in which they are written, or restored."""
    place = {selector: number for number, selector in enumerate(SELECTORS)}
    return dict(sorted(knobs.items(), key=lambda item: place[item[0][0]], reverse=backwards))


def followers(selectors: Iterable[str]) -> Iterator[str]:
    """Iterate over the selectors that change along with some."""
    for selector in selectors:
        yield from SELECTORS[selector].moves
