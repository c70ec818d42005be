"""The CPU time of a process with all that it started, as the kernel counts it."""

from __future__ import annotations

import os
import subprocess
import sys

from wattmark.workloads.local.process_group import tree_cpu_s

BURNT_S = 0.3
BURN = f"import time\nwhile time.process_time() < {BURNT_S}: pass"


def test_what_a_child_took_stays_when_it_has_ended():
    before_s = tree_cpu_s(os.getpid())
    subprocess.run([sys.executable, "-c", BURN], check=True)
    after_s = tree_cpu_s(os.getpid())
    assert before_s is not None
    assert after_s is not None
    assert after_s - before_s >= BURNT_S - 0.02  # two clock ticks of 10 ms
