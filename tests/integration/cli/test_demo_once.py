"""`wattmark demo --once --json` from simulators to one document, with shorter runs; e2e has the demo as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HASTY = """
import sys
from functools import partial
from wattmark.cli.demo import demo
from wattmark.cli.main import main
from wattmark.cli.demo.bench_file import Timing

demo.Timing = partial(Timing, repeats=1, quiet_s=1, idle_s=0.5, settle_s=0.5, measure_s=2, hold_s=0.5)
sys.argv = ["wattmark", "demo", "--once", "--json", "--data", sys.argv[1]]
main()
"""


def test_the_demo_runs_once_without_a_web_app_and_ends_by_itself(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HASTY, str(tmp_path)], capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "http://" not in done.stderr
    document = json.loads(done.stdout)
    assert (document["state"], document["problems"]) == ("complete", [])
    attempts: dict[tuple[str, int], list[bool]] = {}
    for result in document["results"]:
        assert (result["status"], result["simulated"]) == ("complete", True)
        disturbed = any(v["rule"] == "undisturbed" and v["outcome"] == "fail" for v in result["verdicts"])
        attempts.setdefault((result["server"], result["dimm_count"]), []).append(disturbed)
    configurations = {"fbserver": (2, 4, 8), "rdimmserver": (2, 8)}
    assert sorted(attempts) == [(server, count) for server, counts in configurations.items() for count in counts]
    # What disturbed most runs would disturb their repeats too.
    repeats = 1 if sum(disturbed[0] for disturbed in attempts.values()) <= len(attempts) / 2 else 0
    assert all(len(disturbed) == 1 + repeats * disturbed[0] for disturbed in attempts.values()), attempts
    assert done.stderr.index("quiet machine") < done.stderr.index("1/5")
    assert document["break_even"]["statement"]
    assert document["memory"]["planted"]["watts_per_dimm_wall"] == document["planted"]["watts_per_dimm_wall"] > 0
