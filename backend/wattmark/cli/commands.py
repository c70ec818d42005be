"""The commands of `wattmark`, as data: to add one, add a line."""

from __future__ import annotations

from wattmark.cli.lazy import Entry

HOME = "wattmark.cli"
COMMANDS = (
    Entry("bench", f"{HOME}.measure.bench:app", "Check a bench file."),
    Entry("import", f"{HOME}.measure.importing:app", "Import results that others measured."),
    Entry("serve", f"{HOME}.measure.serve:serve", "Log power, run campaigns and serve the web app."),
    Entry("demo", f"{HOME}.demo.demo:demo", "Show wattmark at work with simulated power."),
    Entry("plan", f"{HOME}.measure.plan:app", "Show what a plan would do, before anything starts."),
    Entry("run", f"{HOME}.measure.run:run", "Run a plan and print performance per watt."),
    Entry("meter", f"{HOME}.meter.app:app", "Find, read, check and simulate meters; hold a BMC against a wall meter."),
    Entry("workload", f"{HOME}.measure.workload:app", "List the workloads, and try one."),
    Entry("mark", f"{HOME}.measure.mark:app", "Tell a running service what a load does that it did not start."),
    Entry("results", f"{HOME}.tables.results:results", "Print the results of all runs."),
    Entry("compare", f"{HOME}.tables.compare:compare", "Compare configurations by performance per watt."),
    Entry("ranking", f"{HOME}.tables.ranking:app", "Rank a run although a verdict failed, and withdraw that again."),
    Entry("cross-check", f"{HOME}.tables.cross_check:cross_check", "Hold each source of power against the wall meter."),
    Entry("memory", f"{HOME}.tables.memory:memory", "Tell what a DIMM costs in watts."),
    Entry("scaling", f"{HOME}.tables.scaling:scaling", "Show one configuration over its load levels."),
    Entry("table", f"{HOME}.tables.table:table", "Print one table, published ones included."),
    Entry("figure", f"{HOME}.tables.figure:figure", "Draw one figure for a paper."),
    Entry("report", f"{HOME}.tables.report:report", "Write everything about runs as one HTML file."),
    Entry(
        "certificate", f"{HOME}.calibration.certificate:app", "Keep calibration certificates and what rests on them."
    ),
    Entry("check-standard", f"{HOME}.calibration.check_standard:app", "Watch a stable load between calibrations."),
    Entry("archive", f"{HOME}.keep.archive:archive", "Write runs as one file that others can recompute."),
    Entry("restore", f"{HOME}.keep.restore:restore", "Import the runs of archives."),
    Entry("token", f"{HOME}.administer.token:app", "Make, list and revoke the tokens of a service."),
    Entry("alarms", f"{HOME}.administer.alarms:alarms", "Print which channels were beyond a limit, and until when."),
    Entry("audit", f"{HOME}.administer.audit:audit", "Print who did what, and check that the log is whole."),
    Entry("backup", f"{HOME}.keep.backup:backup", "Copy the data of a running service, and verify the copy."),
    Entry("trash", f"{HOME}.keep.trash:trash", "Move runs to the trash, and take them out again."),
    Entry("retention", f"{HOME}.keep.retention:retention", "Thin the raw samples of old runs."),
    Entry("store", f"{HOME}.keep.store:app", "Send to InfluxDB, verify it, and read runs of many appliances from it."),
    Entry("doctor", f"{HOME}.administer.doctor:doctor", "Examine this machine and say what is missing."),
)
