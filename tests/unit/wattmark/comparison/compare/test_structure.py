"""What repeats have in common, and what a comparison may not say for it."""

import numpy as np
import pytest
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.installations import installations


def disclosure_of(installation, boot="b"):
    return {"disclosure": {"installation": installation, "host": {"boot_id": boot}}}


def repeats(measure, dimms, watts, names, **changes):
    """One run of each name: runs of one name are of one installation."""
    return [
        measure(
            f"{dimms}-{names}-{i}", watts=w, dimms=dimms, repeat=i + 1, **{**disclosure_of(f"{dimms}{name}"), **changes}
        )
        for i, (w, name) in enumerate(zip(watts, names, strict=True))
    ]


def pair_of(*results):
    return compare([r for some in results for r in some], "rsa", "all").pairs[0]


def test_runs_of_several_installations_are_compared_by_their_means(measure):
    """Installations at 240, 243 and 246 W: their scatter, with two degrees of freedom, not that of nine runs."""
    watts = np.repeat([240.0, 243.0, 246.0], 3)
    group = compare(repeats(measure, 2, watts, "aaabbbccc"), "rsa", "all").groups[0]
    scatter = next(line for line in group.efficiency_budget if line.kind == "repeats")
    assert (scatter.dof, scatter.note) == (2, "9 runs in 3 installations")
    assert scatter.u / group.efficiency.value == pytest.approx(3 / 243 / 3**0.5, rel=0.02)
    assert group.remarks == ["Not checked for other programs."]


def test_what_one_installation_does_not_tell_is_said_and_what_several_tell_is_not(measure):
    single = repeats(measure, 2, [240.0, 240.2, 240.4], "aaa"), repeats(measure, 4, [252.0, 252.2, 252.4], "aaa")
    several = repeats(measure, 2, [240.0, 240.2, 240.4], "abc"), repeats(measure, 4, [252.0, 252.2, 252.4], "abc")
    assert "are of one installation and boot" in pair_of(*single).verdict
    assert "installation" not in pair_of(*several).verdict
    mixed = pair_of(single[0], several[1]).verdict
    assert "all runs of “2 FB-DIMMs” are of one installation and boot" in mixed
    assert "are of one installation and boot" in compare([*single[0], *single[1]], "rsa", "all").statement


def test_boots_are_what_is_independent_in_one_installation(measure):
    runs = [
        measure(f"{boot}{k}", watts=w, repeat=k, **disclosure_of("i", boot))
        for boot, w in zip("abc", (250.0, 252.0, 254.0), strict=True)
        for k in (1, 2)
    ]
    group = compare(runs, "rsa", "all").groups[0]
    assert next(line for line in group.efficiency_budget if line.kind == "repeats").note == "6 runs in 3 boots"
    assert group.remarks == [
        "Not checked for other programs.",
        "All runs of this configuration are of one installation: the effect of re-seating is not in the ±.",
    ]


def test_another_configuration_in_between_ends_an_installation(measure):
    """Records that tell nothing: order and configuration of the runs of a server do."""
    made = [("a", 2, "s1"), ("b", 2, "s1"), ("c", 4, "s1"), ("d", 2, "s1"), ("e", 2, "s2")]
    results = [
        measure(name, dimms=dimms, server=server, created_ns=10**18 + i * 10**9, **disclosure_of(None))
        for i, (name, dimms, server) in enumerate(made)
    ]
    by_run = installations(results)
    assert by_run["a"] == by_run["b"]
    assert len({by_run[name] for name in "acde"}) == 4


def test_single_runs_have_a_ratio_without_an_interval(measure):
    """One run each: the interval covered 0.43 where runs differ by 0.4 %."""
    pair = pair_of([measure("a", dimms=2, watts=240.0)], [measure("b", dimms=4, watts=252.0)])
    assert pair.ratio.value == pytest.approx(240 / 252, rel=1e-3)
    assert (pair.ratio.U95, pair.budget, pair.cancels) == (None, [], [])
    assert "interval" not in pair.verdict
    assert pair.verdict.startswith("“4 FB-DIMMs” shows 4.8 % less work per joule than “2 FB-DIMMs”; not tested: ")


def test_two_runs_are_not_tested(measure):
    pair = pair_of(repeats(measure, 2, [240.0, 240.2], "aa"), repeats(measure, 4, [252.0, 252.2], "aa"))
    assert (pair.significant, pair.repeats_needed) == (None, None)
    assert "two runs are too few to estimate the scatter; 3 of each are needed" in pair.verdict
    assert pair.ratio.low < 240.1 / 252.1 < pair.ratio.high


def test_simulated_and_measured_are_ranked_each_among_themselves(measure, meter):
    model = {"meters": (meter(simulated=True),)}
    measured = [*repeats(measure, 2, [240.0, 240.2, 240.4], "abc"), *repeats(measure, 4, [252.0, 252.2, 252.4], "abc")]
    simulated = [*repeats(measure, 6, [200.0, 200.2, 200.4], "abc", **model)]
    simulated += repeats(measure, 8, [210.0, 210.2, 210.4], "abc", **model)
    comparison = compare([*measured, *simulated], "rsa", "all")
    assert [(g.kind, g.rank_low, g.rank_high) for g in comparison.groups] == [
        ("measured", 1, 1), ("measured", 2, 2), ("simulated", 1, 1), ("simulated", 2, 2),
    ]  # fmt: skip
    pair = next(p for p in comparison.pairs if p.key == "s1/fbdimm-6")
    assert (pair.significant, *pair.ratio.ends) == (None, None, None)
    assert pair.verdict.endswith("not tested: the power of “6 FB-DIMMs” is simulated, not measured.")
    assert comparison.statement.startswith("“4 FB-DIMMs” does ")
    assert "Simulated power, ranked separately: “8 FB-DIMMs” does " in comparison.statement


def test_simulated_runs_of_a_measured_configuration_are_a_group_of_their_own(measure, meter):
    results = repeats(measure, 2, [240.0, 240.2, 240.4], "abc")
    model = [measure(f"sim-{k}", watts=200.0, dimms=2, meters=(meter(simulated=True),)) for k in range(3)]
    comparison = compare([*results, *model], "rsa", "all")
    assert [(g.key, g.kind, g.n) for g in comparison.groups] == [
        ("s1/fbdimm-2", "measured", 3), ("s1/fbdimm-2 (simulated)", "simulated", 3),
    ]  # fmt: skip


def test_a_ratio_s_budget_is_its_uncertainty(measure):
    pair = pair_of(repeats(measure, 2, [240.0, 240.5, 240.2], "abc"), repeats(measure, 4, [252.0, 252.9, 252.4], "abc"))
    assert [line.name for line in pair.budget if line.kind == "repeats"] == [
        "Scatter of “4 FB-DIMMs”", "Scatter of “2 FB-DIMMs”",
    ]  # fmt: skip
    assert sum(line.share_pct for line in pair.budget) == pytest.approx(100)
    assert pair.cancels[0].startswith("The gain of outlet cancels but for ")
    u = sum(line.u**2 for line in pair.budget) ** 0.5
    assert 1.7 * u < pair.ratio.U95 < 3.0 * u


def test_equal_configurations_on_a_whole_watt_meter_are_rarely_called_different(measure, meter, rng):
    """Two loads of equal work per joule at 60 to 70 W, five quiet repeats each: 28 % were called different."""
    whole = (meter(reading_pct=0.1, fixed_w=0.0, resolution_w=1.0),)
    called = tested = 0
    for k in range(60):
        results = [
            measure(
                f"{k}-{d}-{i}",
                watts=watts * (1 + rng.normal(0, 5e-4)),
                work=100 * watts,
                dimms=d + 2,
                meters=whole,
                noise_w=0.15,
                digit_w=1.0,
                **disclosure_of(f"{k}{d}"),
            )
            for d, watts in enumerate(rng.uniform(60, 70, 2))
            for i in range(5)
        ]
        compared = compare(results, "rsa", "all")
        pairs = compared.pairs  # none where a reading never changed and passes for frozen
        tested += len(pairs)
        called += sum(bool(pair.significant) for pair in pairs)
    assert tested > 10
    assert called / tested <= 0.05


def test_the_last_digit_is_not_divided_by_the_number_of_quiet_runs(measure, meter):
    """65.3 W on a whole-watt meter: 1 W/sqrt(12) for one run and for the mean of five."""
    whole = (meter(reading_pct=0.1, fixed_w=0.0, resolution_w=1.0),)
    results = [measure(f"r{i}", watts=65.3, meters=whole, noise_w=0.15, digit_w=1.0) for i in range(5)]
    group = compare(results, "rsa", "all").groups[0]
    digit = next(line for line in group.efficiency_budget if line.name == "Last digit of outlet")
    assert digit.u == pytest.approx(1 / 12**0.5, rel=1e-2)
    assert digit.u_result / group.efficiency.value == pytest.approx(1 / 12**0.5 / group.power_w.value, rel=1e-2)
