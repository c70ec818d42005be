"""The client of language models against llama.cpp's own server, with a model of random weights."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.integration.ports import free_port
from tests.integration.workloads.tiny_model import write_tiny_model

from .test_catalogue import run, use

SERVER = """
import signal, sys, xllamacpp
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
params = xllamacpp.CommonParams()
params.model.path = options["--model"]
params.n_parallel, params.n_ctx = int(options["--parallel"]), int(options["--ctx-size"])
params.hostnames, params.port = [options["--host"]], int(options["--port"])
params.n_gpu_layers = 0
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
signal.pause()
"""
TIMING = re.compile(r"task (\d+) \| (prompt eval| +eval) time = .* / +(\d+) tokens")


@pytest.mark.parametrize("api", ["completions", "chat"])
async def test_tokens_are_those_of_the_servers_log(tmp_path: Path, api: str) -> None:
    model, script, log = tmp_path / "tiny.gguf", tmp_path / "server.py", tmp_path / "log"
    write_tiny_model(model)
    script.write_text(SERVER)
    program = tmp_path / "llama-server"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {script} "$@" 2>{log}\n')
    program.chmod(0o700)
    declaration = use(
        "llm.llama-server",
        port=str(free_port()), program=str(program), model_file=str(model), python=sys.executable, context="8192",
        api=api, prompt_tokens="64", output_tokens="32", first_token="5", last_token="250", warm_up="1",
    )  # fmt: skip
    work = await run(declaration, tmp_path, level=2, seconds=3)
    by_kind: dict[str, list[int]] = {"prompt eval": [], "eval": []}
    for _, kind, tokens in TIMING.findall(log.read_text()):
        by_kind[kind.strip()].append(int(tokens))
    generated, prompts = by_kind["eval"], by_kind["prompt eval"]
    assert set(generated) == {32}  # every answer, by the server's own log
    requests = int(work.facts["requests"])
    assert requests > 10
    # The first request, the warm-up and what was under way at the edges are in the log and not in the window.
    assert requests * 32 <= sum(generated)
    assert sum(item.amount for item in work.intervals) <= sum(generated)
    assert sum(item.amount for item in work.intervals) == pytest.approx(requests * 32, abs=4 * 32)
    assert not any("generated tokens a request" in remark for remark in work.remarks)
    if api == "completions":
        # A random prompt may begin with a token that its slot has in its cache from the one before.
        assert set(prompts) <= {62, 63, 64}
        assert work.facts["prompt_tokens"] % 64 == 0
        assert not any("prompt tokens a request" in remark for remark in work.remarks)
