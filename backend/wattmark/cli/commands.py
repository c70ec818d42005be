"""The commands of `wattmark`, as data: to add one, add a line."""

from __future__ import annotations

from wattmark.cli.lazy import Entry

HOME = "wattmark.cli"
COMMANDS = (
    Entry("bench", f"{HOME}.bench:app", "Check a bench file."),
    Entry("import", f"{HOME}.importing:app", "Import results that others measured."),
    Entry("serve", f"{HOME}.serve:serve", "Log power, run campaigns and serve the web app."),
    Entry("demo", f"{HOME}.demo:demo", "Show wattmark at work with simulated power."),
    Entry("plan", f"{HOME}.plan:app", "Show what a plan would do, before anything starts."),
    Entry("run", f"{HOME}.run:run", "Run a plan and print performance per watt."),
    Entry("meter", f"{HOME}.meter.app:app", "Find, read, check and simulate meters; hold a BMC against a wall meter."),
    Entry("workload", f"{HOME}.workload:app", "List the workloads, and try one."),
    Entry("mark", f"{HOME}.mark:app", "Tell a running service what a load does that it did not start."),
    Entry("results", f"{HOME}.results:results", "Print the results of all runs."),
    Entry("compare", f"{HOME}.compare:compare", "Compare configurations by performance per watt."),
    Entry("ranking", f"{HOME}.ranking:app", "Rank a run although a verdict failed, and withdraw that again."),
    Entry("memory", f"{HOME}.memory:memory", "Tell what a DIMM costs in watts."),
    Entry("scaling", f"{HOME}.scaling:scaling", "Show one configuration over its load levels."),
    Entry("table", f"{HOME}.table:table", "Print one table, published ones included."),
    Entry("figure", f"{HOME}.figure:figure", "Draw one figure for a paper."),
    Entry("report", f"{HOME}.report:report", "Write everything about runs as one HTML file."),
    Entry("certificate", f"{HOME}.certificate:app", "Keep calibration certificates and what rests on them."),
    Entry("check-load", f"{HOME}.check_load:app", "Watch a stable load between calibrations."),
    Entry("archive", f"{HOME}.archive:archive", "Write runs as one file that others can recompute."),
    Entry("restore", f"{HOME}.restore:restore", "Import the runs of archives."),
    Entry("token", f"{HOME}.token:app", "Make, list and revoke the tokens of a service."),
    Entry("alarms", f"{HOME}.alarms:alarms", "Print which channels were beyond a limit, and until when."),
    Entry("audit", f"{HOME}.audit:audit", "Print who did what, and check that the log is whole."),
    Entry("backup", f"{HOME}.backup:backup", "Copy the data of a running service, and verify the copy."),
    Entry("trash", f"{HOME}.trash:trash", "Move runs to the trash, and take them out again."),
    Entry("retention", f"{HOME}.retention:retention", "Thin the raw samples of old runs."),
    Entry("store", f"{HOME}.store:app", "Send to InfluxDB, verify it, and read runs of many appliances from it."),
    Entry("doctor", f"{HOME}.doctor:doctor", "Examine this machine and say what is missing."),
)
