"""One configuration against its levels: what is told, and why the rest is not."""

import re

import pytest
from wattmark.comparison.compare.levels import level_count
from wattmark.comparison.scaling.scaling import scaling_view
from wattmark.comparison.scaling.scaling_table import scaling_table
from wattmark.core.errors import InputError
from wattmark.results.result import Verdict


@pytest.fixture
def levels(measure):
    """Runs whose work follows Amdahl's law with a serial share of 10 %: X(n) = 1000 n / (1 + 0.1 (n - 1))."""

    def make(counts, watts=lambda n: 200.0 + 5 * n, repeats=2, **changes):
        return [
            measure(
                f"{n}-{k}",
                watts=watts(n),
                work=1000 * n / (1 + 0.1 * (n - 1)) * (1 + 0.0005 * (-1) ** k),
                level=f"{n} process{'es' if n > 1 else ''}",
                repeat=k + 1,
                **changes,
            )
            for n in counts
            for k in range(repeats)
        ]

    return make


@pytest.mark.parametrize(
    ("level", "count"),
    [("1 process", 1), ("16 threads", 16), ("8", 8), ("full load", None), ("Offline", None), ("0 clients", None)],
)
def test_levels_that_count(level, count):
    assert level_count(level) == count


def test_levels_stand_in_the_order_of_their_count(levels):
    view = scaling_view(levels([16, 2, 1, 8]), "s1/fbdimm-4", "rsa")
    assert [level.count for level in view.levels] == [1, 2, 8, 16]
    assert [level.n for level in view.levels] == [2, 2, 2, 2]


def test_speed_up_and_parallel_efficiency_follow_amdahl(levels):
    """4 processes with 10 % serial work: 4/1.3 = 3.077 times as fast, 76.9 % parallel efficiency."""
    view = scaling_view(levels([1, 2, 4]), "s1/fbdimm-4", "rsa")
    four = view.levels[-1]
    assert four.speed_up.value == pytest.approx(4 / 1.3, rel=1e-3)
    assert four.parallel_efficiency.value == pytest.approx(1 / 1.3, rel=1e-3)
    assert four.speed_up.low < 4 / 1.3 < four.speed_up.high
    assert (view.levels[0].speed_up.value, view.levels[0].speed_up.low) == (1, None)


def test_serial_share_is_found(levels):
    view = scaling_view(levels([1, 2, 4, 8]), "s1/fbdimm-4", "rsa")
    (law,) = [s for s in view.sentences if s.startswith("Amdahl's law")]
    stated = re.search(r"serial share ([0-9.]+) % \(95 % interval ([0-9.]+) to ([0-9.]+) %\)", law)
    share, low, high = stated.groups()
    assert float(low) < 10 < float(high)
    assert float(share) == pytest.approx(10, rel=0.01)
    assert any(s.startswith("The universal scalability law: contention ") for s in view.sentences)


def test_peak_at_the_edge_is_said_and_efficiency_peaks_where_watts_rise(levels):
    view = scaling_view(levels([1, 2, 4, 8], watts=lambda n: 100.0 + 40 * n), "s1/fbdimm-4", "rsa")
    assert any(s.startswith("Throughput peaks at level 8 with") and "may lie beyond" in s for s in view.sentences)
    # 1000 n / (1 + 0.1 (n - 1)) / (100 + 40 n): 7.14, 10.10, 11.83, 11.20 at 1, 2, 4, 8
    assert any(s.startswith("Performance per watt peaks at level 4 with 11.8") for s in view.sentences)


def test_two_levels_fit_no_universal_law(levels):
    sentences = scaling_view(levels([1, 4]), "s1/fbdimm-4", "rsa").sentences
    assert any(s.startswith("Amdahl's law: ") for s in sentences)
    assert any(
        s.startswith("The universal scalability law is not known: 2 distinct levels were measured; this needs 3")
        for s in sentences
    )
    assert any(s.startswith("Throughput: a knee is not known: Fewer than three levels") for s in sentences)


def test_one_level_shows_no_curve(levels):
    sentences = scaling_view(levels([4]), "s1/fbdimm-4", "rsa").sentences
    assert any(s.startswith("Speed-up is not known: One level does not make a curve") for s in sentences)


def test_levels_without_a_count_are_named(levels, measure):
    view = scaling_view([*levels([1, 2]), measure("x", level="full load")], "s1/fbdimm-4", "rsa")
    assert "Excluded, because these levels are not a count: full load." in view.sentences
    with pytest.raises(InputError, match="at a level that is a number"):
        scaling_view([measure("y", level="full load")], "s1/fbdimm-4", "rsa")


def test_unsteady_runs_count_for_their_work_and_not_for_full_load_power(levels, measure):
    bad = measure("bad", watts=400, work=9999.0, ramp=-90.0, level="4 processes")
    results = levels([1, 4])
    without, with_unsteady = (scaling_view([*results, *more], "s1/fbdimm-4", "rsa") for more in ([], [bad]))
    assert (without.levels[-1].n, with_unsteady.levels[-1].n) == (2, 3)
    assert with_unsteady.levels[-1].power_w == without.levels[-1].power_w
    assert any("Level 4: 1 of 3 runs excluded of full-load power: unsteady (rule" in s for s in with_unsteady.sentences)


def test_disturbed_runs_do_not_count(levels, measure):
    bad = measure("bad", watts=400, work=9999.0, level="4 processes")
    verdict = Verdict(rule="undisturbed", value=40.0, limit=5.0, unit="%", outcome="fail", text="Other programs ...")
    bad = bad.model_copy(update={"verdicts": (*bad.verdicts, verdict)})
    view = scaling_view([*levels([1, 4]), bad], "s1/fbdimm-4", "rsa")
    assert view.levels[-1].n == 2
    assert view.levels[-1].speed_up.value == pytest.approx(4 / 1.3, rel=1e-3)
    assert any("Level 4: 1 of 3 runs excluded: disturbed by other programs" in s for s in view.sentences)


def test_table_carries_levels_and_sentences(levels):
    view = scaling_view(levels([1, 2, 4]), "s1/fbdimm-4", "rsa")
    table = scaling_table(view)
    assert [row[table.position("count")] for row in table.rows] == [1, 2, 4]
    assert table.rows[2][table.position("throughput")] == pytest.approx(4000 / 1.3, rel=1e-3)
    assert set(view.sentences) <= set(table.footnotes)


def with_response(results, seconds):
    return [r.model_copy(update={"response_times_s": {"mean": seconds(level_count(r.level))}}) for r in results]


def test_response_times_stand_beside_the_levels(levels):
    """A closed loop without think time: R = N/X."""
    runs = with_response(levels([1, 2, 4]), lambda n: (1 + 0.1 * (n - 1)) / 1000)
    view = scaling_view(runs, "s1/fbdimm-4", "rsa")
    assert [level.in_flight for level in view.levels] == pytest.approx([1, 2, 4], rel=1e-3)
    assert [level.possible for level in view.levels] == [True, True, True]
    table = scaling_table(view)
    assert table.rows[0][table.position("response_s")] == pytest.approx(0.001)


def test_more_requests_than_clients_are_flagged(levels):
    """Little's law: 1000/s x 5 ms are 5 requests in flight, for 1 client; 6400/s x 2.4 ms are 15.4 for 16."""
    runs = with_response(levels([1, 2, 16]), lambda n: 0.0024 if n == 16 else 0.005)
    view = scaling_view(runs, "s1/fbdimm-4", "rsa")
    assert [level.possible for level in view.levels] == [False, False, True]
    assert any(sentence.startswith("Level 1: Throughput x time is 5 requests for 1 clients: impossible") for sentence in
               view.sentences)  # fmt: skip


def test_more_requests_than_clients_by_rounding_alone_are_not_flagged(levels):
    """6400/s x 2.5 ms are the 16 clients; printed in whole milliseconds, 3 ms would be 19."""
    runs = with_response(levels([1, 16]), lambda n: 0.003 if n == 16 else 0.001)
    assert [level.possible for level in scaling_view(runs, "s1/fbdimm-4", "rsa").levels] == [True, True]


def test_without_response_times_nothing_is_checked(levels):
    assert {level.possible for level in scaling_view(levels([1, 2]), "s1/fbdimm-4", "rsa").levels} == {None}


def test_average_over_the_upper_levels(levels):
    """Levels 4 and 8: 4000/1.3 and 8000/1.7 signs/s."""
    view = scaling_view(levels([1, 2, 4, 8]), "s1/fbdimm-4", "rsa", threshold=4)
    assert view.mean_throughput.value == pytest.approx((4000 / 1.3 + 8000 / 1.7) / 2, rel=1e-3)
    rate, ratio = (sentence for sentence in view.sentences if sentence.startswith("Average over levels 4 and higher: "))
    assert rate.endswith(" signs/s.")
    assert "3\u202f891" in rate
    assert 0 < view.mean_throughput.U95 < 0.01 * view.mean_throughput.value
    assert ratio.endswith(" signs/J.")
    # The meter of class 1.5 % is the same at both levels, so its error is not averaged out.
    assert 0.95 * 0.015 < view.mean_efficiency.U95 / view.mean_efficiency.value < 1.1 * 0.0175


def test_unknown_meter_gives_no_plus_minus_of_work_per_joule_and_says_so(levels, meter):
    bare = meter(reading_pct=None, fixed_w=None, range_pct=None)
    runs = levels([1, 2, 4], meters=(bare,))
    view = scaling_view(runs, "s1/fbdimm-4", "rsa", threshold=2)
    rate, ratio = (sentence for sentence in view.sentences if sentence.startswith("Average over levels 2 and higher: "))
    assert "±" in rate
    assert ratio.endswith("(no ±: the ± of a level is not known).")
    table = scaling_table(view)
    for row in table.rows:
        assert row[table.position("power_U95_w")] is None
        assert row[table.position("efficiency_U95")] is None
        assert "the uncertainty of the meter is not known" in row[table.position("remarks")]


def test_single_runs_give_a_speed_up_without_an_interval_and_say_why(levels):
    view = scaling_view(levels([1, 2], repeats=1), "s1/fbdimm-4", "rsa")
    two = view.levels[-1]
    assert two.speed_up.value == pytest.approx(2 / 1.1, rel=1e-3)
    assert two.speed_up.ends == (None, None)
    assert any("with a single run the scatter between runs is not known" in remark for remark in two.remarks)


def test_a_threshold_above_all_levels_says_so(levels):
    view = scaling_view(levels([1, 2]), "s1/fbdimm-4", "rsa", threshold=5)
    assert view.mean_throughput is None
    assert any("No level is 5 or higher" in sentence for sentence in view.sentences)
