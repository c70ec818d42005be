"""What stands for a run that cannot be evaluated: that it failed, why, and what to do; none of its figures."""

from __future__ import annotations

from wattmark.errors import WattmarkError
from wattmark.results.evaluate import iso
from wattmark.runs.origin import machine
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.result import Result


def failed_result(run: RunRecord, error: WattmarkError) -> Result:
    """Give a run without figures, with the reason in words; nothing is computed, so this fails for no record."""
    title = run.configuration_snapshot.get("title")
    return Result(
        run_id=run.run_id,
        campaign_id=run.campaign_id,
        server=machine(run),
        configuration=run.configuration,
        configuration_title=title if isinstance(title, str) and title else run.configuration,
        workload=run.workload,
        level=run.level,
        repeat=run.repeat,
        status=RunStatus.FAILED,
        reason=str(error),
        created=iso(run.created_ns),
        throughput_unit=f"{run.unit}/s",
        efficiency_unit=f"{run.unit}/J",
        meter="none",
        simulated=any(meter.simulated for meter in run.meters),
        traceable=False,
        source=run.source,
        notes=(f"The run has no figures: {error}",),
    )
