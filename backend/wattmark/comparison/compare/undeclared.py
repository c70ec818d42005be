"""What the environments of two configurations do not have in common beside what their configurations declare."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Self

from wattmark.comparison.compare.factors import factors
from wattmark.comparison.compare.views import CompareGroup, CompareOut, ComparePair
from wattmark.core.part_words import NETWORKING, STORING
from wattmark.runs.differences import Difference, StatedFacts, changed_facts, disclosed_differences
from wattmark.runs.disclosure import Disclosure, HostFacts
from wattmark.runs.environment import NOT_IN_FORCE
from wattmark.runs.record import RunRecord

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
_OF_SMT = re.compile(r"[;,]? (?:SMT|STIBP)\b[^;,]*")
"""What the text of a mitigation says of threads (the kernel's Documentation/admin-guide/hw-vuln)."""
_PARTS = {
    "server": "server", "cpu": "processor", "memory": "memory", "os": "operating system", "firmware": "firmware",
    "psus": "power supplies", "disks": "disks", "nics": "network cards", "parts": "counted parts",
    "settings": "power settings",
}  # fmt: skip
"""What a declared factor belongs to, in words; workload and level are the same in a comparison."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What one run states: declared factors by name, and of its disclosure what runs are compared by."""

    factors: Mapping[str, str]
    disclosure: Disclosure

    @classmethod
    def of(cls, run: RunRecord) -> Self:
        """Keep these facts of a record, and nothing else: many are kept."""
        host = HostFacts(model=run.disclosure.host.model, machine=run.disclosure.host.machine)
        facts = Disclosure(
            program_version=run.disclosure.program_version, host=host, environment=run.disclosure.environment
        )
        return cls(factors(run), facts)


@dataclass(frozen=True, slots=True)
class Disclosed:
    """What runs state of their configuration: declared factors by name, and the facts that were read."""

    factors: Mapping[str, str]
    facts: StatedFacts
    changed: tuple[tuple[str, str], ...] = ()
    """Facts of the environment that are not the same in all of the runs, by title and text."""

    def entries(self, fact: str) -> Mapping[str, Mapping[str, str]]:
        """Return the texts of a fact by entry and part; empty where it is not stated."""
        return (self.facts.environment or {}).get(fact, {})

    @classmethod
    def of(cls, *runs: RunRecord) -> Self:
        """Merge what the runs of a configuration state."""
        return cls.merged([RunFacts.of(run) for run in runs])

    @classmethod
    def merged(cls, runs: Sequence[RunFacts]) -> Self:
        """Merge what runs state; declared factors are those of the last one."""
        disclosures = [run.disclosure for run in runs]
        environments = [d.environment for d in disclosures if d.environment is not None]
        return cls(runs[-1].factors, StatedFacts.of(disclosures), tuple(changed_facts(environments)))


def declared_parts(new: Disclosed, old: Disclosed) -> tuple[set[str], list[str]]:
    """Return the declared factors in which two runs differ, and the parts of a server that these are, in words."""
    names = {name for name in {**new.factors, **old.factors} if new.factors.get(name) != old.factors.get(name)}
    parts = [words for part, words in _PARTS.items() if any(name.partition(".")[0] == part for name in names)]
    return names, parts[:1] if parts[:1] == ["server"] else parts


def undeclared(new: Disclosed, old: Disclosed) -> list[Difference]:
    """List the differences of two runs that no declared factor accounts for, without the load program's own."""
    return [
        difference
        for difference in disclosed_differences(new.facts, old.facts)
        if difference.fact not in ("program", "steal_pct") and not is_declared(difference, new, old)
    ]


def is_declared(difference: Difference, new: Disclosed, old: Disclosed) -> bool:
    """Return whether a declared factor in which two runs differ accounts for a difference.

    A part of the same model on both sides has no setting or driver that another server, or another number of parts,
    would bring along.
    """
    names, _ = declared_parts(new, old)
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


def _of_one_model(difference: Difference, new: Disclosed, old: Disclosed) -> bool:
    """Return whether a difference is inside a part that both sides have in the same model."""
    fact, entry, part = [*difference.fact.split("/", 2), "", ""][:3]
    if not is_kept_by_model(fact, part):
        return False
    models = {side.entries(fact).get(entry, {}).get(MODEL_FIELD[fact]) for side in (new, old)}
    return len(models) == 1 and None not in models


def _sets_package_limit(difference: Difference, _new: Disclosed, _old: Disclosed) -> bool:
    """A cap of packages is their long-term limit, and puts all limits of a package into force."""
    limit = _PACKAGE_LIMIT.fullmatch(difference.fact)
    if limit is None or difference.a is None or difference.b is None:
        return False
    switched = difference.a.removesuffix(NOT_IN_FORCE) == difference.b.removesuffix(NOT_IN_FORCE)
    return limit[1] == "long_term" or switched


def _sets_gpu_cap(difference: Difference, _new: Disclosed, _old: Disclosed) -> bool:
    return _GPU_CAP.fullmatch(difference.fact) is not None


def _sets_idle_state(difference: Difference, new: Disclosed, old: Disclosed) -> bool:
    """The deepest C-state is enabled and all deeper ones are disabled; a shallower one stays as it is."""
    fact, _, state = difference.fact.partition("/")
    states = list(new.entries(fact))
    stated = [side.factors.get("settings.deepest_c_state") for side in (new, old)]
    first = min((states.index(name) for name in stated if name in states), default=None)
    return fact == "idle_states" and first is not None and state in states[first:]


def _sets_threads(difference: Difference, _new: Disclosed, _old: Disclosed) -> bool:
    """SMT changes what a mitigation says of threads, and nothing else in its text."""
    texts = {_OF_SMT.sub("", text or "") for text in (difference.a, difference.b)}
    return difference.fact.startswith("mitigations/") and len(texts) == 1


_SETS: Mapping[str, Callable[[Difference, Disclosed, Disclosed], bool]] = {
    "settings.power_cap_w": _sets_package_limit,
    "settings.gpu_power_cap_w": _sets_gpu_cap,
    "settings.deepest_c_state": _sets_idle_state,
    "settings.smt": _sets_threads,
}
"""Setting -> whether it brings about a difference in a fact that it sets a part of."""


def undeclared_text(new: Disclosed, old: Disclosed) -> str:
    """Name in one clause what differs beside what is declared; empty where nothing is known to."""
    hidden = undeclared(new, old)
    if not hidden:
        return ""
    _, parts = declared_parts(new, old)
    besides = f"besides {', '.join(f'the {part}' for part in parts)}" if parts else "although nothing declared differs"
    if len(hidden) == 1:
        (only,) = hidden
        return f"{besides}, the {only.title} differs: {only.a or 'none'} against {only.b or 'none'}"
    more = f" and {len(hidden) - MOST_NAMED} more" if len(hidden) > MOST_NAMED else ""
    named = ", ".join(map(str, hidden[:MOST_NAMED]))
    return f"{besides}, {len(hidden)} facts of the environment differ: {named}{more}"


def with_undeclared(compared: CompareOut, disclosed: Mapping[str, Disclosed], last_of: int | None = None) -> CompareOut:
    """Add to each pair, and to the statement, what differs beside what is declared, and what changed between runs.

    ``disclosed`` is what the runs of each configuration state, by its key; ``last_of``: it is that of the last run of
    each alone, as there are so many runs.
    """

    def added(pair: ComparePair) -> ComparePair:
        new, old = disclosed.get(pair.key), disclosed.get(pair.baseline)
        text = undeclared_text(new, old) if new is not None and old is not None else ""
        return pair.model_copy(update={"verdict": f"{pair.verdict.removesuffix('.')}; {text}."}) if text else pair

    pairs, others = [added(pair) for pair in compared.pairs], [added(pair) for pair in compared.other_pairs]
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
    update = {"groups": groups, "pairs": pairs, "other_pairs": others, "statement": statement}
    return compared.model_copy(update=update)


def _with_changed(group: CompareGroup, disclosed: Disclosed | None) -> CompareGroup:
    """Add to the remarks of a configuration which facts of its environment are not the same in all of its runs."""
    if disclosed is None or not disclosed.changed:
        return group
    named = "; ".join(f"{title}: {text}" for title, text in disclosed.changed[:MOST_NAMED])
    more = f"; and {len(disclosed.changed) - MOST_NAMED} more" if len(disclosed.changed) > MOST_NAMED else ""
    remark = f"The environment changed between the runs. {named[0].upper()}{named[1:]}{more}."
    return group.model_copy(update={"remarks": [*group.remarks, remark]})
