import pytest
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators.server import SimulatedServer, phases
from wattmark_drivers.simulators.spec import Feed, ServerSpec


def server() -> SimulatedServer:
    return SimulatedServer(ServerSpec(idle_w=180, dynamic_w=160, dimms=4))


def test_energy_is_power_times_time() -> None:
    sut = server()

    sut.step(1.0, 2.0)
    sut.step(0.0, 3.0)

    model = sut.model
    assert sut.energy_j == pytest.approx(2 * model.wall_power_w(1.0, 4) + 3 * model.wall_power_w(0.0, 4))


def test_more_dimms_draw_more_at_once() -> None:
    sut = server()
    before_w = sut.wall_power_w

    sut.populate(8)

    assert sut.wall_power_w > before_w + 4 * 5


@pytest.mark.parametrize("dimms", [-1, 17])
def test_dimms_beyond_the_slots_are_refused(dimms: int) -> None:
    with pytest.raises(ConfigurationError, match="16 DIMM slots"):
        server().populate(dimms)


def test_both_supplies_together_are_the_server() -> None:
    servers = {"sut": server()}

    first, two = phases(servers, [Feed("sut", 1), Feed("sut", 2)], separate=True)
    (both,) = phases(servers, [Feed("sut", None)], separate=False)

    assert first.power_w + two.power_w == pytest.approx(servers["sut"].wall_power_w)
    assert both.power_w == pytest.approx(servers["sut"].wall_power_w)


def test_a_single_phase_meter_adds_up_its_feeds() -> None:
    servers = {"a": server(), "b": server()}

    (together,) = phases(servers, [Feed("a", None), Feed("b", 2)], separate=False)

    assert together.power_w == pytest.approx(1.5 * servers["a"].wall_power_w)
