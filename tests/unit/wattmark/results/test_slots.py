"""A mismatch between bench file and firmware is a note on the run, also where boards do not name their slots."""

import pytest
from wattmark.results.evaluate import evaluate
from wattmark.results.inventory.inventory import memory_inventory

EMPTY = "Memory Device\n\tSize: No Module Installed\n\tForm Factor: FB-DIMM\n\n"


def device(size="1024 MB", form="FB-DIMM"):
    return f"Memory Device\n\tSize: {size}\n\tForm Factor: {form}\n\tType Detail: Synchronous Registered (Buffered)\n\n"


@pytest.fixture
def run(record):
    def make(text, count=2, gib=1.0):
        modules = [{"slot": f"A{k}", "type": "FB-DIMM", "capacity_gib": gib} for k in range(count)]
        modules.append({"slot": "B1", "type": None, "capacity_gib": None})
        return record(configuration_snapshot={"modules": modules}, disclosure={"host": {"memory_slots": text}})

    return make


def contradictions(run):
    return memory_inventory(run, simulated=False).contradictions


def test_empty_slots_do_not_count(run):
    assert contradictions(run(device() + EMPTY + device() + EMPTY)) == ()


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (device() * 3, "2 modules in the bench file, 3 in the server"),
        (device("2048 MB") * 2, "2 x 1 GiB in the bench file, 2 x 2 GiB in the server"),
        (device(form="DIMM") * 2, "2 x FB-DIMM in the bench file, 2 x RDIMM in the server"),
    ],
)
def test_mismatches(run, text, warning):
    assert warning in contradictions(run(text))


@pytest.mark.parametrize("text", [None, "", "/dev/mem: Permission denied\n"])
def test_unreadable_slots_give_no_note(run, text):
    assert contradictions(run(text)) == ()


def test_it_is_a_note_of_the_result(run, store):
    assert any("differ from the bench file" in note for note in evaluate(run(device() * 3), store).notes)
