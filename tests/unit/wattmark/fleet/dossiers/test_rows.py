"""A run of a made-up laboratory as rows: what stands in them is what the laboratory was made of."""

from __future__ import annotations

import pytest
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.dossiers.rows import memory_text, result_columns, run_columns, series_parts, server_model
from wattmark.results.data_folder import open_storage
from wattmark.results.inventory_part import CheckedSlot, MemoryInventory
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.result import Result
from wattmark.runs.disclosure import Disclosure, HostFacts
from wattmark.store.sample_store import SeriesKey

from tests.generated_lab import BEGIN_NS, WINDOW_S, WORKLOADS, Build, store_lab


@pytest.fixture(scope="module")
def dossier(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    store_lab(folder, servers=1, configurations=1, repeats=1)
    storage = open_storage(folder, read_only=True)
    yield Dossiers(storage, Evaluations(storage), lambda: "North").gather("g00000")
    storage.close()


def test_the_row_of_a_result_has_what_the_run_was_made_of(dossier):
    row = result_columns(dossier, written_ns=7)
    build, (workload, level, unit, _) = Build(0, 0), WORKLOADS[0]
    assert {name: row[name] for name in ("lab", "run", "created_ns", "written_ns", "deleted", "version")} == {
        "lab": "North", "run": "g00000", "created_ns": BEGIN_NS, "written_ns": 7, "deleted": 0, "version": 1,
    }  # fmt: skip
    assert (row["server"], row["configuration"], row["processor"]) == ("node-01", "c01", "Xeon 6430")
    assert (row["dimm_count"], row["memory"]) == (2, "2 x 16 GiB RDIMM")
    assert (row["workload"], row["level"], row["unit"]) == (workload, level, unit)
    assert row["window_s"] == WINDOW_S
    assert row["power"] == pytest.approx(build.power_w, rel=0.02)
    assert row["energy_j"] == pytest.approx(row["power"] * WINDOW_S, rel=1e-9)
    assert row["efficiency"] == pytest.approx(row["throughput"] / row["power"], rel=1e-9)
    assert [name for name in row if name.startswith("power")] == ["power", "power_u", "power_U95", "power_ranked"]
    assert 0 < row["efficiency_u"] < row["efficiency_U95"] < 0.05 * row["efficiency"]
    assert len(row["verdict_rule"]) == len(row["verdict_outcome"]) > 0


def test_the_document_is_the_result_as_issued(dossier):
    assert Result.model_validate_json(result_columns(dossier, 0)["document"]) == dossier.result


def test_the_record_has_everything_but_the_result(dossier):
    row = run_columns(dossier, 0)
    again = type(dossier).model_validate_json(row["record"])
    assert again.result is None
    assert again.model_copy(update={"result": dossier.result}) == dossier


def test_modules_of_several_sizes_are_not_called_equal(dossier):
    modules = [{"slot": "A1", "capacity_gib": 16}, {"slot": "A2", "capacity_gib": 32}]
    record = dossier.record.changed(configuration_snapshot={"modules": modules})
    mixed = dossier.result.model_copy(update={"memory_gib": 48.0})
    assert memory_text(mixed, record) == "2 modules, 48 GiB RDIMM"


def test_empty_slots_and_persistent_memory_make_no_size_of_modules(dossier):
    modules = [
        {"slot": "A1", "type": "RDIMM", "capacity_gib": 16}, {"slot": "A2", "type": None, "capacity_gib": None},
        {"slot": "B1", "type": "RDIMM", "capacity_gib": 16}, {"slot": "B2", "type": "PMem", "capacity_gib": 126.375},
    ]  # fmt: skip
    record = dossier.record.changed(configuration_snapshot={"modules": modules})
    assert memory_text(dossier.result, record) == "2 x 16 GiB RDIMM"


def test_modules_that_the_server_does_not_have_are_not_stated_as_its_own(dossier):
    slots = (CheckedSlot(slot="A1", declared="RDIMM 16 GiB", status="declared, not verified"),)
    differs = MemoryInventory(slots=slots, contradictions=("2 modules in the bench file, 1 in it",), statement="")
    contradicted = dossier.result.model_copy(update={"inventory": differs})
    assert memory_text(contradicted, dossier.record) == "2 x 16 GiB RDIMM, contradicted by the inventory"


def test_the_model_is_that_of_the_record_or_of_what_was_submitted(dossier):
    assert server_model(dossier.record) == ""
    read = dossier.record.model_copy(update={"disclosure": Disclosure(host=HostFacts(model="HP ProLiant DL360 G5"))})
    assert server_model(read) == "HP ProLiant DL360 G5"
    submitted = {"submission": {"system_name": "DL360 G5 x1"}}
    assert server_model(read.changed(configuration_snapshot=submitted)) == "DL360 G5 x1"


def test_series_with_the_same_channel_are_numbered():
    keys = [SeriesKey("r", "s", "wall", *rest) for rest in (("p", "power", "W", "a", "low"), ("u", "voltage", "V", "a"),
            ("p", "power", "W", "a", "high"))]  # fmt: skip
    assert series_parts(keys) == [0, 0, 1]
