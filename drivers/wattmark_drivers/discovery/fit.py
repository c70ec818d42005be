"""Which models fit a device: those as which it gives plausible readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.catalogue import Declaration
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import AuthenticationFailed, DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.leave import leave
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.plausibility.judge import judge
from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.settings import MeterSettings

TELLING = ("word-order", "voltage", "frequency", "power-product", "power-factor", "phase-sum")
"""Tests that only the right registers pass."""
SILENCES_IN_A_ROW = 4
MOST_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Fit:
    """A model as which a device gives plausible readings; ``passed`` counts the telling tests.

    ``locked`` devices asked for a password first, so the model is not known.
    """

    model: str
    passed: int
    identity: MeterIdentity
    locked: bool = False


async def fit_models(
    url: str, models: Sequence[Declaration], *, timeout_s: float, clock: Clock, least: int
) -> list[Fit]:
    """Read a device as each model in turn; those that fail no test and pass ``least`` telling ones, best first.

    Gives up after several models in a row got no answer at all.
    """
    fits: list[Fit] = []
    silences = 0
    for declaration in models:
        try:
            fit = await _try(url, declaration, timeout_s, clock)
            silences = 0
        except DriverError as error:
            silences = silences + 1 if "does not answer" in error.cause else 0
            fit = None
        if fit is not None and fit.passed >= least:
            fits.append(fit)
        if silences >= SILENCES_IN_A_ROW:
            break
    best = max(((not fit.locked, fit.passed) for fit in fits), default=None)
    return [fit for fit in fits if (not fit.locked, fit.passed) == best][:MOST_SHOWN]


async def _try(url: str, declaration: Declaration, timeout_s: float, clock: Clock) -> Fit | None:
    meter = create_meter(MeterSettings("scan", declaration.id, url, timeout_s=timeout_s), clock)
    try:
        try:
            await meter.open()
        except AuthenticationFailed:
            return Fit(declaration.id, 0, meter.identity, locked=True)
        readings = await meter.read()
        recording = MeterRecording(declaration, tuple(meter.channels), tuple(readings), 1.0, {})
        verdicts = judge(recording)
        identity = meter.identity
    finally:
        await leave(meter)
    if any(verdict.outcome == "fail" for verdict in verdicts):
        return None
    passed = sum(verdict.outcome == "pass" and verdict.rule in TELLING for verdict in verdicts)
    return Fit(declaration.id, passed, identity)
