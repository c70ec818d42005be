"""A process whose number no user has and that has no home, as a container platform starts it."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing

import pytest

from ..service.conftest import LISTENS, PATIENCE_S, WATTMARK

NOBODY = 1_234_567
HOMES = {"HOME", "XDG_DATA_HOME", "WATTMARK_DATA_DIR"}
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
"""Root's right to pass by permissions stays, for the interpreter may lie in a folder of root's."""
READING = ("--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--")


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*AS_NOBODY, *READING, str(WATTMARK), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={name: value for name, value in os.environ.items() if name not in HOMES},
    )


@pytest.mark.parametrize("command", [("serve",), ("results",), ("doctor",), ("run", "plan")])
def test_without_a_place_for_its_data_it_says_what_to_give(command: tuple[str, ...]) -> None:
    """Row 19 of the review: a traceback of the library's was all that came."""
    with start(*command) as process:
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2, errors
    assert "Traceback" not in errors
    assert re.search(rf"user {NOBODY} has no name and no home folder", errors)
    assert "--data DIR" in errors


@pytest.fixture
def own_folder() -> Iterator[str]:
    """A folder of nobody's; the ones of pytest are closed to everybody but root."""
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, NOBODY, NOBODY)
        yield folder


def test_with_a_place_for_its_data_it_serves_and_is_ready(own_folder: str) -> None:
    with start("serve", "--port", "0", "--data", own_folder) as process:
        try:
            assert process.stderr is not None
            lines: list[str] = []
            while not (listens := LISTENS.search("".join(lines))):
                lines.append(process.stderr.readline())
                assert lines[-1], lines
            with closing(http.client.HTTPConnection(listens[1], timeout=PATIENCE_S)) as connection:
                connection.request("GET", "/healthz")
                answer = connection.getresponse()
                assert (answer.status, json.loads(answer.read())["status"]) == (200, "ready")
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
