"""The limit of error that a person sees before choosing a model, against the examples of the makers."""

import pytest
from wattmark.instruments.models import describe_model


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
