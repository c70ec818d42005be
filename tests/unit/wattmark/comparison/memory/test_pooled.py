"""Watts per DIMM over the servers that have one kind of modules."""

import math

import pytest
from wattmark.analysis.verdict import Verdict
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.memory.memory import memory_choices
from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.parts.pooled_slopes import pooled_slopes
from wattmark.comparison.parts.slopes import part_slopes
from wattmark.results.result import MemoryPopulation, MeterCalibration
from wattmark.results.undisturbed import UNDISTURBED
from wattmark.runs.annotations.inclusion import Inclusion

from tests.stored_run import BEGIN_NS


def of_modules(result, kind, channels=1):
    """Return the result as of a server whose modules of 16 GiB fill so many of its channels."""
    each = {f"{channel}": result.dimm_count // channels for channel in range(channels)}
    sizes = {channel: 16.0 * count for channel, count in each.items()}
    memory = MemoryPopulation(type=kind, modules=each, capacity_gib=sizes, channels=channels)
    return result.model_copy(update={"memory": memory, "memory_gib": 16.0 * result.dimm_count})


@pytest.fixture
def lab(measure):
    """Make servers whose modules draw so many watts each, every run an installation of its own.

    ``bend`` is what 4 modules draw beside the line [W].
    """

    def make(watts, kind="RDIMM", counts=(2, 4, 8), channels=lambda count: 1, bend=0.0, **changes):
        return [
            of_modules(
                measure(
                    f"{server}-{count}-{k}",
                    watts=200 + cost * count + (bend if count == 4 else 0) + 0.1 * ((k + count) % 3 - 1),
                    dimms=count,
                    server=server,
                    disclosure={"installation": f"{server} {count} {k}"},
                    **changes,
                ),
                kind,
                channels(count),
            )
            for k in range(3)
            for server, cost in watts.items()
            for count in counts
        ]

    return make


def test_servers_of_one_kind_have_a_mean_and_predict_another(lab):
    """4, 5 and 6 W, known to hundredths: mean 5 W, scatter between servers 1 W.

    The prediction has two degrees of freedom: 4.3027 x sqrt(1 + 1/3) = 4.968 W to either side.
    """
    results = lab({"s1": 4.0, "s2": 5.0, "s3": 6.0})
    (row,) = pooled_slopes(results, DIMMS, installations(results))
    assert (row.servers, row.excluded, row.refusal) == (["s1", "s2", "s3"], [], None)
    assert row.watts_per_part.value == pytest.approx(5.0, abs=0.02)
    assert row.between_w == pytest.approx(1.0, abs=0.03)
    assert row.prediction.high - row.prediction.value == pytest.approx(4.3027 * math.sqrt(4 / 3), rel=0.03)
    assert row.remarks == []
    assert "on average over 3 servers. Another server is expected to show " in row.statement
    assert "prediction interval" in row.statement


def test_servers_without_plus_minus_are_named_and_not_in_the_mean(lab, measure):
    """Two counts, each installed once, tell nothing of re-seating."""
    once = [
        of_modules(
            measure(
                f"s9-{d}-{k}", watts=200 + 9.0 * d + 0.1 * k, dimms=d, server="s9", disclosure={"installation": f"i{d}"}
            ),
            "RDIMM",
        )
        for d in (2, 4)
        for k in range(3)
    ]
    results = [*lab({"s1": 4.0, "s2": 5.0}), *once]
    (row,) = pooled_slopes(results, DIMMS, installations(results))
    assert (row.servers, row.excluded) == (["s1", "s2"], ["s9"])
    assert row.watts_per_part.value == pytest.approx(4.5, abs=0.02)
    assert row.prediction is None
    assert row.statement.endswith("Not in it, as its slope has no ±: s9.")


def test_one_server_is_no_mean_and_simulated_ones_are_pooled_apart(lab, meter):
    alone = lab({"s0": 4.0})
    assert pooled_slopes(alone, DIMMS, installations(alone)) == []
    model = lab({"m1": 3.0, "m2": 3.2}, meters=(meter(simulated=True),))
    results = [*lab({"s1": 4.0, "s2": 5.0}), *model]
    rows = pooled_slopes(results, DIMMS, installations(results))
    assert [(row.simulated, row.servers) for row in rows] == [(False, ["s1", "s2"]), (True, ["m1", "m2"])]
    assert rows[1].statement.startswith("Simulated power: each ")


def test_a_slope_by_a_meter_of_unknown_accuracy_says_why_it_has_no_plus_minus(lab, meter):
    results = lab({"s1": 4.0, "s2": 5.0}, meters=(meter(reading_pct=None, range_pct=None, fixed_w=None),))
    slopes = part_slopes(results, DIMMS, installations(results))
    assert [slope.watts_per_part.complete for slope in slopes] == [False, False]
    assert {slope.remark for slope in slopes} == {"There is no ±: the uncertainty of the meter is not known."}
    (row,) = pooled_slopes(results, DIMMS, installations(results))
    assert row.watts_per_part is None
    assert row.refusal == "Pooling needs the slopes of 2 servers with a ±; there is none."


@pytest.mark.parametrize(
    ("server", "missing"),
    [({"memory": None}, "type"), ({"memory": None, "memory_gib": None}, "capacity and type")],
)
def test_modules_of_an_unknown_kind_are_not_pooled(lab, server, missing):
    """What two servers do not state may be registered in one and load-reduced in the other."""
    results = [r.model_copy(update=server) for r in lab({"s1": 4.0, "s2": 9.0})]
    (row,) = pooled_slopes(results, DIMMS, installations(results))
    assert (row.servers, row.watts_per_part, row.statement) == (["s1", "s2"], None, "")
    assert row.refusal == (
        f"No mean over servers: the {missing} of these modules is not stated, so that those of one server may not be "
        "those of another. State it in the configurations of s1, s2."
    )


def test_modules_without_a_capacity_are_not_pooled(lab):
    """FB-DIMMs of 1 GiB and of 8 GiB draw different power."""
    unsized = {"memory": MemoryPopulation(type="FB-DIMM", modules={}, capacity_gib={}, channels=4), "memory_gib": None}
    results = [r.model_copy(update=unsized) for r in lab({"s1": 4.0, "s2": 9.0})]
    (row,) = pooled_slopes(results, DIMMS, installations(results))
    assert row.part == "FB-DIMM"
    assert row.refusal.startswith("No mean over servers: the capacity of these modules is not stated")


def test_what_single_lines_leave_open_is_in_the_remarks_of_the_mean(lab):
    """s1 has nothing; of the others each has one thing, which the mean names with the server."""
    choice = Inclusion(by="K. Berg", reason="A cron job.", rules=(UNDISTURBED,), at="2026-11-23T08:00:00+00:00")
    disturbed = Verdict(UNDISTURBED, 1.0, 0.0, "1", "fail", "A cron job ran.")
    first, *others = lab({"s2": 4.2})
    against, *with_one_source = lab({"s7": 4.4})
    beyond, *within = lab({"s8": 4.6})
    outlet = MeterCalibration(meter="outlet", basis="certificate", extrapolated=True)
    other_source = Verdict("cross-check-indicative", 1.0, 0.0, "1", "fail", "The BMC shows 30 W less.")
    results = [
        *lab({"s1": 4.0}),
        first.model_copy(update={"verdicts": (*first.verdicts, disturbed), "inclusion": choice}),
        *others,
        *lab({"s3": 4.1}, counts=(2, 8)),
        *lab({"s4": 4.3}, bend=3.0),
        *lab({"s5": 4.4}, channels=lambda count: min(count, 4)),
        *lab({"s6": 4.5}, created_ns=BEGIN_NS),
        against.model_copy(update={"verdicts": (*against.verdicts, other_source)}),
        *with_one_source,
        beyond.model_copy(update={"calibrations": (outlet,), "traceable": False, "program_version": "2.0"}),
        *(r.model_copy(update={"program_version": "1.9"}) for r in within),
    ]
    (row,) = pooled_slopes(results, DIMMS, installations(results))
    assert row.servers == ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"]
    assert set(row.remarks) == {
        "A run counts by a person's choice: s2.",
        "Two counts cannot show whether each DIMM costs the same: s3.",
        "The points do not lie on a line: s4.",
        "The count changed more than the DIMMs: s5.",
        "When the runs were made is not recorded, so that a change with time may be in the slope: s6.",
        "Another source of power in a run contradicts the reference meter: s7.",
        "A run was corrected outside the calibrated span of its meter: s8.",
        "A run is not traceable: s8.",
        "The load program had several versions (1.9 and 2.0): s8.",
        "The runs are of several versions of the load program: 1.9, 2.0.",
    }
    remarks = {slope.server: slope.remark for slope in part_slopes(results, DIMMS, installations(results))}
    assert remarks["s1"] is None
    assert remarks["s2"] == "A run counts by a person's choice."
    assert remarks["s4"] == "The points do not lie on a line."
    assert remarks["s5"] == "The count changed more than the DIMMs."


class Ran:
    def __init__(self, server, count, level="60 %", status="complete"):
        self.server, self.workload, self.level, self.dimm_count, self.status = server, "rsa", level, count, status


def test_choices_are_complete_runs_by_server_workload_and_level():
    """Most counts first, full load before others; a single count is listed, and a failed run counts nothing."""
    ran = [
        *(Ran("a", n, level) for level in ("60 %", "100 %") for n in (4, 2)),
        *(Ran("b", n) for n in (2, 4, 8)),
        Ran("b", 16, status="failed"),
        Ran("c", 2),
        Ran("d", None),
    ]
    assert [(c.server, c.level, c.counts) for c in memory_choices(ran)] == [
        ("b", "60 %", [2, 4, 8]),
        ("a", "100 %", [2, 4]),
        ("a", "60 %", [2, 4]),
        ("c", "60 %", [2]),
    ]
