"""Competition ranking on the first Green500 list, and rows of Green500 whose figures are of two runs."""

import math

import pytest
from wattmark.analysis.comparison.competition import competition_ranks, same_run
from wattmark.analysis.refusal import Refused

NOVEMBER_2007 = {"121": 357.23, "40": 352.25, "24": 346.95, "2": 336.21, "41": 310.93} | {
    str(top500): 210.56 for top500 in range(170, 175)
}


def test_green500_of_november_2007():
    """Ranks 6 to 10 of the printed list are one five-way tie."""
    ranked = competition_ranks({**NOVEMBER_2007, "after": 200.0})
    assert [entry.rank for entry in ranked] == [1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 11]
    assert [entry.key for entry in ranked[5:10]] == ["170", "171", "172", "173", "174"]
    assert {entry.sharing for entry in ranked[5:10]} == {5}
    assert not ranked[0].tied


def test_ties_as_printed_and_the_other_direction():
    assert [e.rank for e in competition_ranks({"a": 1.04, "b": 1.05, "c": 0.96}, decimals=1)] == [1, 2, 2]
    assert [e.key for e in competition_ranks({"a": 3.0, "b": 1.0}, lower_is_better=True)] == ["b", "a"]


@pytest.mark.parametrize(
    ("stated", "tflops", "kilowatts", "fits"),
    [(13.889, 122300, 8805.5, True), (12.054, 19880, 1649.25, True), (72.733, 4504, 67.31, False)],
    ids=["Summit", "ABCI", "JEDI"],
)
def test_stated_efficiency_of_the_same_run(stated, tflops, kilowatts, fits):
    assert same_run(stated, tflops, kilowatts, 3) is fits


@pytest.mark.parametrize(("values", "reason"), [({}, "empty"), ({"a": math.nan}, "not-finite"), ({"a": 0.0}, "zero")])
def test_refused(values, reason):
    with pytest.raises(Refused) as refusal:
        competition_ranks(values)
    assert refusal.value.reason == reason
