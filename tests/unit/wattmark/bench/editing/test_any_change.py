"""Whatever is put wherever into a bench over HTTP starts no program, opens no file and calls no host."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wattmark.bench.editing.editor import BenchEditor
from wattmark.core.errors import InputError

from tests.examples import examples

from .conftest import DATA, changed, places, put

PROOF = "/nonexistent-proof/run-me"
DANGEROUS = st.sampled_from(
    [
        PROOF,
        [PROOF],
        [[PROOF]],
        {"command": [PROOF]},
        {"LD_PRELOAD": PROOF},
        {"program": PROOF},
        {"help": "x", "kind": "program", "default": PROOF},
        "WATTMARK_INFLUX_TOKEN",
        f"replay://{PROOF}",
        f"https://192.0.2.9?ca={PROOF}",
        f"modbus-rtu://{PROOF}?device=1",
        f"/srv/disk:{PROOF}",
        {"ssh": {"host": "evil.lab", "user": "u", "identity_file": PROOF}},
        {"begin": {"url": "https://evil.lab"}, "end": {"url": "https://evil.lab"}, "token_file": PROOF},
        {"uses": "mlperf.loadgen", "id": "x", "with": {"parameters": {"program": PROOF}}},
        {"uses": "gpu.matmul", "id": "y", "with": {"parameters": {"python": PROOF}}},
        {"id": "z", "model": "replay.log", "url": f"replay://{PROOF}"},
        {"id": "z", "model": "tasmota.plug", "url": "http://evil.lab", "user": "u", "password_env": "PLUG"},
    ]
)
KEYS = st.sampled_from(
    [
        *(
            "command",
            "program",
            "environment",
            "password_file",
            "password_env",
            "token_file",
            "ca_file",
            "folder",
            "url",
        ),
        *(
            "identity_file",
            "known_hosts",
            "setup",
            "cleanup",
            "version",
            "python",
            "prepare",
            "hook",
            "parameters",
            "with",
        ),
    ]
)
PLACES = list(places(DATA))
AUDIT: list[Callable[[str, tuple[Any, ...]], None]] = []
"""Who is told what the interpreter reports."""


def harmless_place(path: tuple[Any, ...]) -> bool:
    """Tell whether any text is only text there: nothing that a bench says at these places is ever started or opened."""
    return bool({"firmware", "title", "lab", "unit"} & set(map(str, path))) or path[-1] in {
        *(
            "id",
            "name",
            "user",
            "help",
            "kernel",
            "model",
            "service",
            "package",
            "source",
            "pattern",
            "pointer",
            "serial",
        ),
    }


@pytest.fixture
def watched() -> Iterator[Callable[[], list[str]]]:
    """List the programs that are started, and the hosts and the foreign files that are asked for."""
    seen: list[str] = []

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        name = str(arguments[0]) if arguments else ""
        if event in {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "socket.connect"}:
            seen.append(event)
        elif event == "open" and (PROOF in name or "past.csv" in name or "/srv/" in name):
            seen.append(f"open {name}")

    AUDIT.append(watch)
    yield lambda: seen
    AUDIT.remove(watch)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    for watch in AUDIT:
        watch(event, arguments)


@pytest.fixture(scope="module", autouse=True)
def hooked() -> None:
    """Watch what the interpreter itself reports; such a hook stays until its end, so there is one for all tests."""
    sys.addaudithook(_audit)


@settings(deadline=None, max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(PLACES), DANGEROUS, st.none() | KEYS)
def test_no_mutation_of_the_bench_starts_or_opens_anything(
    machine_room: BenchEditor, watched: Callable[[], list[str]], path: tuple[Any, ...], value: Any, key: str | None
) -> None:
    """A dangerous value at any place, or under any key at any place, is refused or stays mere text."""
    node: Any = DATA
    for step in path:
        node = node[step]
    place = (*path, key) if key is not None and isinstance(node, dict) else path
    try:
        put(machine_room, changed(list(place), value))
    except InputError:
        pass
    else:
        assert harmless_place(place), (place, value)
    assert watched() == []


def test_the_watch_sees_what_it_should(watched: Callable[[], list[str]]) -> None:
    subprocess.run(["true"], check=True)
    with pytest.raises(FileNotFoundError):
        Path(PROOF).read_bytes()
    with socket.socket() as sock, pytest.raises(OSError):  # noqa: PT011 - nobody listens
        sock.connect(("127.0.0.1", 1))
    assert watched() == ["subprocess.Popen", f"open {PROOF}", "socket.connect"]
