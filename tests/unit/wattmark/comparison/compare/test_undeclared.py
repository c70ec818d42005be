"""What differs in the environment beside what is declared is said in the sentence of a comparison."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.comparison.compare import facts
from wattmark.comparison.compare.differences import run_differences
from wattmark.comparison.compare.factors import factors
from wattmark.comparison.compare.stated_facts import StatedFacts
from wattmark.comparison.compare.undeclared import undeclared_text
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.published.library import load_published
from wattmark.core.errors import InputError, NotFound
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.disclosure import Disclosure
from wattmark.runs.environment import Drive, Environment, Gpu
from wattmark.runs.power_settings import PowerSettings
from wattmark.runs.record import RunRecord

from tests.marked_lab import FULL, PLAIN, SIMULATED, WORKLOAD, run_ids, store_marked_lab

USUAL = Environment(
    governor="performance", turbo="on", memory_gib=15.62, kernel="6.1", drives={"sda": Drive(model="S")}
)


def run(record: Callable[..., RunRecord], run_id: str, dimms: int = 2, server: str = "s", **facts: object) -> RunRecord:
    slots = {f"A{k}": {"type": "RDIMM", "capacity_gib": 16} for k in range(dimms)}
    snapshot = {"dimm_count": dimms, "declared": {"memory": {"slots": slots}}}
    disclosure = Disclosure(environment=USUAL.changed(**facts), program_version="7-Zip 23.01")
    return record(run_id, dimms=dimms, server=server, configuration_snapshot=snapshot, disclosure=disclosure)


def clause(new: RunRecord, old: RunRecord) -> str:
    return undeclared_text(StatedFacts.of(new), StatedFacts.of(old))


def test_a_hidden_difference_is_one_clause(record: Callable[..., RunRecord]) -> None:
    old, new = run(record, "a"), run(record, "b", 4, governor="powersave", memory_gib=31.25)
    assert clause(new, old) == "besides the memory, the CPU governor differs: powersave against performance"
    assert clause(old, new) == "besides the memory, the CPU governor differs: performance against powersave"


def test_several_are_named_by_weight_and_the_rest_is_counted(record: Callable[..., RunRecord]) -> None:
    old = run(record, "a")
    new = run(record, "b", 4, governor="powersave", turbo="off", kernel="6.12", drives={"sda": Drive(model="T")})
    assert clause(new, old) == (
        "besides the memory, 4 facts of the environment differ: CPU governor (powersave against performance), "
        "turbo (off against on), kernel (6.12 against 6.1), and 1 more"
    )


def test_what_the_declared_factor_brings_along_is_not_hidden(record: Callable[..., RunRecord]) -> None:
    old, new = run(record, "a"), run(record, "b", 4, memory_gib=31.25)
    assert clause(new, old) == ""
    other = run(record, "c", server="t", drives={"sda": Drive(model="T")})
    assert clause(other, old) == ""
    slow = run(record, "d", 4, server="t", governor="powersave")
    assert clause(slow, old) == "besides the server, the CPU governor differs: powersave against performance", (
        "another server has other memory anyway"
    )


def test_two_runs_of_one_configuration_differ_in_nothing_declared(record: Callable[..., RunRecord]) -> None:
    old, new = run(record, "a"), run(record, "b", turbo="off")
    assert clause(new, old) == "although nothing declared differs, the turbo differs: off against on"


def test_what_was_not_recorded_is_no_difference(record: Callable[..., RunRecord]) -> None:
    bare = record("c", dimms=2)
    assert clause(run(record, "a"), bare) == ""


@pytest.fixture
def lab(tmp_path: Path) -> Storage:
    """A lab whose runs with eight modules were made under another governor."""
    store_marked_lab(tmp_path)
    storage = open_storage(tmp_path)
    for kept in storage.runs.all():
        governor = "powersave" if kept.configuration_snapshot.dimm_count == 8 else "performance"
        disclosure = kept.disclosure.changed(environment=Environment(governor=governor))
        storage.runs.put(kept.model_copy(update={"disclosure": disclosure}))
    return storage


def test_comparison_memory_and_differences_say_it(lab: Storage) -> None:
    comparisons = Comparisons(Evaluations(lab), load_published)
    compared = comparisons.compare(WORKLOAD, FULL, f"{PLAIN}/dimms-2", server=PLAIN)
    words = "besides the memory, the CPU governor differs: powersave against performance"
    assert [pair.key for pair in compared.pairs if words in pair.verdict] == [f"{PLAIN}/dimms-8"]
    assert "1 of 2 configurations differ from the baseline in more than what is declared" in compared.statement
    view = comparisons.memory(PLAIN, WORKLOAD, FULL)
    assert "CPU governor (performance with 2; performance with 4; powersave with 8)" in view.statement
    between = comparisons.differences(f"{PLAIN}/dimms-8", f"{PLAIN}/dimms-2")
    assert [row.fact for row in between.differences if not row.declared] == ["governor"]
    assert (between.a_configuration, between.b_configuration) == (f"{PLAIN}/dimms-8", f"{PLAIN}/dimms-2")
    assert not {"workload", "level"} & {row.fact for row in between.differences}, "dimms-8 did other work last"
    with pytest.raises(NotFound) as caught:
        comparisons.differences(f"{PLAIN}-0", between.b)
    begins_so = run_ids(lab, PLAIN)
    assert caught.value.remedy == f"Names that begin so: {', '.join(begins_so[:8])}, and {len(begins_so) - 8} more."
    with pytest.raises(NotFound, match="no run and no configuration 'nowhere'"):
        comparisons.differences("nowhere", between.b)
    with pytest.raises(InputError, match="'published:spec-1' is a published figure"):
        comparisons.differences(between.a, "published:spec-1")
    simulated = comparisons.differences(f"{SIMULATED}/dimms-8 (simulated)", f"{SIMULATED}/dimms-8")
    assert simulated.statement == f"Both are run {simulated.b}.", "a comparison calls it so"
    lab.close()


def test_simulated_and_measured_runs_of_a_configuration_are_told_apart(lab: Storage) -> None:
    """The last run of a configuration becomes one of a simulator: it alone has the name of the simulated ones."""
    same = [run for run in lab.runs.all() if (run.server, run.configuration) == (PLAIN, "dimms-2")]
    same = sorted((run for run in same if (run.workload, run.level) == (WORKLOAD, FULL)), key=lambda r: r.created_ns)
    *_, measured, last = same
    meters = tuple(meter.model_copy(update={"simulated": True}) for meter in last.meters)
    lab.runs.put(last.model_copy(update={"meters": meters}))
    comparisons = Comparisons(Evaluations(lab), load_published)
    between = comparisons.differences(f"{PLAIN}/dimms-2 (simulated)", f"{PLAIN}/dimms-2")
    assert (between.a, between.b) == (last.run_id, measured.run_id)
    with pytest.raises(NotFound, match="no run and no configuration"):
        comparisons.differences(f"{PLAIN}/dimms-4 (simulated)", f"{PLAIN}/dimms-2")
    lab.close()


def test_a_fact_that_changed_between_runs_says_in_how_many(record: Callable[..., RunRecord]) -> None:
    """Six runs, of which two were made under another governor and one without the second drive."""
    two = {"sda": Drive(model="S"), "sdb": Drive(model="T")}
    runs = [run(record, f"r{k}", governor="powersave" if k < 2 else "performance", drives=two) for k in range(5)]
    runs.append(run(record, "r5", drives={"sda": Drive(model="S")}))
    merged = StatedFacts.of(*runs)
    assert merged.changed == (
        ("CPU governor", "powersave in 2 of 6 runs, performance in 4"),
        ("drive sdb", "none in 1 of 6 runs, T in 5"),
    )
    assert undeclared_text(merged, StatedFacts.of(run(record, "x", 4, drives=two))) == (
        "besides the memory, the CPU governor differs: powersave in 2 of 6 runs, performance in 4 against performance"
    )
    bare = record("y")
    assert StatedFacts.of(bare, *runs[2:5]).changed == (), "a run that states nothing is not counted"


def test_every_run_of_a_configuration_speaks(tmp_path: Path) -> None:
    """One run of the baseline was made under another governor: not the last one, which alone was asked before."""
    store_marked_lab(tmp_path)
    storage = open_storage(tmp_path)
    kept = [r for r in storage.runs.all() if (r.server, r.workload, r.level) == (PLAIN, WORKLOAD, FULL)]
    first = next(r.run_id for r in kept if r.configuration_snapshot.dimm_count == 2)
    for stored in kept:
        governor = "powersave" if stored.run_id == first else "performance"
        disclosure = stored.disclosure.changed(environment=Environment(governor=governor))
        storage.runs.put(stored.model_copy(update={"disclosure": disclosure}))
    compared = Comparisons(Evaluations(storage), load_published).compare(
        WORKLOAD, FULL, f"{PLAIN}/dimms-2", server=PLAIN
    )
    group = next(group for group in compared.groups if group.key == f"{PLAIN}/dimms-2")
    n = len(group.runs)
    remark = (
        f"The environment changed between the runs. CPU governor: powersave in 1 of {n} runs, performance in {n - 1}."
    )
    assert remark in group.remarks
    assert f"The environment of 1 of {len(compared.groups)} configurations changed between runs" in compared.statement
    against = f"performance against powersave in 1 of {n} runs, performance in {n - 1}"
    assert all(against in pair.verdict for pair in compared.pairs)
    storage.close()


def capped(record: Callable[..., RunRecord], run_id: str, watts: float, **facts: object) -> RunRecord:
    made = run(record, run_id, power_caps={"intel-rapl:0 package-0 long_term": f"{watts:g} W"}, **facts)
    return made.changed(disclosure=made.disclosure.changed(settings=PowerSettings(power_cap_w=watts)))


def test_a_power_setting_accounts_for_what_it_sets_and_for_nothing_else(record: Callable[..., RunRecord]) -> None:
    low, high = capped(record, "a", 100), capped(record, "b", 150)
    assert clause(high, low) == ""
    assert factors(high)["settings.power_cap_w"] == "150"
    drifted = capped(record, "c", 150, governor="powersave")
    assert clause(drifted, low) == (
        "besides the power settings, the CPU governor differs: powersave against performance"
    )
    assert clause(high, run(record, "d", power_caps={"intel-rapl:0 package-0 long_term": "165 W"})) == ""


def test_what_another_server_does_not_bring_along_is_named_beside_it(record: Callable[..., RunRecord]) -> None:
    other = run(record, "b", 4, server="t", governor="powersave").changed(workload="web", level="50 %")
    assert clause(other, run(record, "a")) == (
        "besides the server, the workload and the load level, the CPU governor differs: powersave against performance"
    )


def under(record: Callable[..., RunRecord], run_id: str, settings: PowerSettings | None, **facts: object) -> RunRecord:
    made = run(record, run_id, **facts)
    return made.changed(disclosure=made.disclosure.changed(settings=settings))


PACKAGE, SHORT, OTHER_REGISTER = (
    "intel-rapl:0 package-0 long_term", "intel-rapl:0 package-0 short_term", "intel-rapl-mmio:0 package-0 long_term",
)  # fmt: skip
GPU = Gpu(name="A100", driver="535.129", power_cap="300.00 W")
STATES = dict.fromkeys(("POLL", "C1", "C1E", "C6"), "enabled")
BUFFERS = "Mitigation: Clear CPU buffers; SMT"
"""As the kernel's Documentation/admin-guide/hw-vuln/mds.rst words it, before "vulnerable" or "disabled"."""
INVERSION, THUNK = "Mitigation: PTE Inversion; VMX: vulnerable, SMT", "Mitigation: untrained return thunk; SMT"


@pytest.mark.parametrize(
    ("new", "old", "new_facts", "old_facts", "words"),
    [
        (
            PowerSettings(power_cap_w=100),
            PowerSettings(power_cap_w=150),
            {"power_caps": {PACKAGE: "100 W", SHORT: "180 W"}},
            {"power_caps": {PACKAGE: "150 W", SHORT: "200 W"}},
            f"the power cap {SHORT} differs: 180 W against 200 W",
        ),
        (
            PowerSettings(power_cap_w=100),
            PowerSettings(power_cap_w=150),
            {"power_caps": {PACKAGE: "100 W", OTHER_REGISTER: "90 W"}},
            {"power_caps": {PACKAGE: "150 W", OTHER_REGISTER: "200 W"}},
            f"the power cap {OTHER_REGISTER} differs: 90 W against 200 W",
        ),
        (
            PowerSettings(power_cap_w=100),
            None,
            {"power_caps": {PACKAGE: "100 W", SHORT: "198 W"}},
            {"power_caps": {PACKAGE: "165 W, not in force", SHORT: "198 W, not in force"}},
            "",
        ),
        (
            PowerSettings(gpu_power_cap_w=250),
            PowerSettings(gpu_power_cap_w=300),
            {"gpus": {"0": GPU.changed(power_cap="250.00 W", driver="550.54")}},
            {"gpus": {"0": GPU}},
            "the GPU 0, driver differs: 550.54 against 535.129",
        ),
        (
            PowerSettings(turbo="off"),
            PowerSettings(turbo="on"),
            {"turbo": "off", "max_clock": "2000 MHz", "hardware_max_clock": "2000 MHz"},
            {"turbo": "on", "max_clock": "3700 MHz", "hardware_max_clock": "3700 MHz"},
            "",
        ),
        (
            PowerSettings(deepest_c_state="C1E"),
            PowerSettings(deepest_c_state="C6"),
            {"idle_states": {**STATES, "C1": "disabled", "C6": "disabled"}},
            {"idle_states": STATES},
            "the C-state C1 differs: disabled against enabled",
        ),
        (
            PowerSettings(smt="off"),
            PowerSettings(smt="on"),
            {"smt": "off", "cpus_online": 2, "mitigations": {"mds": f"{BUFFERS} disabled"}},
            {"smt": "on", "cpus_online": 4, "mitigations": {"mds": f"{BUFFERS} vulnerable"}},
            "",
        ),
        (
            PowerSettings(smt="off"),
            PowerSettings(smt="on"),
            {"mitigations": {"mds": "Vulnerable; SMT disabled"}},
            {"mitigations": {"mds": f"{BUFFERS} vulnerable"}},
            "the mitigation mds differs: Vulnerable against Mitigation: Clear CPU buffers",
        ),
        (
            PowerSettings(smt="off"),
            PowerSettings(smt="on"),
            {"mitigations": {"spectre_v2": "Mitigation: Retpolines; IBPB: conditional; STIBP: disabled; RSB filling"}},
            {"mitigations": {"spectre_v2": "Mitigation: Retpolines; IBPB: conditional; STIBP: forced; RSB filling"}},
            "",
        ),
    ],
)
def test_a_setting_accounts_for_the_field_that_it_sets(
    record: Callable[..., RunRecord],
    new: PowerSettings,
    old: PowerSettings | None,
    new_facts: dict[str, object],
    old_facts: dict[str, object],
    words: str,
) -> None:
    said = clause(under(record, "a", new, **new_facts), under(record, "b", old, **old_facts))
    assert said == (f"besides the power settings, {words}" if words else "")


@pytest.mark.parametrize(
    ("fact", "off", "on"),
    [  # the texts of the kernel's Documentation/admin-guide/hw-vuln, and of bugs.c for retbleed
        ("spec_rstack_overflow", "Mitigation: SMT disabled", "Mitigation: Safe RET"),
        ("mds", f"{BUFFERS} disabled", f"{BUFFERS} vulnerable"),
        ("l1tf", f"{INVERSION} disabled", f"{INVERSION} vulnerable"),
        ("retbleed", f"{THUNK} disabled", f"{THUNK} enabled with STIBP protection"),
    ],
)
def test_the_state_of_smt_is_said_once(record: Callable[..., RunRecord], fact: str, off: str, on: str) -> None:
    a, b = (
        run(record, name, smt=smt, mitigations={fact: text}) for name, smt, text in (("a", "off", off), ("b", "on", on))
    )
    compared = run_differences(a, b)
    assert [(row.title, row.a, row.b) for row in compared.differences] == [("SMT", "off", "on")]
    assert compared.one_sided == []
    changed = StatedFacts.of(a, b).changed
    assert changed == (("SMT", "off in 1 of 2 runs, on in 1"),)


def test_another_server_accounts_for_no_setting_of_the_same_model(record: Callable[..., RunRecord]) -> None:
    drive = Drive(model="S", firmware="1", scheduler="none")
    old = run(record, "a", drives={"sda": drive})
    other = run(record, "b", server="t", drives={"sda": drive.changed(scheduler="bfq", firmware="2")})
    assert clause(other, old) == "besides the server, the drive sda, scheduler differs: bfq against none"
    another = run(record, "c", server="t", drives={"sda": Drive(model="T", scheduler="bfq")})
    assert clause(another, old) == ""


def test_what_was_not_read_of_many_runs_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "MOST_READ", 3)
    store_marked_lab(tmp_path)
    storage = open_storage(tmp_path)
    compared = Comparisons(Evaluations(storage), load_published).compare(WORKLOAD, FULL, server=PLAIN)
    count = sum(len(group.runs) for group in compared.groups)
    assert f"Of these {count} runs only the environment of the last one of each configuration was read" in (
        compared.statement
    )
    monkeypatch.setattr(facts, "MOST_READ", count)
    compared = Comparisons(Evaluations(storage), load_published).compare(WORKLOAD, FULL, server=PLAIN)
    assert "was read" not in compared.statement
    storage.close()
