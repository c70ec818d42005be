"""The commands of `wattmark`, as data, in the groups of its help: to add one, add a line."""

from __future__ import annotations

from wattmark.cli.lazy import Entry, Group

HOME = "wattmark.cli"
GROUPS = (
    Group(
        "Measure",
        (
            Entry("measure", f"{HOME}.measure.measure:measure", "Measure one command: watts, joules, work per joule."),
            Entry("demo", f"{HOME}.demo.demo:demo", "Run a demo with simulated power."),
            Entry("serve", f"{HOME}.measure.serve:serve", "Log power, run campaigns and serve the web app."),
            Entry("bench", f"{HOME}.measure.bench:app", "Check a bench file."),
            Entry("meter", f"{HOME}.meter.app:app", "Find, read, test and simulate meters; cross-calibrate a BMC."),
            Entry(
                "ptd",
                f"{HOME}.meter.ptd:ptd",
                "Serve a meter as a power daemon, to programs that expect SPEC's PTDaemon.",
                tolerant=True,
            ),
            Entry("speak", f"{HOME}.meter.speak:speak", "Speak a meter in a protocol that other programs read."),
            Entry("workload", f"{HOME}.measure.workload:app", "List the workloads, and try one."),
            Entry("plan", f"{HOME}.measure.plan:app", "Show what a plan would do, without starting it."),
            Entry("suite", f"{HOME}.measure.suite:app", "Run a suite of graduated loads: one figure for a server."),
            Entry("run", f"{HOME}.measure.run:run", "Run a plan and print performance per watt."),
            Entry("queue", f"{HOME}.measure.queue:app", "Queue plans at a running service, and show what waits."),
            Entry("mark", f"{HOME}.measure.mark:app", "Measure what a shell does, on a running service."),
        ),
    ),
    Group(
        "Results",
        (
            Entry("results", f"{HOME}.tables.results:results", "Print the results of all runs."),
            Entry("compare", f"{HOME}.tables.compare:compare", "Compare configurations by performance per watt."),
            Entry("diff", f"{HOME}.tables.diff:diff", "List what differs between two runs, weightiest first."),
            Entry("gate", f"{HOME}.tables.gate:gate", "Fail a build whose work per joule got worse, and not by noise."),
            Entry("memory", f"{HOME}.tables.memory:memory", "Show the watts per DIMM."),
            Entry(
                "predict-memory",
                f"{HOME}.tables.predict_memory:predict_memory",
                "Predict what other memory modules would draw.",
            ),
            Entry("scaling", f"{HOME}.tables.scaling:scaling", "Show one configuration over its load levels."),
            Entry(
                "cross-check",
                f"{HOME}.tables.cross_check:cross_check",
                "Compare each source of power with the wall meter.",
            ),
            Entry("mcp", f"{HOME}.tables.mcp:mcp", "Answer questions of an agent about runs, read-only."),
            Entry("ranking", f"{HOME}.tables.ranking:app", "Override the ranking of a run, and withdraw the override."),
        ),
    ),
    Group(
        "Publish",
        (
            Entry("table", f"{HOME}.tables.table:table", "Print one table, measured or published."),
            Entry("figure", f"{HOME}.tables.figure:figure", "Draw one figure for a paper."),
            Entry(
                "sheet",
                f"{HOME}.tables.sheet:sheet",
                "Fill in a sheet: Green500 submission, MLPerf summary, procurement.",
            ),
            Entry("report", f"{HOME}.tables.report:report", "Write a report of runs as one HTML file."),
            Entry("archive", f"{HOME}.keep.archive:archive", "Write runs to one file that others can recompute."),
            Entry("bundle", f"{HOME}.keep.bundle:bundle", "Write a run as an audit bundle of InferenceX."),
            Entry("site", f"{HOME}.keep.site:site", "Write a static web site of runs, with the archive behind it."),
            Entry("signing-key", f"{HOME}.keep.signing_key:signing_key", "Make and show the key that signs archives."),
            Entry("verify", f"{HOME}.keep.verify:verify_archive", "Check an archive: whole, signed, recomputed."),
            Entry("restore", f"{HOME}.keep.restore:restore", "Import the runs of archives."),
        ),
    ),
    Group(
        "Import and exchange",
        (
            Entry("import", f"{HOME}.measure.importing:importing", "Import results measured by others."),
            Entry("mapping", f"{HOME}.measure.mapping:app", "Keep mappings of the columns of CSV files."),
            Entry(
                "convert", f"{HOME}.keep.convert:convert", "Convert raw samples between PTDaemon log, CSV and Parquet."
            ),
            Entry(
                "audit-published",
                f"{HOME}.tables.audit_published:audit_published",
                "Recompute published figures from their own logs.",
            ),
            Entry(
                "store",
                f"{HOME}.keep.store:app",
                "Send runs to InfluxDB, verify them, and read the runs of many appliances.",
            ),
        ),
    ),
    Group(
        "Calibrate and administer",
        (
            Entry(
                "certificate",
                f"{HOME}.calibration.certificate:app",
                "Manage calibration certificates and the results based on them.",
            ),
            Entry(
                "check-standard",
                f"{HOME}.calibration.check_standard:app",
                "Check meters between calibrations with a stable load.",
            ),
            Entry(
                "alarms",
                f"{HOME}.administer.alarms:alarms",
                "List the channels that were outside a limit, and for how long.",
            ),
            Entry("notify", f"{HOME}.administer.notify:app", "Show who is told what happens, and try it."),
            Entry("token", f"{HOME}.administer.token:app", "Create, list and revoke the tokens of a service."),
            Entry("audit", f"{HOME}.administer.audit:audit", "Print the audit log, and verify that it is complete."),
            Entry(
                "backup", f"{HOME}.keep.backup:backup", "Back up the data of a running service, and verify the copy."
            ),
            Entry("trash", f"{HOME}.keep.trash:trash", "Move runs to the trash, and restore them."),
            Entry("retention", f"{HOME}.keep.retention:retention", "Thin the raw samples of old runs."),
            Entry(
                "completion",
                f"{HOME}.administer.completion:completion",
                "Print the completion of bash, zsh or fish.",
            ),
            Entry("doctor", f"{HOME}.administer.doctor:doctor", "Check this machine and report what is missing."),
        ),
    ),
)
