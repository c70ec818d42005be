"""The commands of `wattmark meter`, as data: to add one, add a line."""

from __future__ import annotations

from wattmark.cli.lazy import Entry, Group, lazy_group

HOME = "wattmark.cli.meter"
HELP = "Find, read, test and simulate meters; cross-calibrate a BMC."
COMMANDS = (
    Entry("models", f"{HOME}.models:models", "List the supported models and their data."),
    Entry("schema", f"{HOME}.schema:schema", "Print the JSON Schema of a model's declaration, for editors."),
    Entry("scan", f"{HOME}.scan:scan", "Search given lines and hosts for devices."),
    Entry("use", f"{HOME}.use:use", "Remember the meter that measures this machine."),
    Entry("read", f"{HOME}.read:read", "Read one meter: values, quality, range and age."),
    Entry("check", f"{HOME}.check:check", "Test the readings of a meter, and name the setting that is probably wrong."),
    Entry("record", f"{HOME}.record:record", "Record the dialogue with a device for a bug report, redacted."),
    Entry(
        "cross-calibrate",
        f"{HOME}.cross_calibrate:cross_calibrate",
        "Cross-calibrate a BMC against a wall meter: gain, offset and lag.",
    ),
    Entry("simulate", f"{HOME}.simulate:simulate", "Simulate any model with its real protocol."),
)


def _meter() -> None:
    pass


app = lazy_group("meter", (Group("Commands", COMMANDS),), _meter, HELP)
