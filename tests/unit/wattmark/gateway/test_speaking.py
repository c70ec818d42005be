"""Speakers are opened, fed and closed apart from each other, and none repeats an old value."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field

import pytest
from wattmark.gateway import speaking
from wattmark.gateway.messages import (
    Order,
    Said,
    indication_of,
    open_line,
    order_of,
    said_line,
    said_of,
    show_line,
)
from wattmark.gateway.speaking import LOOK_S, Speaking
from wattmark_drivers.clock import uninterrupted_ns
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.speakers.face import Absent, Asker, Face
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

FACE = Face("wattmark", "gateway to Eastron SDM120", "10111", "0.1.0", simulated=False)
SECOND_NS = 10**9


@dataclass
class FakeSpeaker(Speaker):
    """Keeps what it shows, and fails as it is told."""

    spec: SpeakerSpec
    fails: Exception | None = None
    breaks: bool = False
    shown: list[tuple[float | None, Absent | None]] = field(default_factory=list)
    open: bool = False
    lacks: str | None = None
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def note(self) -> str | None:
        return self.lacks

    @property
    def upkeep(self) -> list[asyncio.Task[None]]:
        return self.tasks

    async def start(self) -> dict[str, str]:
        if self.fails:
            raise self.fails
        await asyncio.sleep(0)
        self.open = True
        return {"url": f"there:{self.spec.port}"}

    async def stop(self) -> None:
        await asyncio.sleep(0)
        self.open = False

    def inject(self, fault: object) -> None:
        raise NotImplementedError

    def show(self, indication: Indication | None, absent: Absent | None = None) -> None:
        if self.breaks:
            raise ZeroDivisionError
        self.shown.append((indication.total["power"] if indication else None, absent))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[FakeSpeaker]:
    speakers: list[FakeSpeaker] = []

    def make(spec: SpeakerSpec) -> FakeSpeaker:
        fails = ConnectionFailed("Port 5099 is in use.", "Choose another.") if spec.port == 5099 else None
        speakers.append(FakeSpeaker(spec, fails, breaks=spec.port == 5098))
        return speakers[-1]

    monkeypatch.setattr(speaking, "find_speaker", lambda _: make)
    return speakers


def order(port: int = 5020, number: int = 1, name: str = "modbus") -> Order:
    return Order(name, number, "modbus", "eastron.sdm630", port, "127.0.0.1", 8, FACE, password="word")


def watts(power_w: float) -> Indication:
    return Indication(({"power": power_w},), {"power": power_w})


def soon_ns(seconds: float) -> int:
    return uninterrupted_ns() + round(seconds * 1e9)


def test_a_speaker_shows_what_it_is_told_until_that_is_too_old(made: list[FakeSpeaker]) -> None:
    async def work() -> None:
        said: list[Said] = []
        room = Speaking(said.append)
        await room.open(order())
        room.show("modbus", watts(230.5), None, soon_ns(0.05))
        await asyncio.sleep(0.2)
        assert made[0].shown == [(None, "waiting"), (230.5, None), (None, "stale")]
        assert [(one.kind, one.address) for one in said] == [("open", "there:5020")]
        await room.close_all()
        assert not made[0].open

    asyncio.run(work())


def test_a_value_that_comes_too_late_is_not_shown_at_all(made: list[FakeSpeaker]) -> None:
    async def work() -> None:
        room = Speaking(lambda _: None)
        await room.open(order())
        room.show("modbus", watts(230.5), None, soon_ns(-0.001))
        assert made[0].shown == [(None, "waiting"), (None, "stale")]
        await room.close_all()

    asyncio.run(work())


def test_the_same_place_is_left_before_it_is_taken_again(made: list[FakeSpeaker]) -> None:
    async def work() -> None:
        said: list[Said] = []
        room = Speaking(said.append)
        await asyncio.gather(room.open(order(number=1)), room.open(order(number=2)), room.open(order(number=3)))
        assert [speaker.open for speaker in made] == [False, False, True]
        assert [one.number for one in said] == [1, 2, 3]
        await room.close_all()

    asyncio.run(work())


def test_one_that_fails_says_why_and_disturbs_no_other(made: list[FakeSpeaker]) -> None:
    async def work() -> None:
        said: list[Said] = []
        room = Speaking(said.append)
        await room.open(order(5020, 1, "good"))
        await room.open(order(5099, 2, "taken"))
        await room.open(order(5098, 3, "broken"))
        room.show("broken", watts(1.0), None, soon_ns(5))
        await asyncio.sleep(0.01)
        assert not made[2].open, "what it showed before must not stand"
        room.show("good", watts(2.0), None, soon_ns(5))
        assert made[0].shown[-1] == (2.0, None)
        failed = {one.name: one for one in said if one.kind == "failed"}
        assert (failed["taken"].cause, failed["taken"].remedy) == ("Port 5099 is in use.", "Choose another.")
        assert "please report it" in failed["broken"].remedy
        await room.close_all()

    asyncio.run(work())


def test_who_asks_is_said_once_for_each_change(made: list[FakeSpeaker]) -> None:
    async def work() -> None:
        said: list[Said] = []
        room = Speaking(said.append)
        await room.open(order())
        await room.report()
        made[0].askers.asked("192.0.2.7")
        made[0].askers.refuse("192.0.2.8")
        await room.report()
        await room.report()
        (asked,) = [one for one in said if one.kind == "asked"]
        assert (asked.requests, asked.refused) == (1, 1)
        assert {asker.peer for asker in asked.askers} == {"192.0.2.7", "192.0.2.8"}
        await room.close_all()

    asyncio.run(work())


def test_a_value_does_not_outlive_a_time_in_which_the_machine_slept(made: list[FakeSpeaker]) -> None:
    """The clock of the event loop stands still meanwhile; the one that is asked goes on (clock_gettime(2))."""
    now_ns = 0

    async def work() -> None:
        nonlocal now_ns
        room = Speaking(lambda _: None, lambda: now_ns)
        await room.open(order())
        room.show("modbus", watts(230.5), None, 60 * SECOND_NS)
        await asyncio.sleep(2 * LOOK_S)
        assert made[0].shown[-1] == (230.5, None)
        now_ns = 3600 * SECOND_NS
        await asyncio.sleep(2 * LOOK_S)
        assert made[0].shown[-1] == (None, "stale")
        await room.close_all()

    asyncio.run(work())


def test_what_clients_lack_is_said_when_it_begins_and_when_it_ends(made: list[FakeSpeaker]) -> None:
    async def work() -> None:
        said: list[Said] = []
        room = Speaking(said.append)
        await room.open(order())
        for lacks in ("The broker is gone.", "The broker is gone.", None):
            made[0].lacks = lacks
            await room.report()
        assert [one.note for one in said if one.kind == "asked"] == ["The broker is gone.", None]
        await room.close_all()

    asyncio.run(work())


def test_one_whose_task_has_ended_is_closed_and_says_so(made: list[FakeSpeaker]) -> None:
    async def dies() -> None:
        raise ZeroDivisionError

    async def work() -> None:
        said: list[Said] = []
        room = Speaking(said.append)
        await room.open(order())
        made[0].tasks.append(asyncio.create_task(dies()))
        await asyncio.sleep(0)
        await room.report()
        await room.report()
        assert [one.kind for one in said] == ["open", "failed"]
        assert "ZeroDivisionError" in said[-1].cause
        assert not made[0].open

    asyncio.run(work())


def test_what_goes_over_the_pipe_arrives_as_it_was() -> None:
    shown = Indication(({"power": 1.5}, {"power": 2.5}), {"power": 4.0}, 100.5, None, 1_790_000_000 * SECOND_NS)
    assert indication_of(json.loads(show_line("x", shown, None, 5))) == shown
    assert indication_of(json.loads(show_line("x", None, "lost", 5))) is None
    assert order_of(json.loads(open_line(order()))) == order()
    said = Said("asked", "x", 3, askers=(Asker("192.0.2.7", 1, 0, 5, 6),), requests=1, note="It has no DCMI.")
    assert said_of(said_line(said)) == said


def test_a_password_is_not_in_what_is_printed() -> None:
    assert "word" not in repr(order()).replace("password", "")
