"""The gateway follows the bench, opens what fails again later and later, and tells the page how each speaker stands."""

from __future__ import annotations

import asyncio
import itertools
import logging
from dataclasses import replace

import pytest
from wattmark.gateway.messages import Said, indication_of
from wattmark_drivers.speakers.face import Asker

from .conftest import Lab, bench_of

NAME = "modbus-tcp 127.0.0.1:5020"
TWO = "[{as: modbus-tcp, what: wall, port: 5020}, {as: scpi, what: second, port: 5025}]"


def run(work) -> None:
    asyncio.run(work)


def test_nothing_is_started_and_nothing_is_kept_until_the_bench_asks() -> None:
    lab = Lab("[]")

    async def work() -> None:
        lab.add()
        await lab.second(100.0)
        assert (lab.link.starts, lab.link.sent, lab.gateway.states()) == (0, [], [])

    run(work())


def test_what_the_bench_no_longer_asks_for_is_closed_and_the_process_ends(lab: Lab) -> None:
    async def work() -> None:
        lab.add()
        await lab.opened()
        lab.bench = bench_of("[{as: scpi, what: wall, port: 5025}]")
        await lab.second(101.0)
        assert [document["name"] for document in lab.link.orders("close")] == [NAME]
        assert [order["order"]["engine"] for order in lab.link.orders("open")] == ["modbus", "scpi"]
        lab.bench = bench_of("[]")
        await lab.second(101.0)
        assert not lab.link.alive

    run(work())


def test_an_entry_that_does_not_change_is_not_opened_again(lab: Lab) -> None:
    async def work() -> None:
        lab.add()
        lab.add("second")
        await lab.opened()
        lab.bench = bench_of(TWO)
        await lab.second(101.0)
        await lab.second(101.5, "second")
        assert [order["order"]["engine"] for order in lab.link.orders("open")] == ["modbus", "scpi"]
        assert lab.link.orders("close") == []

    run(work())


def test_a_client_is_told_of_wattmark_and_of_the_meter_behind_it(lab: Lab) -> None:
    async def work() -> None:
        lab.add(serial="10111", simulated=True)
        await lab.opened()
        face = lab.link.orders("open")[0]["order"]["face"]
        assert (face["maker"], face["model"]) == ("wattmark", "gateway to Eastron SDM120")
        assert (face["serial"], face["simulated"]) == ("10111", True)

    run(work())


def test_a_speaker_waits_for_its_meter_to_say_who_it_is_but_not_for_ever(lab: Lab) -> None:
    async def work() -> None:
        lab.add(serial=None)
        for _ in range(3):
            await lab.second()
            assert lab.link.orders("open") == []
        await lab.second()
        await lab.second()
        assert [order["order"]["face"]["serial"] for order in lab.link.orders("open")] == [""]

    run(work())


def test_a_speaker_that_fails_is_tried_again_later_and_later_and_says_why(
    lab: Lab, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        lab.add()
        await lab.opened()
        openings = []
        for second in range(20):
            if len(lab.link.orders("open")) > len(openings):
                openings.append(second)
                lab.link.fail("TCP port 5020 on 127.0.0.1 is in use.")
            await lab.second(100.0 + second)
        assert [later - sooner for sooner, later in itertools.pairwise(openings)] == [1, 2, 4, 8]
        (speaker,) = lab.gateway.states()
        assert (speaker.state, speaker.problem) == ("failed", "TCP port 5020 on 127.0.0.1 is in use.")
        assert speaker.remedy == "Do something."
        assert lab.gateway.notes() == ["The gateway does not speak modbus-tcp for wall."]
        assert len(caplog.records) == 1, "one line for a problem, not one for each attempt"
        lab.link.stand()
        assert (lab.gateway.states()[0].state, lab.gateway.notes()) == ("open", [])
        assert lab.link.shown()[0] is not None, "one that has just been opened is told what the meter shows"

    with caplog.at_level(logging.WARNING, "wattmark.gateway"):
        run(work())


def test_what_is_said_of_an_earlier_opening_counts_no_more(lab: Lab) -> None:
    async def work() -> None:
        lab.add()
        await lab.opened()
        lab.exchange("2")
        for _ in range(7):
            await lab.second(200.0)
        first = lab.link.orders("open")[0]["order"]
        lab.link.hear(Said("failed", NAME, first["number"], cause="Late news."))
        assert lab.gateway.states()[0].problem is None

    run(work())


def test_what_clients_lack_is_said_to_people_and_in_the_health_of_the_service(lab: Lab) -> None:
    async def work() -> None:
        lab.add()
        await lab.opened()
        number = lab.link.orders("open")[0]["order"]["number"]
        lab.link.hear(Said("asked", NAME, number, note="The broker does not take it."))
        assert lab.gateway.states()[0].note == "The broker does not take it."
        assert lab.gateway.notes() == ["The gateway does not speak modbus-tcp for wall in full."]
        lab.link.hear(Said("asked", NAME, number))
        assert (lab.gateway.states()[0].note, lab.gateway.notes()) == (None, [])

    run(work())


@pytest.mark.parametrize(("ranges_w", "largest_w"), [((2500.0, 3680.0), 6180.0), ((2500.0, None), None)])
def test_a_speaker_is_told_how_much_its_meters_can_show(
    ranges_w: tuple[float | None, ...], largest_w: float | None
) -> None:
    lab = Lab("[{as: ipmi, what: r1, port: 5623, user: u, password_env: SPOKEN}]")

    async def work() -> None:
        for name, range_w in zip(("wall", "second"), ranges_w, strict=True):
            lab.add(name)
            lab.meters[name].identity = replace(lab.meters[name].identity, range_w=range_w)
        await lab.opened("wall", "second")
        assert lab.link.orders("open")[0]["order"]["largest_w"] == largest_w

    run(work())


@pytest.mark.parametrize(
    ("before_w", "after_w", "orders_w"),
    [
        (1500.0, 3000.0, [1500.0, 3000.0]),
        (1500.0, 750.0, [1500.0]),
        (1500.0, None, [1500.0, None]),
        (None, 1500.0, [None, 1500.0]),
    ],
)
def test_a_bmc_is_opened_again_once_its_meter_can_show_more(
    before_w: float | None, after_w: float | None, orders_w: list[float | None]
) -> None:
    """An 8-bit sensor ends at 255 steps (IPMI 2.0, 35.14): that of 1500 W shows nothing of 2000 W."""
    lab = Lab("[{as: ipmi, what: wall, port: 5623, user: u, password_env: SPOKEN}]")

    async def work() -> None:
        lab.add()
        lab.meters["wall"].identity = replace(lab.meters["wall"].identity, range_w=before_w)
        await lab.opened()
        lab.meters["wall"].identity = replace(lab.meters["wall"].identity, range_w=after_w)
        for _ in range(7):
            await lab.second(2000.0)
        lab.link.stand()
        await lab.second(2000.0)
        assert [order["order"]["largest_w"] for order in lab.link.orders("open")] == orders_w
        assert lab.link.shown("ipmi 127.0.0.1:5623") == (2000.0, None)

    run(work())


def test_a_process_that_ends_is_started_again(lab: Lab) -> None:
    async def work() -> None:
        lab.add()
        await lab.opened()
        lab.link.alive = False
        lab.link.gone("It ended with status -9")
        (speaker,) = lab.gateway.states()
        assert (speaker.state, speaker.problem) == (
            "failed",
            "The process that speaks has ended: It ended with status -9.",
        )
        await lab.second(101.0)
        assert (lab.link.starts, len(lab.link.orders("open"))) == (2, 2)

    run(work())


def test_the_port_of_the_service_itself_is_not_taken() -> None:
    lab = Lab("[{as: modbus-tcp, what: wall, port: 8400}, {as: snmp, what: wall, port: 8400}]")
    lab.gateway._own_port = 8400

    async def work() -> None:
        lab.add()
        await lab.opened()
        first, second = lab.gateway.states()
        assert first.problem == "Port 8400 is that of the service itself."
        assert second.problem is None, "a port of UDP is another one"

    run(work())


def test_a_password_that_cannot_be_read_is_a_problem_of_its_speaker_alone() -> None:
    lab = Lab(
        "[{as: snmp, what: wall, port: 5161, password_env: NOT_SET_ANYWHERE}, {as: scpi, what: wall, port: 5025}]"
    )

    async def work() -> None:
        lab.add()
        await lab.opened()
        first, second = lab.gateway.states()
        assert first.problem is not None
        assert "NOT_SET_ANYWHERE" in first.problem
        assert second.state == "open"

    run(work())


def test_who_asks_and_how_often(lab: Lab) -> None:
    async def work() -> None:
        lab.add()
        await lab.opened()
        begin_ns = lab.clock.utc_ns()
        asker = Asker("192.0.2.7", 11, 1, begin_ns, begin_ns + 10 * 10**9)
        number = lab.link.orders("open")[0]["order"]["number"]
        lab.link.hear(Said("asked", NAME, number, askers=(asker,), requests=11, refused=1))
        (speaker,) = lab.gateway.states()
        (peer,) = speaker.askers
        assert (speaker.requests, speaker.refused) == (11, 1)
        assert (peer.peer, peer.period_s) == ("192.0.2.7", pytest.approx(1.0))

    run(work())


def test_the_page_shows_the_last_value_with_its_age_and_then_why_there_is_none(lab: Lab) -> None:
    async def work() -> None:
        lab.add()
        await lab.opened()
        await lab.second(231.0)
        lab.clock.pass_s(0.5)
        (speaker,) = lab.gateway.states()
        assert (speaker.state, speaker.address, speaker.power_w) == ("open", "at 5020", 231.0)
        assert speaker.age_s == pytest.approx(0.5)
        lab.clock.pass_s(3.0)
        (speaker,) = lab.gateway.states()
        assert (speaker.power_w, speaker.absent) == (None, "stale")

    run(work())


def test_many_readings_cost_a_look_up_where_their_meter_is_not_spoken(lab: Lab) -> None:
    async def work() -> None:
        lab.add()
        lab.add("other")
        await lab.opened()
        before = len(lab.link.sent)
        lab.read(1.0, "other")
        lab.gateway.refresh()
        assert len(lab.link.sent) == before

    run(work())


def test_the_power_daemon_gets_what_is_known_of_the_meter() -> None:
    """Eastron SDM120: 45 A at 230 V by its datasheet, and no limit of error that its manufacturer would state."""
    lab = Lab("[{as: ptdaemon, what: wall, port: 8888}, {as: scpi, what: wall, port: 5025}]")

    async def work() -> None:
        lab.add("wall")
        await lab.opened()
        await lab.second(120.0)
        shown = {document["name"]: document for document in lab.link.orders("show")}
        indication = indication_of(shown["ptdaemon 127.0.0.1:8888"])
        assert indication is not None
        assert indication.total == {"power": 120.0}
        assert indication.behind is not None
        assert (indication.behind.current_range_a, indication.behind.voltage_range_v) == (45.0, 230.0)
        assert indication.behind.automatic is False
        other = indication_of(shown["scpi 127.0.0.1:5025"])
        assert other is not None
        assert other.behind is None

    run(work())
