"""What changed in the environment of a server during a run is a note of the run."""

from __future__ import annotations

from wattmark.campaigns.environment.changes import environment_notes
from wattmark.runs.environment import Environment

BEFORE = Environment(governor="performance", turbo="on", power_caps={"package-0": "125 W"}, steal_pct=0)


def test_what_changed_is_named_by_weight() -> None:
    after = BEFORE.changed(power_caps={"package-0": "95 W"}, governor="powersave", steal_pct=50)
    assert environment_notes(BEFORE, after) == (
        "The environment of the server changed during the run: CPU governor from performance to powersave, "
        "power cap package-0 from 125 W to 95 W.",
    )


def test_nothing_is_said_where_nothing_is_known_to_have_changed() -> None:
    assert environment_notes(BEFORE, BEFORE.changed(steal_pct=50)) == ()
    assert environment_notes(BEFORE, Environment()) == ()


def test_many_changes_are_counted() -> None:
    parameters = {f"p{n}": Environment(kernel_parameters=tuple(f"p{k}={n}" for k in range(8))) for n in (1, 2)}
    (note,) = environment_notes(parameters["p1"], parameters["p2"])
    assert note.endswith("kernel parameter p5 from 1 to 2, and 2 more.")
