"""What others on the machine can read of a process."""

from __future__ import annotations

import os
import subprocess
import sys

TAKE = """
import os, subprocess
from pathlib import Path
from wattmark.core.hardening import take_variables
print(take_variables("SECRET", "MISSING"))
print(Path("/proc/self/environ").read_bytes().replace(bytes(1), b" "))
if os.fork() == 0:
    print(Path("/proc/self/environ").read_bytes().replace(bytes(1), b" "), flush=True)
    os._exit(0)
os.wait()
subprocess.run(["env"], check=True)
"""


def test_a_taken_variable_is_in_no_process() -> None:
    environment = {**os.environ, "BEFORE": "kept", "SECRET": "canary", "SECRETS": "other", "PYTHONUNBUFFERED": "1"}
    printed = subprocess.run([sys.executable, "-c", TAKE], env=environment, capture_output=True, text=True, check=True)
    first, *places = printed.stdout.splitlines()
    assert first == "{'SECRET': 'canary'}"
    assert len(places) > 2
    assert not any("canary" in place for place in places)
    assert all("BEFORE=kept" in place and "SECRETS=other" in place for place in places[:2])
    assert {"BEFORE=kept", "SECRETS=other"} < set(places[2:])
