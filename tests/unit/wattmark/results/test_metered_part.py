"""A wall meter that measures inside the server: the processors or a GPU are not the whole of it."""

from __future__ import annotations

import pytest
from wattmark.results.ranking_bars import why_not_ranked

ONE = [{"id": "psu1", "powered": True}]


def judged(result):
    (verdict,) = [v for v in result.verdicts if v.rule == "metered-supplies"]
    return verdict


@pytest.mark.parametrize(("model", "what"), [("linux.rapl", "processor packages only"), ("nvidia.gpu", "one GPU only")])
@pytest.mark.parametrize("supplies", [[], ONE])
def test_a_part_of_the_server_is_shown_and_not_ranked(measure, meter, model, what, supplies) -> None:
    """Processors of 150 W in a server of 250 W: a feed says whose part it is, and nothing of the rest."""
    part = meter(model=model, indicative=True)
    result = measure(watts=150.0, meters=(part,), configuration_snapshot={"title": "x", "declared": {"psus": supplies}})
    assert judged(result).outcome == "fail"
    assert f"measures {what}, not the whole server. Set role: secondary" in judged(result).text
    assert result.power is not None
    assert why_not_ranked(result, "efficiency") is not None
    assert why_not_ranked(result, "throughput") is None


@pytest.mark.parametrize(("supplies", "outcome"), [(ONE, "fail"), ([], "not-checked")])
def test_a_sensor_of_rails_is_not_behind_a_supply(measure, meter, supplies, outcome) -> None:
    """A board without a supply of its own may be all that it measures."""
    rails = meter(model="astron.powersensor3", indicative=True)
    result = measure(meters=(rails,), configuration_snapshot={"title": "x", "declared": {"psus": supplies}})
    assert judged(result).outcome == outcome
    assert ("one part of the server, not the whole server" in judged(result).text) == (outcome == "fail")


def test_direct_current_at_the_input_of_a_server_is_its_power(measure, meter) -> None:
    result = measure(
        meters=(meter(model="peacefair.pzem017"),), configuration_snapshot={"title": "x", "declared": {"psus": ONE}}
    )
    assert judged(result).outcome == "pass"
