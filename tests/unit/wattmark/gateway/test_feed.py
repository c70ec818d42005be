"""What a speaker shows of a meter: its latest good reading, and within three updates why there is none."""

from __future__ import annotations

import asyncio
import math

import pytest
from wattmark_drivers.reading import Channel, Kind, Quality

from .conftest import CURRENT, FACTOR, POWER, REGISTER, VOLTAGE, Lab

UPDATES = 3
SERVER = "[{as: redfish, what: r1, port: 8443, user: reader, password_env: SPOKEN}]"


def run(work) -> None:
    asyncio.run(work)


def test_the_latest_reading_of_every_quantity_with_its_stamp(lab: Lab) -> None:
    async def work() -> None:
        lab.add("wall", POWER, VOLTAGE, CURRENT, FACTOR, REGISTER)
        await lab.opened()
        lab.clock.pass_s(1.0)
        lab.read({POWER: 230.5, VOLTAGE: 229.9, CURRENT: 1.05, FACTOR: 0.955, REGISTER: 1234.0})
        await lab.gateway.step()
        shown = lab.link.orders("show")[-1]["shown"]
        assert shown["total"] == {"power": 230.5, "voltage": 229.9, "current": 1.05, "power_factor": 0.955}
        assert shown["phases"] == [shown["total"]], "a meter that names no phases measures one"
        assert (shown["energy_wh"], shown["t_ns"]) == (1234.0, lab.clock.utc_ns())

    run(work())


def test_phases_stay_apart_from_the_total(lab: Lab) -> None:
    phases = [Channel(f"power_l{n}", "power", "W", Kind.AVERAGED) for n in (1, 2, 3)]

    async def work() -> None:
        lab.add("wall", POWER, *phases)
        await lab.opened()
        lab.read({POWER: 600.0, phases[0]: 100.0, phases[1]: 200.0, phases[2]: 300.0})
        await lab.gateway.step()
        shown = lab.link.orders("show")[-1]["shown"]
        assert shown["total"] == {"power": 600.0}
        assert shown["phases"] == [{"power": 100.0}, {"power": 200.0}, {"power": 300.0}]

    run(work())


def test_before_the_first_reading_it_waits(lab: Lab) -> None:
    async def work() -> None:
        lab.add()
        await lab.gateway.step()
        (speaker,) = lab.gateway.states()
        assert (speaker.power_w, speaker.absent) == (None, "waiting")

    run(work())


@pytest.mark.parametrize(
    ("quality", "absent"),
    [
        (Quality.STALE, "stale"),
        (Quality.OVER_RANGE, "over-range"),
        (Quality.OVER_RANGE | Quality.SATURATED, "over-range"),
        (Quality.INVALID, "not-accepted"),
        (Quality.IMPLAUSIBLE | Quality.EXCEEDS_VA, "not-accepted"),
        (Quality.SATURATED, "not-accepted"),
        (Quality.HOST_OFF, "not-accepted"),
    ],
)
def test_a_reading_that_may_not_be_used_is_not_shown(lab: Lab, quality: Quality, absent: str) -> None:
    async def work() -> None:
        lab.add()
        await lab.opened()
        await lab.second(231.0)
        assert lab.link.shown() == (231.0, None)
        await lab.second(65535.0, quality=quality)
        assert lab.link.shown() == (None, absent)
        await lab.second(232.0)
        assert lab.link.shown() == (232.0, None)

    run(work())


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_not_shown(lab: Lab, value: float) -> None:
    async def work() -> None:
        lab.add()
        await lab.opened()
        await lab.second(value)
        assert lab.link.shown() == (None, "not-accepted")

    run(work())


def test_a_meter_that_is_unplugged_is_lost_at_once(lab: Lab) -> None:
    async def work() -> None:
        lab.add()
        await lab.opened()
        lab.hub.lose("wall", "No answer.")
        await lab.gateway.step()
        assert lab.link.shown() == (None, "lost")
        (speaker,) = lab.gateway.states()
        assert (speaker.reason, speaker.reason_remedy) == ("wall: No answer.", "Check the meter and its line.")

    run(work())


def test_a_meter_that_goes_silent_is_stale_after_three_of_its_periods(lab: Lab) -> None:
    async def work() -> None:
        lab.add()
        await lab.opened()
        await lab.second(231.0)
        for _ in range(UPDATES):
            await lab.second()
            assert lab.link.shown() == (231.0, None)
        await lab.second()
        assert lab.link.shown() == (None, "stale")

    run(work())


def test_a_value_holds_out_for_three_periods_without_the_service(lab: Lab) -> None:
    """The process that speaks takes the value away by itself: a service that hangs leaves no frozen watt."""

    async def work() -> None:
        lab.add()
        await lab.opened()
        await lab.second(231.0)
        assert lab.link.orders("show")[-1]["until_ns"] == lab.clock.monotonic_ns() + UPDATES * 10**9

    run(work())


def test_a_meter_that_repeats_one_value_more_often_than_a_measured_one_can_is_stale(lab: Lab) -> None:
    """The limit of the verdict `frozen` of a run."""

    async def work() -> None:
        lab.add()
        await lab.opened()
        for _ in range(200):
            await lab.second(231.0)
        assert lab.link.shown() == (None, "stale")
        await lab.second(231.1)
        assert lab.link.shown() == (231.1, None)

    run(work())


def test_another_device_at_its_place_is_not_shown_under_the_name_of_the_first(lab: Lab) -> None:
    async def work() -> None:
        lab.add(serial="1")
        await lab.opened()
        await lab.second(231.0)
        lab.exchange("2")
        lab.gateway.refresh()
        lab.read(999.0)
        lab.gateway.refresh()
        assert lab.link.shown() == (None, "lost"), "not the watts of the other one under the old serial number"
        for update in range(UPDATES + 3):
            await lab.second(999.0)
            if update < UPDATES:
                assert lab.link.shown() == (None, "lost")
        assert [order["order"]["face"]["serial"] for order in lab.link.orders("open")] == ["1", "2"]
        lab.link.stand()
        assert lab.link.shown() == (999.0, None)

    run(work())


def test_readings_of_the_first_device_are_not_those_of_the_second(lab: Lab) -> None:
    async def work() -> None:
        lab.add("wall", POWER, VOLTAGE)
        await lab.opened()
        lab.read({POWER: 231.0, VOLTAGE: 230.0})
        lab.exchange("2")
        lab.clock.pass_s(10.0)
        lab.read({POWER: 500.0})
        await lab.gateway.step()
        lab.link.stand()
        shown = lab.link.orders("show")[-1]["shown"]
        assert shown["total"] == {"power": 500.0}, "the volts were those of the device that is gone"

    run(work())


def test_a_server_is_the_sum_of_its_wall_meters_only_while_all_are_good() -> None:
    lab = Lab(SERVER)
    name = "redfish 127.0.0.1:8443"

    async def work() -> None:
        lab.add("wall", POWER, REGISTER)
        lab.add("second", POWER, REGISTER, serial="2")
        await lab.opened("wall", "second")
        lab.read({POWER: 100.5, REGISTER: 10.0}, "wall")
        lab.read({POWER: 200.25, REGISTER: 20.0}, "second")
        await lab.gateway.step()
        shown = lab.link.orders("show")[-1]["shown"]
        assert (shown["total"], shown["energy_wh"]) == ({"power": 300.75}, 30.0)
        assert shown["phases"] == [], "two meters are no phases of one"
        lab.clock.pass_s(1.0)
        lab.read(101.0, "wall")
        lab.read(1e6, "second", Quality.OVER_RANGE)
        await lab.gateway.step()
        assert lab.link.shown(name) == (None, "over-range")
        assert lab.gateway.states()[0].reason == "second is over its range."
        lab.read(201.0, "second")
        lab.hub.lose("wall", "No answer.")
        await lab.gateway.step()
        assert lab.link.shown(name) == (None, "lost")

    run(work())


def test_a_sum_is_another_with_each_reading_and_as_old_as_its_oldest_one() -> None:
    lab = Lab(SERVER)

    async def work() -> None:
        lab.add("wall")
        lab.add("second")
        await lab.opened("wall", "second")
        old_ns = lab.clock.utc_ns()
        lab.clock.pass_s(2.0)
        lab.read(101.0, "wall")
        await lab.gateway.step()
        show = lab.link.orders("show")[-1]
        new_ns = lab.clock.utc_ns()
        assert (show["shown"]["t_ns"], show["shown"]["parts_ns"]) == (new_ns, [new_ns, old_ns])
        assert show["until_ns"] == lab.clock.monotonic_ns() + 10**9
        assert lab.gateway.states()[0].age_s == pytest.approx(2.0)
        before = len(lab.link.orders("show"))
        lab.clock.pass_s(0.5)
        lab.read(101.0, "wall")
        lab.gateway.refresh()
        assert len(lab.link.orders("show")) == before + 1, "a reading of the same watts counts, too"

    run(work())
