"""A run whose modules are not the declared ones is in no comparison, and is named with what contradicts."""

from __future__ import annotations

import pytest
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.memory.memory import memory_view
from wattmark.comparison.parts.counting import counting_of
from wattmark.comparison.parts.fitted_parts import FittedPart
from wattmark.comparison.parts.line import parts_view
from wattmark.results.inventory_part import MEMORY_SLOTS
from wattmark.results.ranking_bars import CLAIMS, why_not_ranked

from ...pairs import ranked_by_choice

DEVICE = "Memory Device\n\tSize: 8 GB\n\tForm Factor: DIMM\n\tLocator: DIMM_A{}\n\tType Detail: Registered\n\n"


def snapshot(dimms):
    modules = [{"slot": f"A{k}", "type": "RDIMM", "capacity_gib": 8.0, "channel": "A"} for k in range(dimms)]
    return {"title": f"{dimms} DIMMs", "dimm_count": dimms, "memory_gib": 8.0 * dimms, "modules": modules}


@pytest.fixture
def with_slots(measure, rng):
    """Measure with as many modules as declared, or with ``fitted`` of them."""

    def make(run_id, dimms, fitted=None):
        text = "".join(DEVICE.format(k) for k in range(dimms if fitted is None else fitted))
        return measure(
            run_id, watts=230 + 6.4 * dimms + rng.normal(0, 0.4), dimms=dimms,
            configuration_snapshot=snapshot(dimms), disclosure={"host": {"memory_slots": text}},
        )  # fmt: skip

    return make


def test_a_contradicted_run_is_left_out_and_named(with_slots):
    results = [with_slots(f"{dimms}-{k}", dimms) for k in range(3) for dimms in (2, 4, 8)]
    wrong = with_slots("wrong", 8, fitted=7)
    reason = f"the memory differs from the bench file (rule {MEMORY_SLOTS})"
    assert [why_not_ranked(wrong, claim) for claim in CLAIMS] == [reason] * 3
    view = memory_view([*results, wrong], "s1", "rsa", "all")
    assert len(view.points) == 9
    (excluded,) = view.excluded
    assert (excluded.run_id, excluded.count) == ("wrong", 8)
    assert "8 modules in the bench file, 7 in the server" in excluded.reason
    assert "1 run is excluded: the memory differs from the bench file (rule memory-slots)." in view.statement


def test_who_ranks_a_contradicted_run_does_not_make_its_memory_known(with_slots):
    results = [with_slots(f"{dimms}-{k}", dimms) for k in range(3) for dimms in (2, 4, 8)]
    (_, chosen) = ranked_by_choice((None, with_slots("wrong", 8, fitted=7)))
    assert why_not_ranked(chosen, "power") is None
    view = memory_view([*results, chosen], "s1", "rsa", "all")
    (excluded,) = view.excluded
    assert (len(view.points), excluded.run_id) == (9, "wrong")
    assert "8 modules in the bench file, 7 in the server" in excluded.reason


def test_a_contradicted_run_is_in_no_line_of_other_parts(measure, rng):
    """The modules that it lacks are in its watts too, and nothing tells them from those of its drives."""

    def run(run_id, drives, fitted=2):
        return measure(
            run_id, watts=230 + 6.4 * drives + rng.normal(0, 0.4), dimms=2, configuration_snapshot=snapshot(2),
            disclosure={"host": {"memory_slots": "".join(DEVICE.format(k) for k in range(fitted))}},
        )  # fmt: skip

    counts = {f"{drives}-{k}": drives for k in range(3) for drives in (1, 2, 4)} | {"wrong": 4}
    results = [run(run_id, drives, 1 if run_id == "wrong" else 2) for run_id, drives in counts.items()]
    of_run = {run_id: [FittedPart("drive", "S3500", drives)] for run_id, drives in counts.items()}
    view = parts_view(
        results, ("s1", "rsa", "all"), counting_of("drive", of_run, "S3500"), installations(results), "S3500"
    )
    assert len(view.points) == 9
    (excluded,) = view.excluded
    assert (excluded.run_id, excluded.count) == ("wrong", 4)
    assert "2 modules in the bench file, 1 in the server" in excluded.reason
    assert "1 run is excluded: the memory differs from the bench file (rule memory-slots)." in view.statement


def test_contradicted_runs_alone_give_no_watts_per_dimm(with_slots):
    wrong = [with_slots(f"{dimms}-{k}", dimms, fitted=1) for k in range(2) for dimms in (2, 4, 8)]
    view = memory_view(wrong, "s1", "rsa", "all")
    assert (view.watts_per_part, view.points, len(view.excluded)) == (None, [], 6)
