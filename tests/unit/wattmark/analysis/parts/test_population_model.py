"""The model of memory populations, against hand calculations, the mean over servers, and simulated servers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from wattmark.analysis.parts.pooled import ServerSlope, pooled
from wattmark.analysis.parts.population_model import (
    FACTORS,
    SIZE,
    Observation,
    Population,
    leave_one_server_out,
    population_model,
)
from wattmark.analysis.refusal import Refused

DDR4 = "DDR4 RDIMM"
FB = "DDR2 FB-DIMM"


def held(server: str, modules: int, each_gib: float, watts: float, kind: str = DDR4) -> Observation:
    return Observation(server, Population(kind, modules, modules * each_gib), watts)


def line(server: str, slope: float, each_gib: float = 16.0, kind: str = DDR4) -> list[Observation]:
    """A server of 100 W with 4 and 8 modules."""
    return [held(server, count, each_gib, 100.0 + slope * count, kind) for count in (4, 8)]


def test_without_factors_it_is_the_mean_of_slopes() -> None:
    # By hand: slopes 4, 5 and 6 W; mean 5, s 1; t(2) at 95 % is 4.3027 (tables); s √(1 + 1/3) = 1.1547.
    seen = [*line("a", 4.0), *line("b", 5.0), *line("c", 6.0)]
    predicted = population_model(seen, ()).of(Population(DDR4, 8, 128.0))
    assert predicted.value == pytest.approx(40.0)
    assert predicted.high - 40.0 == pytest.approx(8 * 4.3027 * 1.1547, rel=1e-4)
    assert predicted.dof == 2
    mean = pooled([ServerSlope(slope, 0.0) for slope in (4.0, 5.0, 6.0)])
    assert mean.prediction is not None
    assert (predicted.low / 8, predicted.high / 8) == pytest.approx(mean.prediction)


def test_the_same_amount_in_more_modules_costs_their_count_alone() -> None:
    # Truth: 2 W per module and 0.1 W per GiB, so 12 x 16 GiB draws 6 x 2 W more than 6 x 32 GiB, each 12 x 2 + 19.2 W.
    sizes = {"a": 8.0, "b": 16.0, "c": 32.0, "d": 64.0}
    seen = [
        held(server, count, size, 90.0 + 2.0 * count + 0.1 * count * size)
        for server, size in sizes.items()
        for count in (4, 8, 16)
    ]
    model = population_model(seen, (SIZE,))
    few, many = Population(DDR4, 6, 192.0), Population(DDR4, 12, 192.0)
    assert model.between(many, few).value == pytest.approx(12.0)
    assert model.of(many).value == pytest.approx(43.2)
    assert not model.of(many).beyond
    assert model.of(Population(DDR4, 2, 512.0)).beyond  # 256 GiB modules; at most 64 GiB were measured


def test_a_prediction_by_hand() -> None:
    # Rises per module of 3, 4, 5 and 8 W where a module brings 0, 1, 2 and 3 GiB more than 1 GiB: y on x = 1, 2, 3, 4.
    # Least squares: slope 1.6, intercept 1.0; residuals 0.4, -0.2, -0.8, 0.6, RSS 1.2, s = √0.6 with 2 degrees of
    # freedom. At x = 2.5, the mean: 5.0, variance 0.6 (1 + 1/4), t(2) = 4.3027: ± 3.7262.
    rises = {1.0: 3.0, 2.0: 4.0, 3.0: 5.0, 4.0: 8.0}
    seen = [each for size, rise in rises.items() for each in line(f"with {size}", rise, size)]
    predicted = population_model(seen, (SIZE,)).of(Population(DDR4, 1, 2.5))
    assert predicted.value == pytest.approx(5.0)
    assert predicted.high - predicted.value == pytest.approx(3.7262, abs=1e-4)


def test_modules_exchanged_for_larger_ones_tell_the_size() -> None:
    # Published: 6025B-TR+ 4 x 2 GB and 4 x 4 GB, 223 and 223 W idle: 2 GiB more in each module, 0 W.
    seen = [held("6025B", 4, 2.0, 223.0, FB), held("6025B", 4, 4.0, 223.0, FB)]
    (row,) = population_model(seen, (SIZE,)).rows
    assert row.exchanged
    assert row.value == 0.0
    assert list(row.amounts) == [2.0]


def test_what_was_not_told_apart_is_refused() -> None:
    # 16 GiB modules everywhere: count and size rise together.
    seen = [each for index in range(5) for each in line(f"s{index}", 3.0 + 0.1 * index)]
    model = population_model(seen, (SIZE,))
    assert model.of(Population(DDR4, 12, 192.0)).value == pytest.approx(12 * 3.2)  # 16 GiB each: as measured
    with pytest.raises(Refused, match=r"DDR4 RDIMM, size") as refused:
        model.between(Population(DDR4, 12, 192.0), Population(DDR4, 6, 192.0))
    assert refused.value.reason == "not-estimable"


@pytest.mark.parametrize(
    ("memory", "against", "reason"),
    [
        (Population("CXL", 4, 512.0), Population(DDR4, 4, 512.0), "kind-not-measured"),
        (Population(DDR4, 4, 64.0), Population(DDR4, 4, 64.0), "same-memory"),
    ],
)
def test_questions_without_an_answer_are_refused(memory: Population, against: Population, reason: str) -> None:
    seen = [each for index in range(5) for each in line(f"s{index}", 3.0 + 0.1 * index, 8.0 * (index + 1))]
    with pytest.raises(Refused) as refused:
        population_model(seen, (SIZE,)).between(memory, against)
    assert refused.value.reason == reason


def test_a_factor_that_is_asked_for_must_be_stated() -> None:
    seen = [each for index in range(3) for each in line(f"s{index}", 3.0)]
    model = population_model(seen, FACTORS)
    assert not model.rows  # no result states ranks and speed
    with pytest.raises(Refused, match="No server"):
        model.of(Population(DDR4, 4, 64.0))


def test_two_servers_are_too_few() -> None:
    seen = [*line("a", 4.0), *line("b", 5.0)]
    with pytest.raises(Refused, match="3 are needed") as refused:
        population_model(seen, ()).of(Population(DDR4, 8, 128.0))
    assert refused.value.reason == "few-servers"


def test_results_that_agree_to_the_printed_digit_keep_its_rounding() -> None:
    # Half a watt either way, uniform: u = 0.5/√3; over 4 modules each slope has √2 u / 4.
    u = 0.5 / math.sqrt(3.0)
    seen = [Observation(each.server, each.memory, each.value, u) for s in "abcd" for each in line(s, 5.0)]
    assert population_model(seen, ()).scatter == pytest.approx(math.sqrt(2.0) * u / 4.0)


def simulated(rng: np.random.Generator, servers: int) -> Sequence[Observation]:
    """Servers of two kinds whose watts per module scatter by 0.6 W, measured to 0.8 W."""
    seen = []
    for index in range(servers):
        kind, cost = [(DDR4, 2.0), (FB, 9.0)][index % 2]
        size, own = float(rng.choice([2.0, 4.0, 8.0, 16.0])), cost + rng.normal(0.0, 0.6)
        for count in rng.choice([2, 4, 6, 8, 12], size=2, replace=False):
            watts = 150.0 + own * count + 0.12 * count * size + rng.normal(0.0, 0.8)
            seen.append(held(f"s{index}", int(count), size, watts, kind))
    return seen


def test_the_interval_holds_servers_that_the_model_was_fitted_without() -> None:
    rng = np.random.default_rng(38)
    kept = [each for _ in range(60) for each in leave_one_server_out(simulated(rng, 14), (SIZE,))]
    share = sum(each.held for each in kept) / len(kept)
    assert len(kept) > 800
    assert 0.90 <= share <= 0.98
