"""How each kind of event happens to the lab."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

from tests.year.network import LATENCY_S
from tests.year.reader import SimulatedReader
from tests.year.schedule import Event, port_of
from tests.year.watch import Watch
from tests.year.world import World

PAGES = (
    "/api/health",
    "/api/live",
    "/api/live/history",
    "/api/run-rows",
    "/api/campaign",
    "/api/campaign/history",
    "/api/campaign/plans/plan",
    "/api/compare?workload=scripted",
    "/api/compare/choices",
    "/api/bench",
    "/api/library",
    "/api/runs/{run}",
    "/api/runs/{run}/traces",
    "/api/runs/{run}/versions",
    "/healthz",
)
LIVE = "/api/live/stream"
GIVES_UP_S = (0.0, 0.5)
WRITES_WITHIN_S = 20.0
"""How long a power cut waits for the write that it strikes."""


async def befall(world: World, watch: Watch, event: Event) -> None:
    """Let an event happen; returns when it is over."""
    watch.events[event.kind] += 1
    await _HAPPENS[event.kind](world, watch, *event.details)


async def _slow_wire(world: World, _: Watch, meter: str, low: float, high: float) -> None:
    link = world.loop.network.link(port_of(world, meter))
    link.latency_s = (low, high)
    await asyncio.sleep(15.0)
    link.latency_s = LATENCY_S


async def _lost_packets(world: World, _: Watch, meter: str, seconds: float) -> None:
    link = world.loop.network.link(port_of(world, meter))
    link.held_until_ns = max(link.held_until_ns, world.loop.now_ns + round(seconds * 1e9))


async def _unplugged(world: World, _: Watch, meter: str, seconds: float) -> None:
    link = world.loop.network.link(port_of(world, meter))
    link.unplug()
    await asyncio.sleep(seconds)
    link.plug_in()


async def _reset(world: World, _: Watch, meter: str) -> None:
    world.loop.network.reset(port_of(world, meter))


async def _refusing(world: World, _: Watch, meter: str, seconds: float) -> None:
    port = port_of(world, meter)
    link = world.loop.network.link(port)
    link.refuses = True
    world.loop.network.reset(port)
    await asyncio.sleep(seconds)
    link.refuses = False


async def _device_fault(world: World, _: Watch, meter: str, fault: Any) -> None:
    world.wall.inject(meter, fault)


async def _frozen_meter(world: World, _: Watch, meter: str, seconds: float) -> None:
    world.wall.catch_up()
    frozen = world.wall.meters[meter]
    frozen.frozen = True
    await asyncio.sleep(seconds)
    world.wall.catch_up()
    frozen.frozen = False


async def _exchanged_meter(world: World, _: Watch, meter: str) -> None:
    await world.wall.exchange(meter)


async def _clock_set(world: World, _: Watch, seconds: float) -> None:
    world.clock.step_s(seconds)


async def _clock_drifts(world: World, _: Watch, ppm: float) -> None:
    world.clock.drift_ppm(ppm)


async def _stall(world: World, _: Watch, seconds: float) -> None:
    world.loop.pass_s(seconds)


async def _load_ends(world: World, _: Watch, misfortune: Any) -> None:
    world.machine.misfortunes.append(misfortune)


async def _disk_in_trouble(world: World, _: Watch, trouble: Any, seconds: float) -> None:
    world.disk.trouble = trouble
    await asyncio.sleep(seconds)
    world.disk.trouble = None


async def _slow_disk(world: World, _: Watch, slowest_s: float, seconds: float) -> None:
    usual = world.disk.sync_s
    world.disk.sync_s = (slowest_s / 10, slowest_s)
    await asyncio.sleep(seconds)
    world.disk.sync_s = usual


async def _power_cut(world: World, watch: Watch, seconds: float) -> None:
    async with watch.power:
        await world.cut_power()
        await asyncio.sleep(seconds)
        await watch.boot_again()


async def _power_cut_while_writing(world: World, watch: Watch, writes: int, seconds: float) -> None:
    world.disk.cut_after = writes
    for _ in range(round(WRITES_WITHIN_S / 0.05)):
        await asyncio.sleep(0.05)
        if world.disk.dead:
            break
    await _power_cut(world, watch, seconds)


async def _restart(world: World, watch: Watch, seconds: float) -> None:
    async with watch.power:
        await watch.stop()
        await asyncio.sleep(seconds)
        await watch.boot_again()


async def _stopped_by_hand(world: World, watch: Watch, seconds: float) -> None:
    watch.paused_until_s = world.loop.time() + seconds
    await watch.ask("POST", "/api/campaign/stop")


async def _reader_dies(_: World, __: Watch) -> None:
    for reader in list(SimulatedReader.living):
        reader.die()


async def _fleet_away(world: World, _: Watch, seconds: float) -> None:
    world.fleet.away = True
    await asyncio.sleep(seconds)
    world.fleet.away = False


async def _fleet_answers_lost(world: World, _: Watch, count: int) -> None:
    world.fleet.lost_answers += count


async def _viewers(_: World, watch: Watch, count: int, seconds: float, slow_s: float) -> None:
    """Watch the live view, each piece of it as slowly as that, and close the page."""
    watching = [asyncio.create_task(watch.ask("GET", LIVE, slow_s=slow_s)) for _ in range(count)]
    await asyncio.wait(watching, timeout=seconds)
    for viewer in watching:
        viewer.cancel()
    await asyncio.wait(watching)


async def _clients(world: World, watch: Watch, count: int, seed: int) -> None:
    chance = random.Random(seed)
    await asyncio.gather(*(_client(world, watch, random.Random(chance.random())) for _ in range(count)))


async def _client(world: World, watch: Watch, chance: random.Random) -> None:
    runs = watch.run_ids()
    run = chance.choice(runs) if runs else "0123456789abcdef"
    match chance.randint(0, 5):
        case 0 if runs:
            note = f"note {chance.randint(0, 999)}"
            answer = await watch.ask("PUT", f"/api/runs/{run}/note", {"note": note}, slow_s=chance.uniform(0, 5))
            if answer is not None and answer.ok:
                watch.notes[run] = note
            elif answer is None or answer.status >= 500:
                watch.notes.pop(run, None)  # it may have come or not
        case 1 if runs:
            tag = f"tag-{chance.randint(0, 99)}"
            answer = await watch.ask("POST", "/api/runs/tags", {"run_ids": [run], "add": [tag], "remove": []})
            if answer is not None and answer.ok:
                watch.tags.setdefault(run, set()).add(tag)
        case 2 | 3:
            path = chance.choice(PAGES).format(run=run)
            asking = asyncio.ensure_future(watch.ask("GET", path, slow_s=chance.choice([0.0, 0.0, 2.0])))
            await asyncio.wait([asking], timeout=chance.uniform(*GIVES_UP_S))
            asking.cancel()
            await asyncio.wait([asking])
        case _:
            await watch.ask("GET", chance.choice(PAGES).format(run=run))


_HAPPENS: dict[str, Callable[..., Awaitable[None]]] = {
    "slow wire": _slow_wire,
    "lost packets": _lost_packets,
    "unplugged": _unplugged,
    "reset": _reset,
    "refusing": _refusing,
    "device fault": _device_fault,
    "frozen meter": _frozen_meter,
    "exchanged meter": _exchanged_meter,
    "clock set": _clock_set,
    "clock drifts": _clock_drifts,
    "stall": _stall,
    "load ends": _load_ends,
    "disk in trouble": _disk_in_trouble,
    "slow disk": _slow_disk,
    "power cut": _power_cut,
    "power cut while writing": _power_cut_while_writing,
    "restart": _restart,
    "stopped by hand": _stopped_by_hand,
    "reader dies": _reader_dies,
    "fleet away": _fleet_away,
    "fleet answers lost": _fleet_answers_lost,
    "viewers": _viewers,
    "clients": _clients,
}
