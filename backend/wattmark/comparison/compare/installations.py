"""The installation of its server in which each run was made: from its record, else from the order of the runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from wattmark.analysis.comparison.comparison import System
from wattmark.results.names import MOST_NAMED, listed

BOTH = "installation and boot", "re-seating or a reboot"
REMEDY = "between_repeats: re-seat"
_ONE, _EACH = "this configuration", "each"


class InstalledRun(Protocol):
    """The facts of a run that show when and in which installation it was made."""

    @property
    def run_id(self) -> str: ...
    @property
    def server(self) -> str: ...
    @property
    def configuration(self) -> str: ...
    @property
    def created(self) -> str: ...
    @property
    def installation(self) -> str | None: ...


def installations(results: Iterable[InstalledRun]) -> dict[str, str]:
    """Return the installation of each run, by run id.

    Without a statement in the record, a server counts as re-assembled whenever its runs, in order of time, change to
    another configuration; whether it was between runs of one configuration is then not known.
    """
    by_run: dict[str, str] = {}
    last: dict[str, tuple[str, int]] = {}
    for result in sorted(results, key=lambda result: (result.created, result.configuration)):
        configuration, number = last.get(result.server, (result.configuration, 0))
        last[result.server] = result.configuration, number + (configuration != result.configuration)
        by_run[result.run_id] = result.installation or f"{result.server}, {last[result.server][1]}"
    return by_run


def missing_scatter(systems: Mapping[str, System]) -> str | None:
    """Explain, in a clause, which scatter the intervals of systems (by name) lack; None where they include all of it.

    Single runs have no interval, which therefore lacks nothing.
    """
    repeated = {name: system for name, system in systems.items() if system.log.n > 1}
    seated = [name for name, system in repeated.items() if system.installations == 1]
    if not seated:
        return None
    booted = [name for name in seated if repeated[name].boots == 1]
    many = len(seated) > MOST_NAMED
    owners = _EACH if len(seated) == len(systems) > 1 else f"{len(seated)} configurations" if many else listed(seated)
    shared, act = BOTH if booted == seated else ("installation", "re-seating")
    each = f" {_EACH}" if many and owners != _EACH else ""
    return f"all runs of {owners} are of one {shared}{each}: the effect of {act} is not in the ±"


def single_installation(of: System) -> list[str]:
    """Report that all runs of a configuration are of one installation; empty for a single run."""
    clause = missing_scatter({_ONE: of})
    return [] if clause is None else [f"{clause[0].upper()}{clause[1:]}."]


def is_said_of_each(remark: str, statement: str) -> bool:
    """Return whether a statement says of all configurations what `single_installation` reports of one."""
    return _ONE in remark and remark.replace(_ONE, _EACH, 1) in statement


def on_single_installations(systems: Sequence[System]) -> list[str]:
    """Report figures whose runs are all of one installation; empty where every repeated one is of several."""
    repeated = [system for system in systems if system.log.n > 1]
    seated = [system for system in repeated if system.installations == 1]
    if not seated:
        return []
    change = "re-seating or a reboot" if all(system.boots == 1 for system in seated) else "re-seating"
    share = "All figures" if len(seated) == len(repeated) else f"{len(seated)} of {len(repeated)} figures"
    return [
        f"{share} are of one installation each: the effect of {change} is not in the ± ({REMEDY} would include it)."
    ]
