"""What the environments of two configurations do not have in common beside what their configurations declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Self

from wattmark.comparison.compare.factors import factors
from wattmark.comparison.compare.views import CompareGroup, CompareOut, ComparePair
from wattmark.runs.differences import Difference, StatedFacts, changed_facts, disclosed_differences
from wattmark.runs.disclosure import Disclosure, HostFacts
from wattmark.runs.record import RunRecord

MOST_NAMED = 3
_HARDWARE = ("server", "cpu.*")
_SYSTEM = ("os.*",)
EXPLAINED: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(
        ("cpu_model", "hardware_max_clock", "hardware_min_clock", "min_clock", "scaling_driver",
         "driver_mode", "idle_driver", "energy_bias", "machine"), _HARDWARE,
    ),
    "cpus_online": (*_HARDWARE, "firmware.*", "settings.smt"),
    "numa_nodes": (*_HARDWARE, "memory.*", "firmware.*"),
    "microcode": (*_HARDWARE, "firmware.*"),
    "mitigations": (*_HARDWARE, *_SYSTEM, "firmware.*", "settings.smt"),
    "memory_gib": ("server", "memory.*"),
    "model": ("server",),
    "uncore": _HARDWARE,
    "fans": ("server", "parts.fan"),
    "supplies": ("server", "psus", "parts.power supply"),
    "gpus": ("server", "parts.GPU", "settings.gpu_power_cap_w"),
    "drives": ("server", "disks", "parts.drive"),
    "nics": ("server", "nics", "parts.network card"),
    "bios_vendor": ("server", "firmware.*"),
    "bios_version": ("server", "firmware.*"),
    "bios_date": ("server", "firmware.*"),
    "smt": ("firmware.*", "settings.smt"),
    "turbo": ("firmware.*", "settings.turbo"),
    "max_clock": (*_HARDWARE, "settings.turbo"),
    "governor": ("settings.governor",),
    "energy_preference": ("settings.energy_preference", "settings.governor"),
    "idle_states": (*_HARDWARE, "settings.deepest_c_state"),
    "power_caps": (*_HARDWARE, "settings.power_cap_w"),
    "platform_profile": ("firmware.*",),
    **dict.fromkeys(("kernel", "kernel_build", "distribution", "libc"), _SYSTEM),
}  # fmt: skip
"""Fact -> declared factors that account for it: a server that is another one has another CPU model. What is not named
here no other part brings along, such as the tuned profile."""
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
    names, _ = declared_parts(new, old)
    return [
        difference
        for difference in disclosed_differences(new.facts, old.facts)
        if difference.fact not in ("program", "steal_pct") and not is_declared(difference, names)
    ]


def is_declared(difference: Difference, names: set[str]) -> bool:
    """Return whether one of the declared factors that differ accounts for a difference."""
    return any(explains(name, difference.fact.partition("/")[0]) for name in names)


def explains(factor: str, fact: str) -> bool:
    """Return whether a declared factor accounts for what a fact of the environment states."""
    return any(fnmatchcase(factor, pattern) for pattern in EXPLAINED.get(fact, ()))


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


def with_undeclared(compared: CompareOut, disclosed: Mapping[str, Disclosed]) -> CompareOut:
    """Add to each pair, and to the statement, what differs beside what is declared, and what changed between runs.

    ``disclosed`` is what the runs of each configuration state, by its key.
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
