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

demo.Timing = partial(Timing, repeats=1, idle_s=0.5, settle_s=0.5, measure_s=4, hold_s=0.5)
sys.argv = ["wattmark", "demo", "--once", "--json", "--data", sys.argv[1]]
main()
"""


def test_the_demo_runs_once_without_a_web_app_and_ends_by_itself(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HASTY, str(tmp_path)], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "http://" not in done.stderr
    document = json.loads(done.stdout)
    assert (document["state"], document["problems"]) == ("complete", [])
    assert [(result["status"], result["simulated"]) for result in document["results"]] == [("complete", True)] * 6
    assert sorted((result["server"], result["dimm_count"]) for result in document["results"]) == [
        (server, count) for server in ("fbserver", "rdimmserver") for count in (2, 4, 8)
    ]
    assert document["break_even"]["statement"]
    assert document["memory"]["planted"]["watts_per_dimm_wall"] == document["planted"]["watts_per_dimm_wall"] > 0
