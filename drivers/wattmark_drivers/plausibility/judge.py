"""All tests, in the order in which a person would check."""

from __future__ import annotations

from dataclasses import replace

from wattmark_drivers.plausibility.agreement import agreement
from wattmark_drivers.plausibility.answers import answers, usable
from wattmark_drivers.plausibility.energy import energy
from wattmark_drivers.plausibility.impossible import physics
from wattmark_drivers.plausibility.mains import frequency, voltage
from wattmark_drivers.plausibility.product import power_factor, power_product
from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.plausibility.rhythm import stale, update_period
from wattmark_drivers.plausibility.signs import phase_sum, sign
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict
from wattmark_drivers.plausibility.word_order import RULE as WORD_ORDER
from wattmark_drivers.plausibility.word_order import word_order

TESTS = (
    answers,
    usable,
    physics,
    word_order,
    voltage,
    frequency,
    power_product,
    power_factor,
    sign,
    phase_sum,
    agreement,
    energy,
    update_period,
    stale,
)


def judge(recording: MeterRecording) -> tuple[PlausibilityVerdict, ...]:
    """Evaluate the readings of a device against physics and its declaration; one verdict per test.

    Where the words are swapped every number is wrong, so the other tests point to that instead of guessing.
    """
    verdicts = tuple(test(recording) for test in TESTS)
    if any(verdict.rule == WORD_ORDER and verdict.outcome == "fail" for verdict in verdicts):
        return tuple(_following(verdict) for verdict in verdicts)
    return verdicts


def _following(verdict: PlausibilityVerdict) -> PlausibilityVerdict:
    if verdict.outcome != "fail" or verdict.rule in (WORD_ORDER, "answers"):
        return verdict
    return replace(verdict, advice="the values are assembled wrongly: check word-order first")
