"""Loads on another system, begun and ended by real HTTP calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wattmark.core.errors import Disturbed, WorkloadFailed
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.hold import hold_load
from wattmark.workloads.http.hooked import hooked
from wattmark.workloads.http.trigger import Caller
from wattmark.workloads.local.local import LocalTrigger
from wattmark.workloads.markers import MarkerBoard
from wattmark.workloads.marks import mark_now
from wattmark.workloads.measure import measure
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.trigger import Trigger
from wattmark_drivers.clock import SystemClock

from tests.integration.ports import free_port

CALLER = Caller("run-1", "a", "two")
TOTAL = {"kind": "json", "pointer": "/done", "reports": "total"}
POLLED = {"kind": "json", "pointer": "/done", "reports": "interval-total"}


@pytest.fixture
def declared(peer: Any) -> Callable[..., Declaration]:
    def make(parser: dict[str, Any] = TOTAL, base: str = "http://127.0.0.1:{port}", **hook: Any) -> Declaration:
        calls = {"begin": {"url": f"{base}/begin"}, "end": {"url": f"{base}/end", "method": "DELETE"}, "timeout_s": 2}
        if parser.get("reports", "").startswith("interval"):
            calls["poll"] = {"url": f"{base}/status", "every_s": 0.1}
        facts = {
            "id": "elsewhere",
            "title": "Elsewhere",
            "unit": "jobs",
            "parameters": {"port": {"help": "Port", "kind": "port", "default": str(peer.port)}},
            "level": {"one": "client", "many": "clients"},
            "parser": parser,
            "hook": {**calls, **hook},
        }
        return Declaration.model_validate(facts)

    return make


def trigger(declaration: Declaration, clock: SystemClock, folder: Path, **environment: str) -> Trigger:
    return hooked(declaration, LocalTrigger(clock, folder), CALLER, folder=folder, clock=clock, environment=environment)


async def run(
    declaration: Declaration, clock: SystemClock, folder: Path, seconds: float = 0.5, **more: Any
) -> MarkedWork:
    return await measure(
        declaration,
        level=4,
        seconds=seconds,
        trigger=trigger(declaration, clock, folder),
        clock=clock,
        on_begin=more.pop("on_begin", lambda _: None),
        **more,
    )


async def test_the_calls_carry_the_run_and_the_answer_to_the_end_is_the_work(
    peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    peer.answers["/end"] = [(200, {"done": 1234})]
    begins: list[Any] = []
    work = await run(declared(), clock, tmp_path, on_begin=begins.append)
    run_facts = {"run_id": "run-1", "server": "a", "configuration": "two", "workload": "elsewhere"}
    about = {**run_facts, "parameters": {"port": str(peer.port)}}
    assert [(call["method"], call["path"]) for call in peer.calls] == [("POST", "/begin"), ("DELETE", "/end")]
    assert peer.calls[0]["body"] == {"event": "begin", **about, "level": 4, "seconds": 1}
    assert peer.calls[1]["body"] == {"event": "end", **about}
    assert [item.amount for item in work.intervals] == [1234]
    assert work.duration_s >= 0.5
    assert begins == [work.begin]
    assert work.edge_s > 0


async def test_polled_totals_become_intervals(peer: Any, declared: Any, clock: SystemClock, tmp_path: Path) -> None:
    peer.answers["/status"] = [(200, {"done": n}) for n in (100, 110, 130, 160, 200, 250, 310, 380, 460, 550)]
    work = await run(declared(POLLED), clock, tmp_path, seconds=0.35)
    amounts = [item.amount for item in work.intervals]
    assert amounts == [10, 20, 30, 40, 50, 60, 70, 80, 90][: len(amounts)]
    assert amounts
    assert work.begin.utc_ns == work.intervals[0].begin_ns
    assert work.gap_s < 1e-3  # UTC may be slewed by 500 ppm against the monotonic clock
    assert peer.events() == ["begin", "end"]


async def test_markers_may_tell_the_work_and_may_come_while_the_begin_call_is_under_way(
    peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    board = MarkerBoard()
    marks = [("begin", None), ("value", 77.0), ("end", None)]
    hear, loop = peer.hear, asyncio.get_running_loop()

    async def put(kind: Any, value: float | None) -> None:
        board.put(kind, mark_now(clock), value)

    def marking(handler: Any, call: Any) -> None:
        if call["body"]["event"] == "begin":
            for kind, value in marks:
                asyncio.run_coroutine_threadsafe(put(kind, value), loop).result(5)
        hear(handler, call)

    peer.hear = marking
    work = await run(declared({"kind": "markers"}), clock, tmp_path, board=board)
    assert [item.amount for item in work.intervals] == [77.0]
    assert peer.events() == ["begin", "end"]


async def test_a_load_is_held_by_the_same_calls(peer: Any, declared: Any, clock: SystemClock, tmp_path: Path) -> None:
    load = declared()
    await hold_load(load, level=2, seconds=0.2, trigger=trigger(load, clock, tmp_path), clock=clock)
    assert peer.events() == ["begin", "end"]
    assert peer.calls[0]["body"]["level"] == 2


async def test_a_cancelled_measurement_ends_the_load(
    peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    begun = asyncio.Event()
    task = asyncio.create_task(run(declared(), clock, tmp_path, seconds=60, on_begin=lambda _: begun.set()))
    await asyncio.wait_for(begun.wait(), 10)
    assert peer.running
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert peer.events() == ["begin", "end"]
    assert not peer.running


@pytest.mark.parametrize("reason", ["drop", "hang"])
async def test_a_begin_that_nobody_confirms_is_ended_all_the_same(
    reason: str, peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    peer.answers["/begin"] = [reason]
    with pytest.raises(Disturbed, match=r"POST http://127.0.0.1:[0-9]+/begin"):
        await run(declared(timeout_s=0.3), clock, tmp_path)
    assert peer.events() == ["begin", "end"]


async def test_an_end_that_is_lost_is_asked_for_again(
    peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    peer.answers["/end"] = ["drop", (503, {"wait": 1}), (200, {"done": 5})]
    work = await run(declared(), clock, tmp_path, seconds=0.1)
    assert [item.amount for item in work.intervals] == [5]
    assert peer.events() == ["begin", "end", "end", "end"]


async def test_an_end_that_is_never_confirmed_fails_the_run(
    peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    peer.answers["/end"] = [(404, {"detail": "no such page"})] * 9
    with pytest.raises(WorkloadFailed, match=r"may still run: DELETE .*/end was answered with status 404"):
        await run(declared(), clock, tmp_path, seconds=0.1)
    assert peer.events() == ["begin", "end", "end", "end"]


async def test_what_failed_and_that_the_load_may_still_run_are_both_said(
    peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    peer.answers["/status"] = [(500, {})]
    peer.answers["/end"] = [(500, {})] * 9
    with pytest.raises(WorkloadFailed, match=r"GET .*/status was answered with status 500.*may still run"):
        await run(declared(POLLED), clock, tmp_path)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((401, {"detail": "who are you"}), "status 401.*who are you.*Check the token"),
        ((409, b"busy\x00\x1b[31m"), r"status 409: busy +\[31m"),
        ((302, b"", {"Location": "http://127.0.0.1:1/"}), "status 302. Redirects are not followed"),
    ],
)
async def test_a_refused_begin_says_why_and_nothing_is_ended(
    answer: Any, message: str, peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    peer.answers["/begin"] = [answer]
    with pytest.raises(WorkloadFailed, match=message) as caught:
        await run(declared(), clock, tmp_path)
    assert str(caught.value).isprintable()
    assert peer.events() == ["begin"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, b"x" * 2_000_000), "sends far more data"),
        ((200, b"\x1f\x8b", {"Content-Encoding": "gzip"}), "compresses its answers"),
        ((200, b"[" * 100_000), "did not fill the window"),
        ((200, b'{"done": "many"}'), "did not fill the window"),
        ((200, b'{"done": -3}'), "not an amount of work"),
        ((200, b'{"done": 1e999}'), "not finite or is out of range"),
        ((200, b'{"done": 1' + b"0" * 400 + b"}"), "not finite or is out of range"),
    ],
)
async def test_hostile_answers_fail_the_run_and_the_load_is_ended(
    answer: Any, message: str, peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    peer.answers["/status"] = [answer] * 20
    declaration = declared(POLLED).model_copy(update={"timeout_s": 0.3})
    with pytest.raises(WorkloadFailed, match=message):
        await run(declaration, clock, tmp_path, seconds=0.2)
    assert peer.events() == ["begin", "end"]


async def test_a_total_that_falls_is_no_measurement(
    peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    peer.answers["/status"] = [(200, {"done": n}) for n in (100, 50, 40, 30, 20, 10)]
    with pytest.raises(WorkloadFailed, match="fell from 100 to 50"):
        await run(declared(POLLED), clock, tmp_path, seconds=0.3)
    assert peer.events() == ["begin", "end"]


async def test_a_peer_that_is_not_there_is_named(peer: Any, declared: Any, clock: SystemClock, tmp_path: Path) -> None:
    peer.port = free_port()
    declaration = declared()
    with pytest.raises(Disturbed, match=r"POST http://127.0.0.1:\d+/begin: No connection to"):
        await run(declaration, clock, tmp_path)


@pytest.mark.parametrize("answer", [(200, {}), (404, {"detail": "nothing runs"})])
async def test_what_a_dead_wattmark_left_is_cleared(
    answer: Any, peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    peer.answers["/end"] = [answer]
    await trigger(declared(), clock, tmp_path).clear()
    assert [call["body"]["event"] for call in peer.calls] == ["clear"]
    peer.answers["/end"] = [(500, {})]
    with pytest.raises(WorkloadFailed, match="status 500"):
        await trigger(declared(), clock, tmp_path).clear()


async def test_the_token_goes_along_and_is_in_no_message(
    peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    declaration = declared(token_env="HOOK_TOKEN")
    await trigger(declaration, clock, tmp_path, HOOK_TOKEN="s3cret").clear()
    assert [call["authorization"] for call in peer.calls] == ["Bearer s3cret"]
    with pytest.raises(Exception, match="HOOK_TOKEN with the password of elsewhere is not set"):
        await trigger(declaration, clock, tmp_path).clear()
    peer.answers["/end"] = [(403, {})]
    with pytest.raises(WorkloadFailed) as caught:
        await trigger(declaration, clock, tmp_path, HOOK_TOKEN="s3cret").clear()
    assert "s3cret" not in str(caught.value)
    for bad in ("two words", "line\nX-Evil: 1"):
        with pytest.raises(Exception, match="contains a space"):
            await trigger(declaration, clock, tmp_path, HOOK_TOKEN=bad).clear()


async def test_a_token_never_goes_in_the_clear(declared: Any, clock: SystemClock, tmp_path: Path) -> None:
    declaration = declared(base="http://192.0.2.1:{port}", token_env="T")
    with pytest.raises(WorkloadFailed, match="unencrypted"):
        await trigger(declaration, clock, tmp_path, T="x").clear()


async def test_the_token_may_stand_in_a_private_file(
    peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text("t0ken\n")
    file.chmod(0o644)
    declaration = declared(token_file="token")
    with pytest.raises(Exception, match="is readable by other users"):
        await trigger(declaration, clock, tmp_path).clear()
    file.chmod(0o600)
    await trigger(declaration, clock, tmp_path).clear()
    assert [call["authorization"] for call in peer.calls] == ["Bearer t0ken"]


async def test_certificates_are_checked(
    secured: Path, peer: Any, declared: Any, clock: SystemClock, tmp_path: Path
) -> None:
    base = "https://127.0.0.1:{port}"
    with pytest.raises(WorkloadFailed, match=r"certificate of 127.0.0.1:[0-9]+ is not trusted"):
        await trigger(declared(base=base), clock, tmp_path).clear()
    assert peer.calls == []
    await trigger(declared(base=base, ca_file=secured.name), clock, tmp_path).clear()
    assert peer.events() == ["clear"]
