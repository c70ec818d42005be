"""Users of an entry of the bench: removing it would leave their references dangling."""

from __future__ import annotations

from wattmark.bench.bench import Bench
from wattmark.bench.editing.plain import EntryPlace, listed
from wattmark.core.errors import Conflict


def refuse_if_used(bench: Bench, place: EntryPlace) -> None:
    """Raise `Conflict` naming everything that uses an entry which is to be removed."""
    if users := _users(bench, place):
        raise Conflict(f"T{str(place)[1:]} is used by {listed(users)}.", "Change that first.")


def _users(bench: Bench, place: EntryPlace) -> list[str]:
    if place.section == "servers":
        meters = [f"the meter {meter.id}" for meter in bench.meters_of(place.name)]
        bmcs = [f"the BMC {bmc.id}" for bmc in bench.bmcs_of(place.name)]
        return meters + bmcs + _plans(bench, f"{place.name}/") + _spoken(bench, place.name)
    if place.section == "configurations":
        return _plans(bench, f"{place.server}/{place.name}")
    if place.section == "meters":
        feeds = [feed.server for meter in bench.meters if meter.id == place.name for feed in meter.feeds]
        plans = [plan for server in dict.fromkeys(feeds) for plan in _plans(bench, f"{server}/")]
        return plans + _spoken(bench, place.name)
    return []


def _spoken(bench: Bench, name: str) -> list[str]:
    return [f"the gateway ({entry.name})" for entry in bench.speak if entry.what == name]


def _plans(bench: Bench, reference: str) -> list[str]:
    """Return the plans with that configuration; with all of a server's where the reference ends in a slash."""
    return [
        f"the plan {plan.name}"
        for plan in bench.plans
        if any(
            name == reference or (reference.endswith("/") and name.startswith(reference))
            for name in plan.configurations
        )
    ]
