"""An agent that answers wrongly: every datagram of Net-SNMP's agent is bent on its way to the meter.

What must hold: the meter reads right values or refuses with a named failure in the time of its timeouts; nothing else
is raised, and no answer to another request counts. By community, which has no checksum, a value of which a bit was
turned looks like any other.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from wattmark_drivers.errors import DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.settings import MeterSettings

from .conftest import COMMUNITY, Agent
from .test_snmpd import UNIT

Bend = Callable[[bytes, random.Random], list[bytes]]


def flipped(answer: bytes, chance: random.Random) -> list[bytes]:
    position = chance.randrange(len(answer))
    return [answer[:position] + bytes([answer[position] ^ 1 << chance.randrange(8)]) + answer[position + 1 :]]


def cut(answer: bytes, chance: random.Random) -> list[bytes]:
    return [answer[: chance.randrange(len(answer))]]


def noise(answer: bytes, chance: random.Random) -> list[bytes]:
    return [chance.randbytes(chance.randrange(1, 2000)) for _ in range(20)]


def nested(_: bytes, __: random.Random) -> list[bytes]:
    """Sequences in sequences, of undefined length and with lengths that lie."""
    return [b"\x30\x80" * 30_000, b"\x30\x84\xff\xff\xff\xff" * 9_000, b"\x30\x82\xff\xff"]


def earlier(answer: bytes, _: random.Random, answers: list[bytes] = []) -> list[bytes]:  # noqa: B006 - the memory is the attack
    """Answer what was asked before."""
    answers.append(answer)
    return [answers[max(len(answers) - 2, 0)]] * 3


def crowd(answer: bytes, chance: random.Random) -> list[bytes]:
    """Put the right answer behind a thousand bent ones."""
    return [flipped(answer, chance)[0] for _ in range(1000)] + [answer]


class _Bent(asyncio.DatagramProtocol):
    """Stands between a meter and the agent, and bends what the agent says."""

    def __init__(self, agent_port: int, bend: Bend) -> None:
        self.bend: Bend | None = bend
        self._agent = ("127.0.0.1", agent_port)
        self._chance = random.Random(15)
        self._peer: Any = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, address: Any) -> None:
        if address != self._agent:
            self._peer = address
            self._transport.sendto(data, self._agent)
        else:
            for answer in [data] if self.bend is None else self.bend(data, self._chance):
                self._transport.sendto(answer[:65_000], self._peer)


@asynccontextmanager
async def between(agent: Agent, bend: Bend) -> AsyncIterator[tuple[_Bent, int]]:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.create_datagram_endpoint(
        lambda: _Bent(agent.port, bend), local_addr=("127.0.0.1", 0)
    )
    try:
        yield protocol, transport.get_extra_info("sockname")[1]
    finally:
        transport.close()


def meter_at(port: int, login: dict[str, Any]) -> Any:
    url = f"snmp://127.0.0.1:{port}/1"
    return create_meter(MeterSettings("pdu", "apc.rpdu2", url, timeout_s=0.25, **login))


BY_COMMUNITY = {"password": lambda: COMMUNITY}


@pytest.mark.parametrize("bend", [flipped, cut, noise, nested, earlier, crowd])
async def test_a_bent_answer_is_a_named_failure_or_a_number_and_the_next_one_is_read(agent: Agent, bend: Bend) -> None:
    agent.put(UNIT)
    async with between(agent, bend) as (wire, port):
        for _ in range(6 if bend is not crowd else 2):
            meter = meter_at(port, BY_COMMUNITY)
            with suppress(DriverError):
                async with asyncio.timeout(30):
                    await meter.open()
                    readings = await meter.read()
                assert all(math.isfinite(reading.value) for reading in readings)
            await meter.close()
        wire.bend = None
        meter = meter_at(port, BY_COMMUNITY)
        await meter.open()
        powers = [reading.value for reading in await meter.read() if reading.channel == "power"]
        await meter.close()
    assert powers == [6130], "an agent that is well again is read again"
