"""What changes with the DIMM count besides the memory is in the slope, and said."""

import pytest
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.parts.changed_too import changed_too
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.published.library import load_published
from wattmark.core.part_words import part_words
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.environment import Environment, Gpu

from tests.marked_lab import FULL, LOOSE, PLAIN, WORKLOAD, store_marked_lab


def snapshot(dimms, **stated):
    slots = {f"A{k}": {"type": "RDIMM", "capacity_gib": 16} for k in range(dimms)}
    return {"dimm_count": dimms, "memory_gib": 16.0 * dimms, "declared": {"memory": {"slots": slots}, **stated}}


@pytest.fixture
def said(record, make_result):
    """Return what is said of runs at 2, 4 and 8 DIMMs whose configurations state something of each count."""

    def make(of_count):
        records = [
            record(f"{n}-{k}", dimms=n, configuration_snapshot=snapshot(n, **stated))
            for n in (2, 4, 8)
            for k, stated in enumerate(of_count(n))
        ]
        results = [make_result(run_id=run.run_id, dimm_count=run.configuration_snapshot.dimm_count) for run in records]
        return changed_too(results, records, DIMMS)

    return make


def test_a_second_processor_with_eight_modules_is_said(said):
    """A processor draws some 100 W: a line over 2, 4 and 8 DIMMs, the last with two of them, is not theirs."""
    sentences = said(lambda n: [{"cpu": {"model": "Xeon", "sockets": 2 if n == 8 else 1}}])
    assert len(sentences) == 1
    assert "cpu.sockets (1 with 2; 1 with 4; 2 with 8)" in sentences[0]
    assert "memory" not in sentences[0]


@pytest.mark.parametrize(
    "of_count",
    [
        lambda n: [{"cpu": {"model": "Xeon", "sockets": 1}}],
        lambda n: [{"os": {"kernel": "6.1"}}, {"os": {"kernel": "6.8"}}],
    ],
    ids=["nothing but the memory", "each kernel at each count"],
)
def test_what_is_alike_at_every_count_is_not_said(said, of_count):
    assert said(of_count) == []


def test_several_power_settings_at_one_count_are_said(record, make_result):
    """Every count under both caps: no cap is in the slope, but the watts of two caps are no repeats of one another."""
    records = [
        record(f"{n}-{cap}", dimms=n, configuration_snapshot=snapshot(n)).changed(
            disclosure={"settings": {"power_cap_w": cap}}
        )
        for n in (2, 4, 8)
        for cap in (100, 150)
    ]
    results = [make_result(run_id=run.run_id, dimm_count=run.configuration_snapshot.dimm_count) for run in records]
    assert changed_too(results, records, DIMMS) == [
        "Runs under several power settings are fitted together, and their watts scatter about the line: power cap 100 "
        "or 150."
    ]
    assert changed_too(results[::2], records[::2], DIMMS) == []


def test_a_driver_that_changes_with_the_number_of_gpus_is_said(record, make_result):
    """A second GPU is what is counted; the driver of the first one is not, nor is another model in its place."""
    counting = Counting(part_words("GPU"), lambda result: result.dimm_count, lambda _: "A100", factor="parts.GPU")
    a100, h100 = Gpu(name="A100", driver="535", ecc="Enabled"), Gpu(name="H100", driver="550", ecc="Disabled")

    def said(*gpus_of_count):
        records = [
            record(f"{n}", disclosure={"environment": Environment(gpus=gpus)})
            for n, gpus in enumerate(gpus_of_count, start=1)
        ]
        results = [make_result(run_id=run.run_id, dimm_count=n) for n, run in enumerate(records, start=1)]
        return changed_too(results, records, counting)

    assert said({"0": a100}, {"0": a100, "1": a100}) == []
    assert said({"0": a100}, {"0": h100, "1": h100}) == []
    (sentence,) = said({"0": a100}, {"0": a100.changed(driver="550"), "1": h100})
    assert "GPU 0, driver of A100 (535 with 1; 550 with 2)" in sentence
    assert "ecc" not in sentence


def test_the_view_says_it(tmp_path):
    store_marked_lab(tmp_path)
    storage = open_storage(tmp_path)
    for run in storage.runs.all():
        stated = run.configuration_snapshot
        stated = stated.model_copy(update={"disks": ("hdd",) * (stated.dimm_count or 0)})
        storage.runs.put(run.model_copy(update={"configuration_snapshot": stated}))
    comparisons = Comparisons(Evaluations(storage), load_published)
    view = comparisons.memory(PLAIN, WORKLOAD, FULL)
    both = comparisons.break_even((PLAIN, LOOSE), WORKLOAD, FULL)
    storage.close()
    assert "disks (hdd, hdd with 2; " in view.warnings[-1]
    assert view.warnings[-1] in view.statement
    assert f"{PLAIN}: {view.warnings[-1]}" in both.statement
