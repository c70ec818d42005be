"""Energy Efficient HPC working group: measurement levels 1, 2 and 3, as Green500 uses them."""

from __future__ import annotations

from wattmark.analysis.rules.rule_set import Rule, RuleSet, required

_SOURCE = "EEHPCWG Power Measurement Methodology, text of 2024-11-08"


def _aspect(name: str) -> str:
    return f"{_SOURCE}, {name}"


_TIMING, _READING = _aspect("aspect 1, timing"), _aspect("aspect 1, readings")
_FRACTION, _SUBSYSTEMS = _aspect("aspect 2, machine fraction"), _aspect("aspect 3, subsystems")
_LOCATION, _METER = _aspect("aspect 4, point of measurement"), _aspect("meter accuracy")

_CORE = (
    Rule("internal_rate_hz", "at least", 1.0, _READING),
    Rule("core_phase_s", "at least", 60.0, _TIMING),
    Rule("core_phase_covered_pct", "at least", 100.0, _TIMING),
    Rule("reading_share_of_core_pct", "at most", 10.0, _READING),
    required("same_run", _aspect("efficiency over exactly the same window")),
)
_RUN = (Rule("full_run_covered_pct", "at least", 100.0, _TIMING), required("idle_reported", _READING))

EEHPC_LEVELS = (
    RuleSet(
        name="eehpc-l1",
        title="EE HPC level 1",
        rules=(
            *_CORE,
            required("core_mean_reported", _READING),
            required("machine_share_l1", _FRACTION),
            required("subsystems_l1", _SUBSYSTEMS),
            required("upstream", _LOCATION, required("loss_from_vendor", _LOCATION)),
            Rule("meter_limit_pct", "at most", 5.0, _METER),
        ),
    ),
    RuleSet(
        name="eehpc-l2",
        title="EE HPC level 2",
        rules=(
            *_CORE,
            *_RUN,
            required("core_mean_reported", _READING),
            required("run_mean_reported", _READING),
            Rule("core_means", "at least", 10.0, _READING),
            required("machine_share_l2", _FRACTION),
            required("subsystems_l2", _SUBSYSTEMS),
            required("upstream", _LOCATION, required("loss_of_one_supply", _LOCATION)),
            Rule("meter_limit_pct", "at most", 2.0, _METER),
        ),
    ),
    RuleSet(
        name="eehpc-l3",
        title="EE HPC level 3",
        rules=(
            *_CORE,
            *_RUN,
            required("energy_integrated", _READING),
            Rule("core_energy_readings", "at least", 10.0, _READING),
            Rule("energy_edge_s", "at most", 5.0, _READING),
            required("whole_machine", _FRACTION),
            required("subsystems_l3", _SUBSYSTEMS),
            required("upstream", _LOCATION, required("loss_measured_along", _LOCATION)),
            Rule(
                "meter_limit_pct", "at most", 1.0, _METER,
                otherwise=(required("revenue_grade", _METER), required("accepted_analyzer", _METER)),
            ),
        ),
    ),
)  # fmt: skip
"""Lowest first."""
