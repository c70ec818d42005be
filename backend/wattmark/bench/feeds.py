"""Whether the wall meters of a bench measure the whole power of a server."""

from __future__ import annotations

from collections.abc import Iterator

from wattmark.bench.bench import Bench
from wattmark.bench.configuration import Configuration
from wattmark.bench.instruments import Meter
from wattmark.bench.server import Server


def feed_problems(bench: Bench, server: Server, configuration: Configuration) -> Iterator[str]:
    """Explain, for each powered supply that no wall meter measures, or perhaps none, what to write."""
    meters = bench.meters_of(server.id)
    walls = [meter for meter in meters if meter.role == "wall"]
    if not walls:
        yield f"No wall meter measures {server.id}. Add one under meters, with feeds: [{{server: {server.id}}}]."
    for meter in walls:
        for other in dict.fromkeys(feed.server for feed in meter.feeds if feed.server != server.id):
            cause = f"The meter {meter.id} measures {server.id} and {other} together."
            yield f"{cause} Give each server its own meter."
    yield from unnamed_supplies(bench, server, configuration)
    if walls and all(supplies_of(meter, server.id) is not None for meter in walls):
        measured = {psu for meter in walls for psu in supplies_of(meter, server.id) or ()}
        for psu in sorted(configuration.powered_psus - measured):
            where = f"{server.id}/{configuration.id}"
            yield f"No wall meter measures {psu} of {where}. Add it to the feeds of a meter or set powered: false."


def unnamed_supplies(bench: Bench, server: Server, configuration: Configuration) -> Iterator[str]:
    """Ask which of several powered supplies a meter measures whose feed names none: behind one plug, or a strip?"""
    powered = sorted(configuration.powered_psus)
    for meter in bench.meters_of(server.id) if len(powered) > 1 else ():
        if supplies_of(meter, server.id) is None:
            which = f"{', '.join(powered[:-1])} and {powered[-1]}"
            cause = (
                f"The meter {meter.id} measures {server.id}, but does not say which of {which} of "
                f"{server.id}/{configuration.id}: a meter on one supply shows a part of the power."
            )
            whole = f"feeds: [{{server: {server.id}, psus: [{', '.join(powered)}]}}]"
            yield f"{cause} If it measures all of them, write {whole}; else name those that it does measure."


def supplies_of(meter: Meter, server: str) -> tuple[str, ...] | None:
    """List the supplies of a server that a meter measures by its feeds; None where a feed names none."""
    feeds = [feed for feed in meter.feeds if feed.server == server]
    if any(feed.psus is None for feed in feeds):
        return None
    return tuple(dict.fromkeys(psu for feed in feeds for psu in feed.psus or ()))
