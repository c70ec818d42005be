"""Laboratories' groups as a ring comparison: which take part, with which figure, and what the sentences say."""

from __future__ import annotations

import pytest
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.ring.ring import ring_view
from wattmark.comparison.ring.ring_table import ring_table
from wattmark.comparison.ring.views import RingItem
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval
from wattmark.runs.origin import at_lab
from wattmark.runs.record import MeterRecord

ITEM = RingItem(
    server_model="R640", processor="Xeon 6252", memory="4 x 8 GiB FB-DIMM", dimm_count=4, workload="rsa", level="all",
    simulated=False,
)  # fmt: skip


@pytest.fixture
def lab(measure):
    """Measure the model in a laboratory, three times unless told otherwise, with meters of that laboratory."""

    def make(name, watts, runs=3, server="alpha", **changes):
        results = [measure(f"{name}-{server}-{k}", watts=watts + 0.1 * k, repeat=k + 1, **changes) for k in range(runs)]
        named = {"server": at_lab(server, name), "meter_identities": (f"outlet ({name})",)}
        return [(name, result.model_copy(update=named)) for result in results]

    return make


def test_laboratories_that_agree_have_a_consensus_value(lab):
    """The meters' limit of error, 1.5 %, is the ± of each; three equal ones have that over sqrt(3)."""
    out = ring_view(ITEM, [*lab("Lab 1", 250.0), *lab("Lab 2", 250.4), *lab("Lab 3", 249.8)], "power")
    assert out.reference is not None
    assert out.reference.value == pytest.approx(250.17, abs=0.3)
    widths = [member.value.U95 for member in out.labs]
    assert pytest.approx(sum(widths) / 3 / 3**0.5, rel=1e-3) == out.reference.U95
    assert [member.signal for member in out.labs] == ["satisfactory"] * 3
    assert out.labs[0].value.value >= out.labs[1].value.value >= out.labs[2].value.value
    assert out.statement.startswith("Consensus value of 3 laboratories: 250.")
    assert "Their ± explains how they scatter (chi-squared 0." in out.statement


def test_figures_are_those_of_the_comparison(lab):
    runs = [*lab("Lab 1", 250.0), *lab("Lab 2", 260.0)]
    out = ring_view(ITEM, runs)
    compared = compare([result for _, result in runs], "rsa", "all")
    assert {member.key: member.value for member in out.labs} == {
        g.key: Interval.of(g.efficiency.value, g.efficiency.ends) for g in compared.groups
    }
    assert out.statement.startswith("Weighted mean of two laboratories: ")
    assert "nobody can tell" in out.notes[0]


def test_an_outlier_gets_an_action_signal_and_is_not_in_the_consensus_value(lab):
    out = ring_view(ITEM, [*lab("Lab 1", 250.0), *lab("Lab 2", 250.4), *lab("Lab 3", 300.0)], "power")
    outlier = out.labs[0]
    assert (outlier.lab, outlier.signal, outlier.in_reference) == ("Lab 3", "action signal", False)
    assert outlier.difference_pct == pytest.approx(19.9, abs=0.3)
    assert out.statement.startswith("Consensus value of 2 of 3 laboratories: ")
    assert out.statement.endswith("Action signal: Lab 3.")


def test_groups_that_cannot_take_part_are_named_with_the_reason(lab):
    runs = [
        *lab("Lab 1", 250.0), *lab("Lab 2", 250.4), *lab("Lab 2", 250.2, runs=2, server="beta"),
        *lab("Lab 3", 250.1, runs=1), *lab("Lab 4", 250.0, ramp=30.0),
    ]  # fmt: skip
    out = ring_view(ITEM, runs, "power")
    assert [member.lab for member in out.labs] == ["Lab 2", "Lab 1"]
    why = {group.lab: group.why for group in out.excluded}
    assert why["Lab 2"].startswith("The laboratory takes part with alpha (Lab 2)/")
    assert why["Lab 3"].startswith("One run only")
    assert why["Lab 4"].startswith("Not ranked: unsteady")


def test_laboratories_without_a_known_meter_have_no_plus_minus(lab):
    unspecified = MeterRecord(name="outlet", model="lab.x", title="Meter")
    runs = [*lab("Lab 1", 250.0), *lab("Lab 2", 250.4), *lab("Lab 3", 251.0, meters=(unspecified,))]
    out = ring_view(ITEM, runs, "power")
    third = next(member for member in out.labs if member.lab == "Lab 3")
    assert (third.value.U95, third.signal, third.in_reference) == (None, None, False)
    assert "a z score needs at least 5 laboratories" in third.reason
    more = [*runs, *lab("Lab 4", 250.2), *lab("Lab 5", 250.6)]
    third = next(member for member in ring_view(ITEM, more, "power").labs if member.lab == "Lab 3")
    assert third.z is not None


def test_one_laboratory_is_refused(lab):
    with pytest.raises(InputError, match="1 laboratory measured R640, Xeon 6252"):
        ring_view(ITEM, lab("Lab 1", 250.0))


def test_the_table_holds_who_takes_part_and_who_does_not(lab):
    out = ring_view(ITEM, [*lab("Lab 1", 250.0), *lab("Lab 2", 250.4), *lab("Lab 3", 250.1, runs=1)], "power")
    table = ring_table(out)
    assert [row[table.position("lab")] for row in table.rows] == ["Lab 2", "Lab 1", "Lab 3"]
    assert [row[table.position("signal")] for row in table.rows] == ["satisfactory", "satisfactory", None]
    assert [row[table.position("value")] for row in table.rows][:2] == [member.value.value for member in out.labs]
