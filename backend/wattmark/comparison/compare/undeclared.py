"""What the environments of two configurations do not have in common beside what their configurations declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Self

from wattmark.comparison.compare.factors import factors
from wattmark.comparison.compare.views import CompareOut, ComparePair
from wattmark.runs.differences import Difference, disclosed_differences
from wattmark.runs.disclosure import Disclosure, HostFacts
from wattmark.runs.record import RunRecord

MOST_NAMED = 3
_HARDWARE = ("server", "cpu.*")
_SYSTEM = ("os.*",)
EXPLAINED: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(
        ("cpu_model", "hardware_max_clock", "hardware_min_clock", "max_clock", "min_clock", "scaling_driver",
         "driver_mode", "idle_driver", "idle_states", "energy_bias", "power_caps", "machine"), _HARDWARE,
    ),
    "cpus_online": (*_HARDWARE, "firmware.*"),
    "numa_nodes": (*_HARDWARE, "memory.*", "firmware.*"),
    "microcode": (*_HARDWARE, "firmware.*"),
    "mitigations": (*_HARDWARE, *_SYSTEM, "firmware.*"),
    "memory_gib": ("server", "memory.*"),
    "model": ("server",),
    "gpus": ("server",),
    "drives": ("server", "disks"),
    "nics": ("server", "nics"),
    "bios_vendor": ("server", "firmware.*"),
    "bios_version": ("server", "firmware.*"),
    "bios_date": ("server", "firmware.*"),
    "smt": ("firmware.*",),
    "turbo": ("firmware.*",),
    "platform_profile": ("firmware.*",),
    **dict.fromkeys(("kernel", "kernel_build", "distribution", "libc"), _SYSTEM),
}  # fmt: skip
"""Fact -> declared factors that account for it: a server that is another one has another CPU model. What is not named
here is a setting that no other part brings along, such as the governor."""
_PARTS = {
    "server": "server", "cpu": "processor", "memory": "memory", "os": "operating system", "firmware": "firmware",
    "psus": "power supplies", "disks": "disks", "nics": "network cards",
}  # fmt: skip
"""What a declared factor belongs to, in words; workload and level are the same in a comparison."""


@dataclass(frozen=True, slots=True)
class Disclosed:
    """What a run states of its configuration: declared factors by name, and the facts that were read."""

    factors: Mapping[str, str]
    facts: Disclosure

    @classmethod
    def of(cls, run: RunRecord) -> Self:
        """Keep of a run what two runs are held against each other by."""
        host = HostFacts(model=run.disclosure.host.model, machine=run.disclosure.host.machine)
        facts = Disclosure(
            program_version=run.disclosure.program_version, host=host, environment=run.disclosure.environment
        )
        return cls(factors(run), facts)


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
    """Add to each pair, and to the statement, what differs beside what is declared.

    ``disclosed`` is what the last run of each configuration states, by its key.
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
    return compared.model_copy(update={"pairs": pairs, "other_pairs": others, "statement": statement})
