"""What a reader needs to repeat a run: the machine, the versions, the command, the marks."""

from __future__ import annotations

from wattmark.bench.configuration import Configuration
from wattmark.bench.out import configuration_out
from wattmark.campaigns.context import Campaign
from wattmark.campaigns.planning.planned import PlannedRun
from wattmark.runs.configuration import RecordedConfiguration
from wattmark.runs.disclosure import Disclosure, MarkFacts, Task, WindowFacts, WorkloadAsRun, disclosing
from wattmark.runs.power_settings import UNCHANGED, PowerSettings
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.work import MarkedWork


def first_facts(campaign: Campaign, run: PlannedRun, level: int | None, program: str | None) -> Disclosure:
    """Disclose everything that is known before the load starts. ``program`` is the version that it reports."""
    plan, declaration = campaign.plan, campaign.lab.bench.workload(run.workload)
    host, seconds = campaign.servers.facts(run.server), declaration.slices(plan.measure_s)[0]
    server, _ = campaign.lab.bench.configuration(run.place)
    if server.model:
        host = host.changed(model=server.model)
    return Disclosure(
        recorded_by=campaign.recorded_by,
        argv=tuple(declaration.argv(level=level, seconds=seconds, cpus=host.cpus or 1)),
        program_version=program,
        asked_s=plan.measure_s if run.task == "idle" else declaration.asked_s(plan.measure_s),
        task=Task(task=run.task, percent=run.percent, level=level),
        workload=WorkloadAsRun(
            limited_by=declaration.limited_by,
            service=declaration.service,
            one_node=declaration.one_node,
            declaration=declaration.model_dump(mode="json", exclude={"limited_by", "service", "one_node"}),
        ),
        plan=plan.model_dump(mode="json"),
        settings=run.settings or None,
        host=host,
        quiet=campaign.quiet.get(run.server),
        installation=campaign.installations.name(run.server),
        earlier_latencies=campaign.latencies.of(run.server),
    )


def snapshot(configuration: Configuration, settings: PowerSettings = UNCHANGED) -> RecordedConfiguration:
    """Keep a configuration as it was when the run was made: the view of it, and what the bench file says.

    Its title names the power settings; its id stays that of the bench file.
    """
    view = configuration_out(configuration).model_dump(mode="json")
    view["title"] = ", ".join(filter(None, (view["title"], settings.words())))
    return RecordedConfiguration.model_validate({**view, "declared": configuration.model_dump(mode="json")})


@disclosing()
def work_facts(work: MarkedWork, cpus: int) -> WindowFacts:
    """Disclose how the window was determined: marks by both clocks, edges, gaps between slices, CPU time of the load.

    Raises `WattmarkError` for what no record can hold.
    """
    share = None if work.cpu_s is None else 100 * work.cpu_s / (work.duration_s * cpus)
    return WindowFacts(
        begin=_mark_facts(work.begin),
        end=_mark_facts(work.end),
        intervals=len(work.intervals),
        interval_edge_s=work.edge_s,
        gap_between_intervals_s=work.gap_s,
        load_cpu_s=work.cpu_s,
        load_cpu_share_pct=share,
        clock_step_s=work.end.clock_step_s(work.begin),
        program_facts=dict(work.facts),
    )


def _mark_facts(mark: Mark) -> MarkFacts:
    return MarkFacts(utc_ns=mark.utc_ns, monotonic_ns=mark.monotonic_ns)
