"""What the client of language models makes of the instants and counts of its requests; all by hand."""

from __future__ import annotations

import json
import random

import pytest
from wattmark.workloads.programs import llm_client
from wattmark.workloads.programs.llm_client import Request, Server, parse, report, statistics


def request(due_s: float, events_s: list[float], prompt: int, generated: int) -> Request:
    answered = Request(due_s)
    answered.events_s, answered.prompt_tokens, answered.generated_tokens = events_s, prompt, generated
    answered.ended_s = events_s[-1]
    return answered


def test_only_what_came_in_the_window_counts() -> None:
    """The window is from 10 to 12: the first request has two of four events in it, the second began in it."""
    first = request(8.0, [9.0, 9.5, 10.5, 11.0], prompt=100, generated=8)
    second = request(10.0, [10.5, 12.5], prompt=50, generated=2)
    generated, rest = report([first, second], 10.0, 12.0, 0)
    assert len(generated) == 20
    assert {n: tokens for n, tokens in enumerate(generated) if tokens} == {5: 3.0, 10: 2.0}
    assert rest["prompt_tokens"] == 50  # the prompt of the first was read before the window
    assert (rest["due"], rest["requests"]) == (0, 1)  # due at 8 and, on the edge, at 10
    assert rest["times_s"]["first token"]["mean"] == pytest.approx(0.5)
    assert rest["times_s"]["between tokens"]["median"] == pytest.approx(0.75)  # 1.0 and 0.5
    # Seven tokens... two came with the first event: (11 - 9) s for 8 - 2 tokens.
    assert rest["times_s"]["per output token"]["mean"] == pytest.approx(2 / 6)
    assert rest["times_s"]["request"]["mean"] == pytest.approx(3.0)
    assert rest["least_and_most"] == {"prompt": [100, 100], "generated": [8, 8], "per_event": [2.0, 2.0]}


def test_a_failed_request_brings_no_tokens() -> None:
    failed = request(8.0, [10.5, 11.0], prompt=100, generated=8)
    failed.failure = "cut"
    before = request(8.0, [9.0], prompt=100, generated=8)
    before.failure = "cut before the window"
    # Under way in the window, though it failed only later: its tokens would be missing without a word.
    later = request(11.0, [11.5], prompt=100, generated=8)
    later.failure, later.ended_s = "timed out", 15.0
    generated, rest = report([failed, before, later], 10.0, 12.0, 2)
    assert sum(generated) == 0
    assert (rest["failed"], rest["failures"], rest["requests"]) == (4, ["cut", "timed out"], 0)
    assert rest["times_s"] == {}


def test_percentiles_lie_between_ranks() -> None:
    """NIST/SEMATECH e-Handbook 7.2.6.2, method of most spreadsheets: rank 1 + p (n - 1)."""
    values = statistics([5.0, 1.0, 4.0, 2.0, 3.0])
    assert values == {
        "mean": 3.0, "median": 3.0, "p90": pytest.approx(4.6), "p95": pytest.approx(4.8), "p99": pytest.approx(4.96),
        "max": 5.0,
    }  # fmt: skip
    assert statistics([7.0])["p99"] == 7.0


def test_prompts_follow_from_the_seed_and_have_the_tokens_asked_for() -> None:
    words = ["--url=http://h:1", "--prompt-tokens=8", "--first-token=5", "--last-token=9", "--output-tokens=3"]
    server = Server(parse(words))
    bodies = [json.loads(server.body(random.Random("1"))) for _ in range(2)]
    assert bodies[0] == bodies[1]
    assert len(bodies[0]["prompt"]) == 8
    assert set(bodies[0]["prompt"]) <= {5, 6, 7, 8, 9}
    assert (bodies[0]["max_tokens"], bodies[0]["ignore_eos"]) == (3, True)
    assert json.loads(server.body(random.Random("2")))["prompt"] != bodies[0]["prompt"]
    server.overhead = 3
    assert len(json.loads(server.body(random.Random("1")))["prompt"]) == 5


def test_a_chat_is_made_of_words() -> None:
    server = Server(parse(["--url=http://h:1", "--api=chat", "--prompt-tokens=8", "--ignore-eos=no"]))
    body = json.loads(server.body(random.Random("1")))
    assert len(body["messages"][0]["content"].split()) == 8
    assert set(body["messages"][0]["content"].split()) <= set(llm_client.WORDS)
    assert "ignore_eos" not in body
