"""The client of language models against a server that keeps time exactly and counts what it is told to."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.parsers.work import MarkedWork

from tests import llm_stub
from tests.integration.ports import free_port
from tests.llm_stub import Script, serving

from .test_catalogue import run, use

SHORT = {"host": "127.0.0.1", "prompt_tokens": "64", "output_tokens": "20", "warm_up": "1"}


async def measured(
    script: Script,
    folder: Path,
    *,
    workload: str = "llm.by-concurrency",
    level: int = 4,
    seconds: float = 2,
    **own: str,
) -> MarkedWork:
    with serving(script) as port:
        declaration = use(workload, **{**SHORT, "port": str(port), "python": sys.executable, **own})
        return await run(declaration, folder, level=level, seconds=seconds)


def amount(work: MarkedWork) -> float:
    return sum(item.amount for item in work.intervals)


def times(work: MarkedWork) -> dict[str, float]:
    return {item.statistic: item.value_s for item in work.response}


async def test_tokens_and_times_are_those_of_the_script(tmp_path: Path) -> None:
    """4 lanes at 20 ms make 200 tokens/s; each token comes 20 ms after the one before."""
    work = await measured(Script(lanes=4, gap_s=0.02), tmp_path)
    assert amount(work) / work.duration_s == pytest.approx(200, rel=0.03)
    assert times(work)["between tokens median"] == pytest.approx(0.02, rel=0.1)
    assert times(work)["per output token median"] == pytest.approx(0.02, rel=0.1)
    assert times(work)["request median"] == pytest.approx(0.4, rel=0.1)
    assert len(work.intervals) == 20  # ten a second
    assert work.remarks == ()
    beside = {figure.name: (figure.value, figure.unit) for figure in work.beside}
    # A request brings 20 tokens and takes 64: 10 requests/s, 640 prompt tokens/s.
    assert beside["requests"] == (pytest.approx(10, rel=0.25), "requests/s")
    assert beside["prompt tokens"] == (pytest.approx(640, rel=0.25), "tokens/s")
    assert work.facts["failed_requests"] == 0


async def test_the_first_token_waits_for_the_prompt(tmp_path: Path) -> None:
    work = await measured(Script(lanes=2, gap_s=0.02, prefill_s=0.2), tmp_path, level=2)
    assert 0.2 <= times(work)["first token median"] < 0.26
    assert times(work)["between tokens median"] == pytest.approx(0.02, rel=0.1)


async def test_tokens_of_one_event_are_spread_and_said(tmp_path: Path) -> None:
    """Two tokens in an event of 40 ms are 20 ms a token."""
    work = await measured(Script(lanes=4, gap_s=0.02, per_event=2), tmp_path)
    assert amount(work) / work.duration_s == pytest.approx(200, rel=0.04)
    assert times(work)["per output token median"] == pytest.approx(0.02, rel=0.1)
    assert times(work)["between tokens median"] == pytest.approx(0.04, rel=0.1)
    (remark,) = work.remarks
    assert remark.startswith("An event of the server brought 2 tokens;")


async def test_the_servers_own_counts_are_used_and_said(tmp_path: Path) -> None:
    work = await measured(Script(generates=10, cached=3), tmp_path)
    stopped, cached = work.remarks
    assert stopped == "The server counted 10 generated tokens a request, not 20; its counts are used."
    assert cached.startswith("The server took ")
    assert work.facts["generated_tokens"] == pytest.approx(amount(work))


@pytest.mark.parametrize("api", ["completions", "chat"])
async def test_a_prompt_is_shorter_by_what_the_server_adds(tmp_path: Path, api: str) -> None:
    work = await measured(Script(begin_mark=12), tmp_path, api=api)
    assert work.remarks == ()  # 64 tokens are counted, as asked for
    assert amount(work) / work.duration_s == pytest.approx(200, rel=0.03)


async def test_requests_come_at_a_mean_rate_whatever_the_server_does(tmp_path: Path) -> None:
    """600 requests a minute to a server that would take 20 of 100 ms at a time: 10 a second, 5 tokens each."""
    script = Script(lanes=20, gap_s=0.02)
    work = await measured(script, tmp_path, workload="llm.by-rate", level=600, seconds=4, output_tokens="5")
    (rate,) = [figure.value for figure in work.beside if figure.name == "requests"]
    assert 5 <= rate <= 16  # 40 arrivals, Poisson: 95 % lie between 28 and 53
    assert amount(work) / work.duration_s == pytest.approx(5 * rate, rel=0.1)


async def test_time_in_the_queue_counts_by_rate(tmp_path: Path) -> None:
    """One lane of 50 tokens/s is asked for 200: requests wait, and the first token is counted from when it was due."""
    script = Script(lanes=1, gap_s=0.02)
    work = await measured(
        script, tmp_path, workload="llm.by-rate", level=600, seconds=3, output_tokens="20", warm_up="0"
    )
    assert times(work)["first token max"] > 0.5
    assert any("the server is asked for more than it can do" in remark for remark in work.remarks)
    assert amount(work) / work.duration_s == pytest.approx(50, rel=0.1)


@pytest.mark.parametrize(
    ("fails", "reason"),
    [
        ("status", "HTTP status 500: .*out of memory"),
        ("event", "the server said: .*the engine is dead"),
        ("cut", "IncompleteRead|ended before its mark"),
        ("nothing", "the server generated nothing"),
        ("no usage", "the server states no usage"),
    ],
)
async def test_failures_are_counted_and_fail_the_run(tmp_path: Path, fails: str, reason: str) -> None:
    with pytest.raises(WorkloadFailed, match=rf"of [\d,]+ requests failed: .*({reason})"):
        await measured(Script(fails=fails, fails_each=5), tmp_path)


async def test_a_few_failures_are_said_and_their_tokens_do_not_count(tmp_path: Path) -> None:
    """One of 150 requests is cut in the middle: below 1 %."""
    work = await measured(Script(lanes=8, gap_s=0.01, fails="cut", fails_each=150), tmp_path, level=8, seconds=4)
    assert work.facts["failed_requests"] in (1, 2)
    assert any("requests failed" in remark for remark in work.remarks)
    assert amount(work) == pytest.approx(800 * work.duration_s - 20 * int(work.facts["failed_requests"]), rel=0.03)


async def test_a_request_without_an_answer_fails_in_time(tmp_path: Path) -> None:
    with pytest.raises(WorkloadFailed, match=r"requests failed: .*(timed out|no answer in time)"):
        await measured(Script(fails="silent", fails_each=5), tmp_path, timeout="2")


async def test_a_server_that_refuses_the_first_request_says_why(tmp_path: Path) -> None:
    with pytest.raises(WorkloadFailed, match=r"ended with exit status 1: .*HTTP status 500: .*out of memory"):
        await measured(Script(fails="status", fails_each=1), tmp_path)


def started(port: int, script: dict[str, Any], folder: Path) -> dict[str, str]:
    """Parameters of a server that wattmark starts: the stub behind the arguments of llama-server."""
    program = folder / "llama-server"
    text = f"#!/bin/sh\nexec {sys.executable} {llm_stub.__file__} '{json.dumps(script)}' \"$4\"\n"
    program.write_text(text)
    program.chmod(0o700)
    return {**SHORT, "port": str(port), "program": str(program), "model_file": "model.gguf", "python": sys.executable}


async def test_a_server_is_started_waited_for_and_ended(tmp_path: Path) -> None:
    port = free_port()
    declaration = use("llm.llama-server", **started(port, {"healthy_after_s": 1.5}, tmp_path))
    work = await run(declaration, tmp_path, level=4)
    assert amount(work) / work.duration_s == pytest.approx(200, rel=0.03)
    with pytest.raises(WorkloadFailed, match="Connection refused"):
        await run(use("llm.by-concurrency", **{**SHORT, "port": str(port), "python": sys.executable}), tmp_path)


@pytest.mark.parametrize("after_s", [0.5, 3])
async def test_a_server_that_dies_says_why(tmp_path: Path, after_s: float) -> None:
    script = {"ends_after_s": after_s, "healthy_after_s": 1}
    declaration = use("llm.llama-server", **started(free_port(), script, tmp_path))
    with pytest.raises(WorkloadFailed, match=r"which serves the load, ended with status 1: the stub ran out of memory"):
        await run(declaration, tmp_path, level=4, seconds=4)
