"""The verdict on whether every powered supply of a server had a meter; without it the watts are not the server's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.catalogue import load_catalogue

from wattmark.analysis.cross_check.measured_at import PLACES
from wattmark.analysis.verdict import Outcome, Verdict
from wattmark.core.texts import all_of
from wattmark.runs.record import MeterRecord, RunRecord

RULE = "metered-supplies"
NO_METER = "a supply has no meter"
WITHIN = frozenset({"processors", "gpu"})
"""Places inside a server, which no supply leads to. A "part" may be a board without a supply of its own."""


@dataclass(frozen=True, slots=True)
class MeteredSupplies:
    """The verdict on whether the wall meters measured every powered supply; ``incomplete``: they did not."""

    verdict: Verdict
    incomplete: str = ""
    """Proof that the meters measured another power than the server's, so that no figure can use them."""


def metered_supplies(run: RunRecord) -> MeteredSupplies:
    """Evaluate whether the wall meters of a run measured every powered supply of its server, and nothing else."""
    walls = [meter for meter in run.meters if meter.role == "wall"]
    declared = run.configuration_snapshot.declared
    powered = [supply.id for supply in declared.powered]
    if not walls:
        return _metered("not-checked", None, powered, "No wall meter took part: there is no supply to have one.")
    shared = [meter for meter in walls if meter.other_servers]
    if shared:
        together = " and ".join([run.server, *shared[0].other_servers])
        text = f"{shared[0].name} measures {together} together. Give each server its own meter and repeat the run."
        return _metered("fail", None, powered, text, incomplete="a meter measures other servers too")
    if (twice := _measured_twice(walls)) is not None:
        return _metered("fail", None, powered, twice, incomplete="a supply is counted twice")
    if (part := _part(run, walls, powered)) is not None:
        return _metered("fail", None, powered, part)
    if not powered:
        described = "right: the bench file calls none of them powered" if declared.psus else "described"
        return _metered("not-checked", None, powered, f"The power supplies of the configuration are not {described}.")
    return _of_powered(run, walls, powered)


def _of_powered(run: RunRecord, walls: Sequence[MeterRecord], powered: Sequence[str]) -> MeteredSupplies:
    unnamed = [meter for meter in walls if meter.supplies is None]
    measured = {psu for meter in walls for psu in meter.supplies or ()}
    missing = [psu for psu in powered if psu not in measured]
    if len(powered) == 1 and (len(walls) == 1 if unnamed else not missing):
        return _metered("pass", 1, powered, f"{powered[0]} is the only powered supply of the server.")
    if not unnamed and not missing:
        return _metered("pass", len(powered), powered, f"{all_of(powered)} each have a meter.")
    if not unnamed:
        text = f"{all_of(missing)} {'has' if len(missing) == 1 else 'have'} no meter. {_remedy(run, missing)}"
        return _metered("fail", len(powered) - len(missing), powered, text, incomplete=NO_METER)
    if len(walls) > len(powered) or not missing:
        text = (
            f"{all_of([meter.name for meter in walls])} are more wall meters than {all_of(powered)} need: power may "
            "be counted twice. Name in the bench file which supplies each measures (psus), give the others role: "
            "secondary, and repeat the run."
        )
        return _metered("fail", None, powered, text)
    if len(walls) == len(powered):
        text = f"Which of {all_of(powered)} each of the {len(walls)} wall meters measured was not recorded."
        return _metered("not-checked", None, powered, text)
    names = all_of([meter.name for meter in walls])
    if all(meter.partial for meter in walls):
        text = f"{names} measured only some of {all_of(powered)}. {_remedy(run, powered)}"
        return _metered("fail", None, powered, text, incomplete=NO_METER)
    text = (
        f"{all_of(powered)} are powered, and it was not recorded whether {names} measured all of them or one. If all, "
        f"name them in the bench (feeds: [{{server: {run.server}, psus: [{', '.join(powered)}]}}]) and repeat the run."
    )
    return _metered("fail", None, powered, text)


def _part(run: RunRecord, walls: Sequence[MeterRecord], powered: Sequence[str]) -> str | None:
    """Describe a wall meter whose model measures inside the server, not what the server draws."""
    catalogue, within = load_catalogue(), WITHIN | {"part"} if powered else WITHIN
    for meter in walls:
        place = catalogue[meter.model].measured_at if meter.model in catalogue else None
        if place in within:
            return (
                f"{meter.name} measures {PLACES[place].title}, not the whole server. Set role: secondary for it in the "
                f"bench file, add a meter at the wall of {run.server}, and repeat the run."
            )
    return None


def _measured_twice(walls: Sequence[MeterRecord]) -> str | None:
    """Describe a supply that several wall meters measured, so that their sum counts its power more than once."""
    for psu in dict.fromkeys(psu for meter in walls for psu in meter.supplies or ()):
        names = [meter.name for meter in walls if psu in (meter.supplies or ())]
        if len(names) > 1:
            text = f"{all_of(names)} all measure {psu}, so its power is counted {len(names)} times."
            return f"{text} Leave one of them in the bench file, give the others role: secondary, and repeat the run."
    return None


def _metered(
    outcome: Outcome, count: int | None, powered: Sequence[str], text: str, *, incomplete: str = ""
) -> MeteredSupplies:
    limit = float(len(powered)) if powered else None
    value = None if count is None else float(count)
    return MeteredSupplies(Verdict(RULE, value, limit, "1", outcome, text), incomplete)


def _remedy(run: RunRecord, psus: Sequence[str]) -> str:
    feeds = f"feeds: [{{server: {run.server}, psus: [{psus[0]}]}}]"
    return f"Give each its own meter ({feeds}) or one that measures all of them, and repeat the run."
