"""Which installation of its server each run was made in: as its record tells, else by the order of the runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from wattmark.analysis.comparison import System

BOTH = "installation and boot", "re-seating or a reboot"
REMEDY = "between_repeats: re-seat"


class Made(Protocol):
    """What tells when and in which build of its server a run was made."""

    @property
    def run_id(self) -> str: ...  # noqa: D102
    @property
    def server(self) -> str: ...  # noqa: D102
    @property
    def configuration(self) -> str: ...  # noqa: D102
    @property
    def created(self) -> str: ...  # noqa: D102
    @property
    def installation(self) -> str | None: ...  # noqa: D102


def installations(results: Iterable[Made]) -> dict[str, str]:
    """Name the installation of each run, by run id.

    Where the record tells nothing, a server is taken to be fitted anew whenever its runs, in the order of their making,
    change to another configuration; what happened between runs of one configuration is then not known.
    """
    found: dict[str, str] = {}
    last: dict[str, tuple[str, int]] = {}
    for result in sorted(results, key=lambda result: (result.created, result.configuration)):
        configuration, number = last.get(result.server, (result.configuration, 0))
        last[result.server] = result.configuration, number + (configuration != result.configuration)
        found[result.run_id] = result.installation or f"{result.server}, {last[result.server][1]}"
    return found


def untold(systems: Mapping[str, System]) -> str | None:
    """Say which scatter is not in the intervals of systems (by their names), in a clause; None where all of it is.

    Single runs have no interval, so that nothing is missing in it.
    """
    repeated = {name: one for name, one in systems.items() if one.log.n > 1}
    seated = [name for name, one in repeated.items() if one.installations == 1]
    if not seated:
        return None
    booted = [name for name in seated if repeated[name].boots == 1]
    whose = "each" if len(seated) == len(systems) > 1 else " and ".join(seated)
    shared, what = BOTH if booted == seated else ("installation", "re-seating")
    return f"all runs of {whose} are of one {shared}: what {what} changes is not in the ±"


def one_installation(of: System) -> list[str]:
    """Say of one configuration that all its runs are of one installation; nothing for a single run."""
    clause = untold({"this configuration": of})
    return [] if clause is None else [f"{clause[0].upper()}{clause[1:]}."]


def of_one_installation(systems: Sequence[System]) -> list[str]:
    """Say in a sentence that figures are of one installation; nothing where every repeated one is of several."""
    repeated = [one for one in systems if one.log.n > 1]
    seated = [one for one in repeated if one.installations == 1]
    if not seated:
        return []
    what = "re-seating or a reboot changes" if all(one.boots == 1 for one in seated) else "re-seating changes"
    share = "All figures" if len(seated) == len(repeated) else f"{len(seated)} of {len(repeated)} figures"
    return [f"{share} are of one installation each: what {what} is not in the ± ({REMEDY} tells it)."]
