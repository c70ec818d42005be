"""Other programs are noticed on every kind of load, or it is said why they were not looked for."""

from __future__ import annotations

from typing import Any

import pytest
from wattmark.results.undisturbed import own_share, undisturbed
from wattmark.runs.record import RunRecord

from tests.stored_run import make_run

SSH = {"declaration": {"command": ["openssl", "speed"], "hook": None}}


def run(**disclosure: Any) -> RunRecord:
    return make_run(disclosure=disclosure)


def listed(share_pct: float, unseen_pct: float = 0.0, over_s: float = 60.0) -> dict[str, float]:
    return {"share_pct": share_pct, "unseen_pct": unseen_pct, "over_s": over_s, "cpus": 2}


@pytest.mark.parametrize(
    ("share_pct", "utilisation_pct", "outcome"),
    [(99.5, 99.9, "pass"), (50.0, 50.0, "pass"), (100.2, 99.0, "pass"), (55.0, 100.0, "fail"), (20.0, 50.0, "fail")],
)
def test_other_programs_are_noticed(share_pct: float, utilisation_pct: float, outcome: str) -> None:
    verdict = undisturbed(run(window={"load_cpu_share_pct": share_pct}), utilisation_pct, 60.0)
    assert verdict.outcome == outcome
    assert verdict.value == pytest.approx(max(0, utilisation_pct - share_pct))


def test_on_another_server_the_list_of_processes_tells() -> None:
    """As a stranger recorded it: 132 % of one core is 66 % of a machine with two; each run was ranked all the same."""
    shares = (43.2, 41.1, 19.6, 16.2, 11.9)
    processes = [{"pid": 10 + n, "name": f"p{n}", "core_pct": share} for n, share in enumerate(shares)]
    verdict = undisturbed(run(workload=SSH, other_processes=processes, host={"cpus": 2}), 100.0, 60.0)
    assert (verdict.outcome, verdict.limit) == ("fail", 5.0)
    assert verdict.value == pytest.approx(66.0)
    assert "66 % of the CPU time by the list of processes (p0, p1, p2)" in verdict.text


@pytest.mark.parametrize(
    ("others", "outcome", "words"),
    [
        (listed(4.9), "pass", "4.9 % of the CPU time by the list of processes"),
        (listed(5.1), "fail", "5 % of the CPU time by the list of processes"),
        (listed(3.0, 3.0), "not-checked", "does not show who used 3 % of the CPU time"),
        (listed(30.0, 30.0), "fail", "30 % of the CPU time"),
        (listed(1.0, over_s=70.0), "not-checked", "was read over 70 s for a window of 60 s"),
        (None, "not-checked", "the list of processes of the server was not read"),
    ],
)
def test_many_small_programs_count_and_what_the_list_cannot_show_is_not_passed(
    others: dict[str, float] | None, outcome: str, words: str
) -> None:
    verdict = undisturbed(run(workload=SSH, other_programs=others, host={"cpus": 2}), 99.0, 60.0)
    assert verdict.outcome == outcome
    assert words in verdict.text


@pytest.mark.parametrize(
    ("workload", "words"),
    [
        ({"service": "database", "declaration": {"command": ["pgbench"]}}, "the database does the work"),
        ({"declaration": {"command": [], "hook": {"begin": {}}}}, "a hook started the load"),
        ({"declaration": {"command": [], "hook": None}}, "the load was started elsewhere"),
    ],
)
def test_whose_processes_cannot_be_told_apart_is_not_checked(workload: dict[str, Any], words: str) -> None:
    verdict = undisturbed(run(workload=workload, other_programs=listed(80.0)), 99.0, 60.0)
    assert verdict.outcome == "not-checked"
    assert words in verdict.text


def test_a_server_that_was_not_quiet_is_disturbed_unless_its_load_tells_otherwise() -> None:
    quiet = {"quiet": False, "waited_s": 60.0, "others_pct": 40.0, "limit_pct": 5.0}
    untold = undisturbed(run(quiet=quiet, workload=SSH), 99.0, 60.0)
    assert (untold.outcome, untold.value) == ("fail", 40.0)
    assert "40 % of the CPU time before the load" in untold.text
    assert undisturbed(run(quiet=quiet, window={"load_cpu_share_pct": 98.0}), 99.0, 60.0).outcome == "pass"
    assert undisturbed(run(quiet=quiet, workload=SSH, other_programs=listed(0.5)), 99.0, 60.0).outcome == "pass"


def test_all_that_an_idle_server_does_is_of_others() -> None:
    idle = {"task": {"task": "idle"}, "workload": SSH}
    assert undisturbed(run(**idle), 1.0, 60.0).outcome == "pass"
    assert undisturbed(run(**idle), 9.0, 60.0).outcome == "fail"


def beside(share_pct: float, **took: float) -> RunRecord:
    """Make a local run of 60 s whose load had a share of all CPUs, with what the list of processes shows."""
    return run(window={"load_cpu_share_pct": share_pct}, other_programs=listed(0.3) | took)


def test_what_wattmark_itself_takes_is_no_other_programs() -> None:
    """As on two cores: load 93 %, wattmark with its simulators 6 %, interrupts and others 1 %."""
    own = beside(93.0, own_pct=6.0)
    verdict = undisturbed(own, 100.0, 60.0)
    assert (verdict.outcome, verdict.value) == ("pass", pytest.approx(1.0))
    assert verdict.text == "Other programs used 1.0 % of the CPU time in the window."
    itself = own_share(own, 60.0)
    assert (itself.outcome, itself.value, itself.limit) == ("fail", 6.0, 5.0)
    assert itself.text.startswith("wattmark itself used 6 % of the CPU time in the window, so throughput and power")
    assert own_share(beside(97.0, own_pct=2.0), 60.0).outcome == "pass"


def test_what_wattmark_takes_hides_no_other_program() -> None:
    both = beside(85.0, own_pct=4.0)
    verdict = undisturbed(both, 100.0, 60.0)
    assert (verdict.outcome, verdict.value) == ("fail", pytest.approx(11.0))
    assert own_share(both, 60.0).outcome == "pass"
    read_late = run(window={"load_cpu_share_pct": 93.0}, other_programs=listed(0.3, over_s=70.0) | {"own_pct": 6.0})
    assert undisturbed(read_late, 100.0, 60.0).value == pytest.approx(7.0)
    assert own_share(read_late, 60.0).outcome == "not-checked"


@pytest.mark.parametrize(("at_most_pct", "value"), [(1.5, 1.5), (20.0, 7.0)])
def test_the_begin_of_each_slice_of_a_load_is_no_other_program(at_most_pct: float, value: float) -> None:
    """Of 10 % beside the marked work wattmark took 3 %; the list of processes shows whose the rest can be."""
    sliced = beside(90.0, own_pct=3.0, at_most_pct=at_most_pct)
    assert undisturbed(sliced, 100.0, 60.0).value == pytest.approx(value)


def test_what_is_listed_of_others_is_the_least_that_they_took() -> None:
    """Interrupts of 12 % were charged to a load of 80 %, so that older records leave nothing; 8 % were a stranger's."""
    charged = run(window={"load_cpu_share_pct": 92.0}, other_programs=listed(8.0) | {"own_pct": 0.0, "at_most_pct": 0})
    verdict = undisturbed(charged, 100.0, 60.0)
    assert (verdict.outcome, verdict.value) == ("fail", pytest.approx(8.0))


def test_what_was_taken_in_a_longer_time_may_all_have_been_in_the_window() -> None:
    """Of 5 s others or wattmark took 6.5 %, and nothing in the 2 s until the list was read: 4.64 % of its 7 s."""
    took_pct = 6.5 * 5 / 7
    by_load = run(
        window={"load_cpu_share_pct": 93.5},
        other_programs=listed(0.0, over_s=7.0) | {"own_pct": 0.0, "at_most_pct": took_pct},
    )
    verdict = undisturbed(by_load, 100.0, 5.0)
    assert (verdict.outcome, verdict.value) == ("fail", pytest.approx(6.5))
    own = run(other_programs=listed(0.0, over_s=7.0) | {"own_pct": took_pct})
    assert (own_share(own, 5.0).outcome, own_share(own, 5.0).value) == ("fail", pytest.approx(6.5))
    elsewhere = undisturbed(run(workload=SSH, other_programs=listed(took_pct, over_s=7.0)), 99.0, 5.0)
    assert elsewhere.outcome == "not-checked"
    assert "read over 7 s, longer than the window, of which others may have used 6.5 %" in elsewhere.text
    shorter = run(other_programs=listed(0.0, over_s=4.0) | {"own_pct": 4.0})
    assert own_share(shorter, 5.0).value == 4.0, "nothing says that wattmark rested in the second that is missing"


@pytest.mark.parametrize("others", [None, listed(0.5)])
def test_elsewhere_and_in_older_records_nothing_is_said_of_wattmark_itself(others: dict[str, float] | None) -> None:
    verdict = own_share(run(workload=SSH, other_programs=others), 60.0)
    assert (verdict.outcome, verdict.value) == ("not-checked", None)


@pytest.mark.parametrize(
    ("share_pct", "stolen_pct", "outcome", "text"),
    [
        # utilisation is 100 % of the 97 % that the hypervisor left
        (
            96.0,
            3.0,
            "pass",
            "Other programs used 1.0 % and other guests of its host 3.0 % of the CPU time in the window.",
        ),
        (
            91.0,
            8.0,
            "fail",
            "Other programs used 1 % and other guests of its host 8 % of the CPU time in the window, so throughput and "
            "power are not those of the load alone. Give this virtual machine CPUs of its own and repeat the run.",
        ),
    ],
)
def test_stolen_time_is_that_of_other_guests(share_pct: float, stolen_pct: float, outcome: str, text: str) -> None:
    verdict = undisturbed(beside(share_pct, stolen_pct=stolen_pct), 100.0, 60.0)
    assert (verdict.outcome, verdict.value) == (outcome, pytest.approx(1.0 + stolen_pct))
    assert verdict.text == text


def test_stolen_time_counts_where_the_list_of_processes_tells() -> None:
    guests = run(workload=SSH, other_programs=listed(1.0) | {"stolen_pct": 6.0}, host={"cpus": 2})
    verdict = undisturbed(guests, 99.0, 60.0)
    assert (verdict.outcome, verdict.value) == ("fail", 7.0)


def test_processes_that_are_listed_are_named() -> None:
    named = run(window={"load_cpu_share_pct": 80.0}, other_processes=[{"pid": 7, "name": "backup", "core_pct": 36.0}])
    assert "Other programs used 20 % of the CPU time in the window (backup), so" in undisturbed(named, 100, 60).text
