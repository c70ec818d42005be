"""Do the files of a bundle hold together, and what did its own validator say?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wattmark.analysis.energy.bracketed import bracketed_energy
from wattmark.importers.inferencex.bundle import Bundle
from wattmark.importers.inferencex.gpu_log import GpuLog
from wattmark.importers.mlperf.judged import at_most, not_told
from wattmark.runs.record import ImportedVerdict

VALIDATOR = "InferenceX, utils/aggregate_power.py"
_ENERGY_PCT = 0.1
"""It prints three decimals of joules, and integrates the same readings by the same trapezoids."""
_DURATION_S, _DURATION_PCT = 0.5, 1.0


def judge(bundle: Bundle, log: GpuLog, begin_s: float, end_s: float) -> tuple[ImportedVerdict, ...]:
    """Evaluate the duration, the validator's verdict, and its energy against the log."""
    return (_duration(bundle, begin_s, end_s), _validity(bundle.validation), _energy(bundle, log, begin_s, end_s))


def energy_j(log: GpuLog, begin_s: float, end_s: float) -> float | None:
    """Integrate all GPUs over the window as the validator does [J]; None where readings do not bracket it."""
    total = 0.0
    for series in log.series:
        t_ns, watts = log.arrays(series)
        usable = np.isfinite(watts)
        t_s = (t_ns[usable] - round(begin_s * 1e9)) / 1e9
        bracketed = bracketed_energy(t_s, watts[usable], end_s - begin_s)
        if bracketed is None:
            return None
        total += bracketed.energy_j
    return total


def _duration(bundle: Bundle, begin_s: float, end_s: float) -> ImportedVerdict:
    stated, length = bundle.number("duration"), end_s - begin_s
    text = f"The result states {stated:g} s; its begin and end are {length:.6g} s apart."
    limit = max(_DURATION_S, length * _DURATION_PCT / 100)
    return at_most("import-duration", stated - length, limit, "s", text, VALIDATOR, contradiction=True)


def _validity(validation: Mapping[str, Any] | None) -> ImportedVerdict:
    """Report what the validator of the bundle says: its reason codes stand as they are."""
    rule = "import-power-valid"
    if validation is None:
        return not_told(rule, 0.0, "reasons", "The bundle has no file of its validator.", VALIDATOR)
    stated = validation.get("reasons") or validation.get("validation_errors")
    reasons = [str(reason)[:80] for reason in stated] if isinstance(stated, list) else []
    count = max(len(reasons), 0 if validation.get("power_valid") in (True, 1) else 1)
    text = "Its validator calls the power valid." if not count else "Its validator calls the power not valid"
    text += f": {', '.join(reasons)}." if reasons else "." if count else ""
    return at_most(rule, float(count), 0.0, "reasons", text, VALIDATOR)


def _energy(bundle: Bundle, log: GpuLog, begin_s: float, end_s: float) -> ImportedVerdict:
    """Recompute the energy that the validator states."""
    rule = "import-published-figure"
    metrics = (bundle.validation or {}).get("metrics") or bundle.aggregate or {}
    stated = metrics.get("total_gpu_energy_j") if isinstance(metrics, dict) else None
    if isinstance(stated, bool) or not isinstance(stated, (int, float)) or stated <= 0:
        return not_told(rule, _ENERGY_PCT, "%", "The bundle states no energy of its GPUs.", VALIDATOR)
    counted = energy_j(log, begin_s, end_s)
    if counted is None:
        return not_told(
            rule, _ENERGY_PCT, "%", "The log does not bracket the window, so its energy is not known.", VALIDATOR
        )
    text = f"The bundle states {stated:.6g} J of its GPUs; the log gives {counted:.6g} J over the same window."
    return at_most(rule, 100 * (counted / stated - 1), _ENERGY_PCT, "%", text, VALIDATOR, contradiction=True)
