"""The limit of error that a person sees before choosing a model, against the examples of the makers."""

import pytest
from wattmark.instruments.models import describe_model, list_limits, list_models


@pytest.mark.parametrize(
    ("model", "power_w", "limit_w"),
    [
        ("wattsup.pro", 100.0, 1.8),  # the manual's own example
        ("eastron.sdm120", 400.0, 103.5),  # 1 % of 45 A x 230 V, whatever the load
        ("apc.rpdu2", 400.0, 22.0),  # 3 % of reading and 10 W
    ],
)
def test_limits_at_a_load(model: str, power_w: float, limit_w: float) -> None:
    limits = {limit.power_w: limit.limit_w for limit in describe_model(model).limits}
    assert limits[power_w] == pytest.approx(limit_w)


@pytest.mark.parametrize("model", ["eastron.sdm230", "yokogawa.wt310e"])
def test_without_a_limit_or_a_range_there_is_none(model: str) -> None:
    """The maker of one states none; the range of the other is chosen by a person."""
    assert describe_model(model).limits == []


def test_the_picker_has_every_model_with_its_limit_at_the_expected_load() -> None:
    """1.5 % of reading and 0.3 W (the manual of the Watts Up? PRO): 5.85 W at 370 W."""
    limits = {of.id: of for of in list_limits(370.0).models}
    assert limits.keys() == {head.id for head in list_models().models}
    assert limits["wattsup.pro"].limit is not None
    assert limits["wattsup.pro"].limit.limit_w == pytest.approx(5.85)
    assert limits["abb.b23"].energy_class == "class B, EN 50470-3"
    assert (limits["eastron.sdm230"].accuracy, limits["eastron.sdm230"].limit) == (None, None)


def test_interfaces_are_said_in_words() -> None:
    heads = {head.id: head for head in list_models().models}
    assert heads["apc.rpdu2"].interfaces == ["SNMP"]
