"""What the environments of two configurations do not have in common beside what their configurations declare."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase

from wattmark.comparison.compare.factors import is_same
from wattmark.comparison.compare.stated_facts import StatedFacts, stated_differences
from wattmark.comparison.compare.views import CompareGroup, CompareOut, ComparePair
from wattmark.core.part_words import NETWORKING, STORING
from wattmark.core.texts import all_of, first_of
from wattmark.runs.differences import Difference
from wattmark.runs.environment import NOT_IN_FORCE

MOST_NAMED = 3
_HARDWARE = ("server", "cpu.*")
_SYSTEM = ("os.*",)
EXPLAINED: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(
        ("cpu_model", "hardware_min_clock", "min_clock", "scaling_driver", "driver_mode", "idle_driver", "energy_bias",
         "machine", "power_caps", "idle_states", "uncore"), _HARDWARE,
    ),
    "cpus_online": (*_HARDWARE, "firmware.*", "settings.smt"),
    "numa_nodes": (*_HARDWARE, "memory.*", "firmware.*"),
    "microcode": (*_HARDWARE, "firmware.*"),
    "mitigations": (*_HARDWARE, *_SYSTEM, "firmware.*"),
    "memory_gib": ("server", "memory.*"),
    "model": ("server",),
    "fans": ("server", "parts.fan"),
    "supplies": ("server", "psus", "parts.power supply"),
    "gpus": ("server", "parts.GPU", "parts.accelerator"),
    "drives": ("server", "disks", *(f"parts.{kind}" for kind in STORING)),
    "nics": ("server", "nics", *(f"parts.{kind}" for kind in NETWORKING)),
    "bios_vendor": ("server", "firmware.*"),
    "bios_version": ("server", "firmware.*"),
    "bios_date": ("server", "firmware.*"),
    "smt": ("firmware.*", "settings.smt"),
    "turbo": ("firmware.*", "settings.turbo"),
    **dict.fromkeys(("max_clock", "hardware_max_clock"), (*_HARDWARE, "settings.turbo")),
    "governor": ("settings.governor",),
    "energy_preference": ("settings.energy_preference", "settings.governor"),
    "platform_profile": ("firmware.*",),
    **dict.fromkeys(("kernel", "kernel_build", "distribution", "libc"), _SYSTEM),
}  # fmt: skip
"""Fact -> declared factors that account for it: a server that is another one has another CPU model. What is not named
here no other part brings along, such as the tuned profile. What settings set of a fact is in `_SETS`."""
MODEL_FIELD: Mapping[str, str] = {"gpus": "name", "drives": "model", "nics": "device"}
"""Facts that list parts, and the field that names the model of each."""
_PACKAGE_LIMIT = re.compile(r"power_caps/intel-rapl:\d+ package-\S+ (.+)")
_GPU_CAP = re.compile(r"gpus/\d+/power_cap")
_STIBP = re.compile(r"[;,]? STIBP\b[^;,]*")
"""What the text of a mitigation says of predictors that threads share (the kernel's hw-vuln/spectre.rst)."""
_OF_SERVER = {
    "cpu": "processor", "memory": "memory", "os": "operating system", "firmware": "firmware", "psus": "power supplies",
    "disks": "disks", "nics": "network cards", "parts": "counted parts",
}  # fmt: skip
"""What a declared factor belongs to, in words, where another server has another one anyway."""
_PARTS = {
    "server": "server", **_OF_SERVER, "settings": "power settings", "workload": "workload", "level": "load level",
}  # fmt: skip
"""Workload and level are the same in a comparison of configurations, but not in every pair of runs."""


def declared_factors(new: StatedFacts, old: StatedFacts) -> list[str]:
    """List the declared factors in which two sides differ; one that is declared on one side only is among them."""
    names = {**new.factors, **old.factors}
    return [name for name in names if not is_same(name, new.factors.get(name), old.factors.get(name))]


def declared_parts(new: StatedFacts, old: StatedFacts) -> str:
    """Name what differs by what is declared: "the memory and the power settings"; empty where nothing does."""
    differing = {name.partition(".")[0] for name in declared_factors(new, old)}
    known = _OF_SERVER if "server" in differing else {}
    return all_of([f"the {words}" for part, words in _PARTS.items() if part in differing and part not in known])


def undeclared(new: StatedFacts, old: StatedFacts) -> list[Difference]:
    """List the differences of two runs that no declared factor accounts for, without the load program's own."""
    return [
        difference
        for difference in stated_differences(new, old)
        if difference.fact != "program" and not is_declared(difference, new, old)
    ]


def is_declared(difference: Difference, new: StatedFacts, old: StatedFacts) -> bool:
    """Return whether a declared factor in which two runs differ accounts for a difference.

    A part of the same model on both sides has no setting or driver that another server, or another number of parts,
    would bring along.
    """
    names = declared_factors(new, old)
    fact = difference.fact.partition("/")[0]
    if not _of_one_model(difference, new, old) and any(explains(name, fact) for name in names):
        return True
    return any(name in names and sets(difference, new, old) for name, sets in _SETS.items())


def explains(factor: str, fact: str) -> bool:
    """Return whether a declared factor accounts for what a fact of the environment states."""
    return any(fnmatchcase(factor, pattern) for pattern in EXPLAINED.get(fact, ()))


def is_kept_by_model(fact: str, part: str) -> bool:
    """Return whether a field of a part is the same wherever its model is fitted, unless somebody sets it otherwise.

    Firmware comes with the piece.
    """
    return fact in MODEL_FIELD and part not in ("", "firmware", MODEL_FIELD[fact])


def _of_one_model(difference: Difference, new: StatedFacts, old: StatedFacts) -> bool:
    """Return whether a difference is inside a part that both sides have in the same model."""
    fact, entry, part = [*difference.fact.split("/", 2), "", ""][:3]
    if not is_kept_by_model(fact, part):
        return False
    models = {side.entries(fact).get(entry, {}).get(MODEL_FIELD[fact]) for side in (new, old)}
    return len(models) == 1 and None not in models


def _sets_package_limit(difference: Difference, _new: StatedFacts, _old: StatedFacts) -> bool:
    """A cap of packages is their long-term limit, and puts all limits of a package into force."""
    limit = _PACKAGE_LIMIT.fullmatch(difference.fact)
    if limit is None or difference.a is None or difference.b is None:
        return False
    switched = difference.a.removesuffix(NOT_IN_FORCE) == difference.b.removesuffix(NOT_IN_FORCE)
    return limit[1] == "long_term" or switched


def _sets_gpu_cap(difference: Difference, _new: StatedFacts, _old: StatedFacts) -> bool:
    return _GPU_CAP.fullmatch(difference.fact) is not None


def _sets_idle_state(difference: Difference, new: StatedFacts, old: StatedFacts) -> bool:
    """The deepest C-state is enabled and all deeper ones are disabled; a shallower one stays as it is."""
    fact, _, state = difference.fact.partition("/")
    states = list(new.entries(fact))
    stated = [side.factors.get("settings.deepest_c_state") for side in (new, old)]
    first = min((states.index(name) for name in stated if name in states), default=None)
    return fact == "idle_states" and first is not None and state in states[first:]


def _sets_threads(difference: Difference, _new: StatedFacts, _old: StatedFacts) -> bool:
    """SMT changes what a mitigation does between threads, and nothing else in its text."""
    texts = {_STIBP.sub("", text or "") for text in (difference.a, difference.b)}
    return difference.fact.startswith("mitigations/") and len(texts) == 1


_SETS: Mapping[str, Callable[[Difference, StatedFacts, StatedFacts], bool]] = {
    "settings.power_cap_w": _sets_package_limit,
    "settings.gpu_power_cap_w": _sets_gpu_cap,
    "settings.deepest_c_state": _sets_idle_state,
    "settings.smt": _sets_threads,
}
"""Setting -> whether it brings about a difference in a fact that it sets a part of."""


def undeclared_text(new: StatedFacts, old: StatedFacts) -> str:
    """Name in one clause what differs beside what is declared; empty where nothing is known to."""
    hidden = undeclared(new, old)
    if not hidden:
        return ""
    parts = declared_parts(new, old)
    besides = f"besides {parts}" if parts else "although nothing declared differs"
    if len(hidden) == 1:
        (only,) = hidden
        return f"{besides}, the {only.title} differs: {only.a or 'none'} against {only.b or 'none'}"
    named = first_of([str(difference) for difference in hidden], MOST_NAMED)
    return f"{besides}, {len(hidden)} facts of the environment differ: {named}"


def with_undeclared(
    compared: CompareOut, disclosed: Mapping[str, StatedFacts], last_of: int | None = None
) -> CompareOut:
    """Add to each pair, and to the statement, what differs beside what is declared, and what changed between runs.

    ``disclosed`` is what the runs of each configuration state, by its key; ``last_of``: it is that of the last run of
    each alone, as there are so many runs.
    """

    def added(pair: ComparePair) -> ComparePair:
        new, old = disclosed.get(pair.key), disclosed.get(pair.baseline)
        text = undeclared_text(new, old) if new is not None and old is not None else ""
        return pair.model_copy(update={"verdict": f"{pair.verdict.removesuffix('.')}; {text}."}) if text else pair

    pairs, others = [added(pair) for pair in compared.pairs], [added(pair) for pair in compared.other_pairs]
    best = [added(pair) for pair in compared.against_best]
    changed = [pair for pair, before in zip(pairs, compared.pairs, strict=True) if pair is not before]
    statement = compared.statement
    if len(pairs) == 1 and changed:
        text = undeclared_text(disclosed[pairs[0].key], disclosed[pairs[0].baseline])
        statement = f"{statement} {text[0].upper()}{text[1:]}."
    elif changed:
        statement = (
            f"{statement} {len(changed)} of {len(pairs)} configurations differ from the baseline in more than what is "
            "declared; their pairs in words say in what."
        )
    groups = [_with_changed(group, disclosed.get(group.key)) for group in compared.groups]
    unsteady = sum(group is not before for group, before in zip(groups, compared.groups, strict=True))
    if unsteady:
        some = f"{unsteady} of {len(groups)} configurations" if len(groups) > 1 else "the configuration"
        statement = f"{statement} The environment of {some} changed between runs; the remarks say in what."
    if last_of is not None:
        statement = (
            f"{statement} Of these {last_of} runs only the environment of the last one of each configuration was read: "
            "what changed from run to run is not known. Choose fewer runs to learn it."
        )
    update = {
        "groups": groups, "pairs": pairs, "against_best": best, "other_pairs": others, "statement": statement,
    }  # fmt: skip
    return compared.model_copy(update=update)


def _with_changed(group: CompareGroup, disclosed: StatedFacts | None) -> CompareGroup:
    """Add to the remarks of a configuration which facts of its environment are not the same in all of its runs."""
    if disclosed is None or not disclosed.changed:
        return group
    named = first_of([f"{title}: {text}" for title, text in disclosed.changed], MOST_NAMED, "; ")
    remark = f"The environment changed between the runs. {named[0].upper()}{named[1:]}."
    return group.model_copy(update={"remarks": [*group.remarks, remark]})
