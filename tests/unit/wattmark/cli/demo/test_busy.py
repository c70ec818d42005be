"""What the demo says at the end of a campaign on a busy machine."""

from wattmark.analysis.verdict import Verdict
from wattmark.cli.demo.busy import busy_words, learned
from wattmark.core.quantity import Quantity
from wattmark.results.result import BudgetedQuantity
from wattmark.runs.record import RunStatus


def disturbed(make_result, others_pct: float, *, dimms: int, watts: float, per_joule: float, **changes):
    outcome = "fail" if others_pct > 5 else "pass"
    fields = {
        "server": "fbserver",
        "configuration": f"fbdimm-{dimms}",
        "dimm_count": dimms,
        "full_load": True,
        "power": BudgetedQuantity(value=watts, unit="W"),
        "efficiency": BudgetedQuantity(value=per_joule, unit="signs/J"),
        "energy_per_op": Quantity(value=1 / per_joule, unit="J/sign"),
        "verdicts": (Verdict("undisturbed", others_pct, 5.0, "%", outcome, "…"),),
    }
    return make_result(**fields | changes)


def test_it_says_how_busy_the_machine_was_and_what_the_runs_teach_all_the_same(make_result):
    results = [
        disturbed(make_result, 27.0, dimms=2, watts=162.0, per_joule=60.0),
        disturbed(make_result, 98.0, dimms=2, watts=164.0, per_joule=20.0),
        disturbed(make_result, 90.0, dimms=8, watts=199.0, per_joule=25.0),
        disturbed(make_result, 3.0, dimms=8, watts=200.0, per_joule=70.0),
    ]
    words = busy_words(results)
    assert words is not None
    # 27, 90, 98: the median is 90
    assert "in 3 of 4 runs" in words
    assert "27 to 98 %" in words
    assert "90 % or more" in words
    chance, power = learned(results)
    # 60/20 = 3; 70/25 = 2.8
    assert "a factor of up to 3," in chance
    # (199.5 - 163) W / 6 DIMMs = 6.08 W
    assert "163 W with 2 DIMMs and 200 W with 8, some 6.1 W for each" in power


def test_a_quiet_machine_is_not_called_busy(make_result):
    assert busy_words([disturbed(make_result, 1.2, dimms=2, watts=162.0, per_joule=60.0)]) is None


def test_what_did_not_complete_or_was_not_at_full_load_teaches_nothing(make_result):
    results = [
        disturbed(make_result, 50.0, dimms=2, watts=162.0, per_joule=60.0, status=RunStatus.ABORTED),
        disturbed(make_result, 50.0, dimms=2, watts=162.0, per_joule=60.0, full_load=False),
        disturbed(make_result, 50.0, dimms=8, watts=199.0, per_joule=60.0),
    ]
    words = busy_words(results)
    assert words is not None
    assert "in 2 of 2 runs" in words
    assert list(learned(results)) == []
