"""The commands of `wattmark meter`, as data: to add one, add a line."""

from __future__ import annotations

from wattmark.cli.lazy import Entry, lazy_group

HOME = "wattmark.cli.meter"
HELP = "Find, read, check and simulate meters; hold a BMC against a wall meter."
COMMANDS = (
    Entry("models", f"{HOME}.models:models", "List the supported models and what is known about them."),
    Entry("schema", f"{HOME}.schema:schema", "Print the JSON Schema of a model's declaration, for editors."),
    Entry("scan", f"{HOME}.scan:scan", "Look for devices on lines and hosts that are named."),
    Entry("read", f"{HOME}.read:read", "Read one meter: values, quality, range and age."),
    Entry("check", f"{HOME}.check:check", "Test a meter's readings; say which setting is probably wrong."),
    Entry("log", f"{HOME}.log:log", "Write a recorded log as a file that replay.log plays."),
    Entry("record", f"{HOME}.record:record", "Record the dialogue with a device for a bug report, redacted."),
    Entry(
        "cross-calibrate",
        f"{HOME}.cross_calibrate:cross_calibrate",
        "Hold a BMC against a wall meter; fit gain, offset and lag.",
    ),
    Entry("simulate", f"{HOME}.simulate:simulate", "Make any model a device that speaks its true protocol."),
)


def _meter() -> None:
    pass


app = lazy_group("meter", COMMANDS, _meter, HELP)
