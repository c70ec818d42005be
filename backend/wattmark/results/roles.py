"""Energy of the hosts that have one role in a deployment, such as those of a language model that only read prompts.

It is what the meters of these hosts measured over the window, no more: hosts of one role also wait for those of the
other, and no wall meter tells apart what a processor does from one instant to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from wattmark.analysis.efficiency.efficiency import analyse_work
from wattmark.analysis.efficiency.run import RunAnalysis
from wattmark.analysis.efficiency.window import Marks, Window
from wattmark.analysis.energy.power import PowerAnalysis, analyse_power
from wattmark.analysis.refusal import Refused
from wattmark.core.interval import PlusMinus
from wattmark.core.quantity import Quantity
from wattmark.results.loaded import LoadedRun
from wattmark.results.result import RoleEnergy
from wattmark.runs.record import RunRecord

PROMPT_TOKENS, REQUESTS = "prompt tokens", "requests"
"""Figures that the client of language models counts beside its work."""
WORK_OF: Mapping[str, str] = {"prefill": PROMPT_TOKENS, "decode": "generated tokens"}
"""What the hosts of a role do for the load; hosts of other roles do neither alone."""


def role_energies(loaded: LoadedRun, analysis: RunAnalysis) -> tuple[tuple[RoleEnergy, ...], tuple[str, ...]]:
    """Compute the energy of each role over the window [J], and explain why one has none.

    None at all where no meter names a role, or the power of the whole is not known.
    """
    energies: list[RoleEnergy] = []
    notes: list[str] = []
    if analysis.power is None or analysis.window is None:
        return (), ()
    by_role: dict[str, list[str]] = {}
    for meter in loaded.meters:
        if meter.host_role is not None:
            by_role.setdefault(meter.host_role, []).append(meter.name)
    for role, names in by_role.items():
        try:
            energies.append(_energy(role, names, loaded, analysis.window, analysis.power))
        except Refused as refusal:
            notes.append(f"The hosts of the role {role} have no energy of their own: {refusal.text}")
    return tuple(energies), tuple(notes)


def _energy(role: str, names: Sequence[str], loaded: LoadedRun, window: Window, whole: PowerAnalysis) -> RoleEnergy:
    """Evaluate the meters of one role by themselves. Raises `Refused`."""
    run = loaded.input
    traces = [trace for trace in run.power if trace.instrument.name in names]
    power = analyse_power(traces, window, run.limits, run.calibrations)
    half = Quantity.of(power.mean).U95
    marks = _marks(role, loaded.run, run.marks)
    work = None
    if marks is not None:
        work = analyse_work(marks, window, power, run.unit, stated_throughput=None, stated_operations=None)
    per_work = None if work is None or work.energy_per_op is None else Quantity.of(work.energy_per_op)
    return RoleEnergy(
        role=role,
        meters=tuple(names),
        power=Quantity.of(power.mean),
        energy=PlusMinus(value=power.energy_j, U95=None if half is None else half * window.duration_s),
        share_pct=100 * power.mean.value / whole.mean.value,
        per_work=per_work,
        work="" if per_work is None else WORK_OF[role],
    )


def _marks(role: str, run: RunRecord, marks: Marks) -> Marks | None:
    """Return when the work of a role was done: generated tokens as they came, prompts spread over the whole window."""
    if role not in WORK_OF or run.unit != "tokens":
        return None
    if WORK_OF[role] != PROMPT_TOKENS:
        return marks
    rates = {figure.name: figure.value for figure in run.source_figures}
    if marks.begin_ns is None or marks.end_ns is None or not rates.get(PROMPT_TOKENS) or not rates.get(REQUESTS):
        return None
    return replace(
        marks,
        interval_begin_ns=np.array([marks.begin_ns], dtype=np.int64),
        interval_end_ns=np.array([marks.end_ns], dtype=np.int64),
        amount=np.array([round(rates[PROMPT_TOKENS] * (marks.end_ns - marks.begin_ns) / 1e9)], dtype=np.float64),
        count_step=max(1.0, rates[PROMPT_TOKENS] / rates[REQUESTS]),
    )
