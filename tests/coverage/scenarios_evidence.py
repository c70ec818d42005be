"""What a record holds against its own figure: other sources of power, unmetered supplies, a clock that was set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tests.coverage.runs import Claim
from tests.coverage.scenario import Expectation
from tests.coverage.scenarios_energy import WT310E, single, steady

WATTS: Mapping[Claim, Expectation] = {"window power": "covers", "work per joule": "covers"}
NO_WATTS: Mapping[Claim, Expectation] = {"window power": "refused", "work per joule": "refused"}
PDU = replace(
    WT310E, name="pdu", model="pdu", serial="P1", reading_pct=1.0, range_w=None, range_pct=0, role="secondary"
)
BMC = replace(PDU, name="bmc", model="bmc", serial=None, reading_pct=0.0, indicative=True, role="bmc")
ON_ONE = replace(WT310E, supplies=("psu1",))
ON_BOTH = replace(WT310E, supplies=("psu1", "psu2"))
TWO_SUPPLIES = {
    "configuration_snapshot": {"declared": {"psus": [{"id": name, "powered": True} for name in ("psu1", "psu2")]}}
}


def set_by(step_s: float) -> dict[str, object]:
    """State in a record that the clock of marks and readings was set within the window [s]."""
    return {"disclosure": {"window": {"clock_step_s": step_s}}}


SCENARIOS = (
    single("a PDU with limits agrees", "own", steady(), ((WT310E, 1.0), (PDU, 1.0)), expect=WATTS),
    single("a PDU with limits shows twice the power", "own", steady(), ((WT310E, 1.0), (PDU, 2.0)), expect=NO_WATTS),
    single("a PDU with limits shows 5 % more", "own", steady(), ((WT310E, 1.0), (PDU, 1.05)), expect=NO_WATTS),
    single("a BMC without limits shows twice the power", "own", steady(), ((WT310E, 1.0), (BMC, 2.0)), expect=WATTS),
    single("one meter on both supplies", "own", steady(), ON_BOTH, expect=WATTS, record=TWO_SUPPLIES),
    single("one meter on one of two supplies", "own", steady(), ((ON_ONE, 0.5),), expect=NO_WATTS, record=TWO_SUPPLIES),
    single("one meter, two supplies, nobody said which", "own", steady(), expect=NO_WATTS, record=TWO_SUPPLIES),
    single("the clock was set by 5 ms", "own", steady(), expect=WATTS, record=set_by(0.005)),
    *(
        single(
            f"the clock was set by {step_s:+g} s",
            "own",
            steady(),
            expect={"work per joule": "refused"},
            record=set_by(step_s),
        )
        for step_s in (-5.0, -1.0, 3.0)
    ),
)
