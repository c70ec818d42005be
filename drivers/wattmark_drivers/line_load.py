"""Whether the meters on a line can be polled as often as a bench asks, with the arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.engine import LineLoad
from wattmark_drivers.engines import find_engine
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.on_demand import LoadModel

PERIODS_S = (0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0)
"""Periods that a person would choose."""


Poll = tuple[LineLoad, float]
"""Time of a poll, and its period [s]."""


def check_lines(meters: Sequence[MeterSettings]) -> None:
    """Refuse a plan that cannot fit on a line. Raises `ConfigurationError` with the sum and what would fit.

    Meters whose line has no speed to reckon with (networks, BMCs) are taken to fit. Expects settings that a meter can
    be made from.
    """
    lines: dict[str, list[Poll]] = {}
    for settings in meters:
        load = line_load(settings)
        if load is not None:
            lines.setdefault(load.line, []).append((load, settings.period_s))
    for polls in lines.values():
        _check_line(polls)


def line_load(settings: MeterSettings) -> LineLoad | None:
    """Compute what one meter takes of its line; None where the line has no speed to reckon with."""
    declaration = find_model(settings.model)
    engine = find_engine(declaration.protocol.engine)
    if engine.load is None:
        return None
    address, _ = parse_address(settings.url, declaration, f"the meter {settings.name}")
    return None if isinstance(address, LoadModel) else engine.load(settings, declaration.protocol, address)


def _check_line(polls: Sequence[Poll]) -> None:
    if _share(polls) <= 1:
        return
    first = polls[0][0]
    faster = [speed for speed in first.faster if sum(load.faster[speed] / period for load, period in polls) <= 1]
    slower = [
        f"a period of {period_s:g} s" for period_s in PERIODS_S if sum(load.poll_s for load, _ in polls) <= period_s
    ]
    remedies = " or ".join(faster[:1] + slower[:1])
    raise ConfigurationError(
        f"{_sum(polls)}.", f"Use {remedies}." if remedies else "Spread the meters over several lines."
    )


def _at(load: LineLoad, speed: str) -> LineLoad:
    return replace(load, poll_s=load.faster.get(speed, load.poll_s))


def _share(polls: Sequence[Poll]) -> float:
    return sum(load.poll_s / period_s for load, period_s in polls)


def _sum(polls: Sequence[Poll]) -> str:
    """Write the sum in words; where periods differ, as a share of the time."""
    place = f"on {polls[0][0].line} at {polls[0][0].speed}"
    kinds = Counter((_ms(load.poll_s), period_s) for load, period_s in polls)
    periods = {period_s for _, period_s in kinds}
    if len(periods) > 1:
        terms = [f"{_meters(n)} x {each} each {period_s:g} s" for (each, period_s), n in kinds.items()]
        return f"{' + '.join(terms)} take {100 * _share(polls):.0f} % of the time {place}"
    terms = [f"{_meters(n)} x {each}" for (each, _), n in kinds.items()]
    total = _ms(sum(load.poll_s for load, _ in polls))
    return f"{' + '.join(terms)} = {total} {place} do not fit into a period of {periods.pop():g} s"


def _meters(number: int) -> str:
    return f"{number} meter{'s' * (number > 1)}"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.4g} ms"
