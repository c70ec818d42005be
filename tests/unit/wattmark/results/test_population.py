"""Memory population: order, balance, power behind the supply, and the test of a claim."""

import pytest
from wattmark.comparison.memory.memory import memory_view
from wattmark.results.evaluate import evaluate
from wattmark.results.provenance import balance_warnings, memory_population, supply_efficiency
from wattmark.runs.configuration import DeclaredConfiguration

CURVE = {"20": 78.0, "50": 78.0, "100": 78.0}


def snapshot(channels, gib=1.0, empty=(), **declared):
    rows = [
        {"slot": f"{name}{k}", "channel": name, "type": "FB-DIMM", "capacity_gib": gib}
        for name, count in channels.items()
        for k in range(count)
    ]
    rows += [{"slot": f"{name}9", "channel": name, "type": None, "capacity_gib": None} for name in empty]
    count = sum(channels.values())
    fields = {"title": f"{count} FB-DIMMs", "dimm_count": count, "memory_gib": count * gib, "modules": rows}
    return fields | {"declared": declared}


@pytest.mark.parametrize(
    ("channels", "empty", "balanced", "total"),
    [
        ({"A": 1, "B": 1}, (), True, 2),
        ({"A": 2, "B": 1}, (), False, 2),
        ({"A": 1, "B": 1}, ("C", "D"), True, 4),
    ],
)
def test_population(record, channels, empty, balanced, total):
    population = memory_population(record(configuration_snapshot=snapshot(channels, empty=empty)))
    assert (population.modules, population.balanced, population.channels) == (channels, balanced, total)


def test_equal_counts_of_unequal_modules_are_not_balanced(record):
    declared = snapshot({"A": 1, "B": 1})
    declared["modules"][1]["capacity_gib"] = 2.0
    assert not memory_population(record(configuration_snapshot=declared)).balanced


def test_warnings(measure):
    runs = [
        measure("a", configuration_snapshot=snapshot({"A": 2, "B": 1})),
        measure("b", configuration_snapshot=snapshot({"A": 1, "B": 1}, empty=("C", "D"))),
        measure("c", configuration_snapshot=snapshot({"A": 2, "B": 2})),
    ]
    unequal, unused = balance_warnings(runs)
    assert "equally (A 2, B 1)" in unequal
    assert unused == "Not all of the 4 memory channels are in use: 2 in “2 FB-DIMMs”."


@pytest.mark.parametrize(
    ("psus", "expected"),
    [
        ([{"id": "1", "rated_w": 600.0, "efficiency_pct": CURVE}], 0.78),
        ([{"id": "1", "rated_w": 300.0, "efficiency_pct": CURVE}] * 2, 0.78),
        ([{"id": "1", "rated_w": 600.0, "efficiency_pct": CURVE}, {"id": "2", "powered": False}], 0.78),
        ([{"id": "1", "rated_w": 600.0, "efficiency_pct": {}}], None),
        ([{"id": "1", "rated_w": None, "efficiency_pct": CURVE}], None),
        ([], None),
    ],
)
def test_supply(psus, expected):
    efficiency = supply_efficiency(DeclaredConfiguration(psus=psus), 250.0)
    assert efficiency == (None if expected is None else pytest.approx(expected, rel=1e-6))


@pytest.fixture
def campaign(measure, rng):
    psus = [{"id": "1", "rated_w": 600.0, "efficiency_pct": CURVE}]
    return [
        measure(
            f"{n}-{k}",
            watts=230 + 6.41 * n + rng.normal(0, 0.3),
            configuration=f"fbdimm-{n}",
            configuration_snapshot=snapshot({"A": n // 2, "B": n // 2}, psus=psus),
        )
        for k in range(3)
        for n in (8, 2, 4)
    ]


def test_the_wall_against_the_modules(campaign):
    """6.41 W at the wall are 5 W behind a supply of 78 % (method 5.3)."""
    view = memory_view(campaign, "s1", "rsa", "all")
    assert view.watts_per_part_dc == pytest.approx(5.0, abs=0.2)
    assert "On the DC side of the power supply" in view.statement


def test_a_claim_is_tested_with_its_margin(campaign):
    nothing = memory_view(campaign, "s1", "rsa", "all")
    assert nothing.claim is None
    assert "laim" not in nothing.statement
    view = memory_view(campaign, "s1", "rsa", "all", claim=(5.0, 1.0))
    assert (view.claim.claim_w, view.claim.refuted, view.claim.equivalent) == (5.0, True, False)
    near = memory_view(campaign, "s1", "rsa", "all", claim=(6.4, 1.0)).claim
    assert near.equivalent
    assert near.text in memory_view(campaign, "s1", "rsa", "all", claim=(6.4, 1.0)).statement


def test_points_come_by_what_is_in_the_slots(campaign):
    points = memory_view(campaign, "s1", "rsa", "all").points
    assert [p.count for p in points] == [2] * 3 + [4] * 3 + [8] * 3
    assert (points[0].memory_type, points[0].channels, points[0].balanced) == ("FB-DIMM", {"A": 1, "B": 1}, True)


def test_it_travels_in_the_result(record, store):
    assert evaluate(record(configuration_snapshot=snapshot({"A": 2, "B": 1})), store).memory.modules == {"A": 2, "B": 1}
