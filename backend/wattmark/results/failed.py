"""The result of a run that cannot be evaluated: failed, with the reason and what to do, without figures."""

from __future__ import annotations

from wattmark.analysis.verdict import each_rule
from wattmark.core.errors import WattmarkError
from wattmark.core.instants import iso
from wattmark.results.ranking_bars import TABLE
from wattmark.results.result import Result
from wattmark.runs.origin import machine
from wattmark.runs.record import RunRecord, RunStatus


def failed_result(run: RunRecord, error: WattmarkError) -> Result:
    """Return a failed result without figures, with the reason. Computes nothing, so it works for every record."""
    return Result(
        run_id=run.run_id,
        campaign_id=run.campaign_id,
        server=machine(run),
        configuration=run.configuration,
        configuration_title=run.configuration_snapshot.title or run.configuration,
        workload=run.workload,
        level=run.level,
        repeat=run.repeat,
        status=RunStatus.FAILED,
        reason=str(error),
        created=iso(run.created_ns, "microseconds"),
        unit=run.unit,
        meter="none",
        simulated=any(meter.simulated for meter in run.meters),
        traceable=False,
        source=run.source,
        verdicts=each_rule([bar.rule for bar in TABLE], (), f"The run could not be evaluated: {error}"),
        notes=(f"The run has no figures: {error}",),
    )
