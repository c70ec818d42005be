"""The GitHub action and the GitLab template, run step by step as their runners do.

A runner of either is not here: what it hands to a step (environment, files, shell) follows "Metadata syntax for GitHub
Actions" and "GitLab CI/CD YAML syntax reference".
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

ROOT = Path(__file__).parents[3]
CI = ROOT / "docker/ci"
SPEC = {
    "servers": {"s": {"idle_w": 300.0, "dynamic_w": 0.0, "dimms": 0, "psu": {"rated_w": 1500}}},
    "devices": {"cpu": {"model": "linux.rapl", "measures": ["s"]}},
}
METER = "simulated://?idle_w=300&dynamic_w=0&period_s=0.2"
"""It descends from wattmark, so that it is no other program that disturbs."""
EXPRESSION = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


def environment(folder: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("WATTMARK")}
    path = f"{Path(sys.executable).parent}:{own['PATH']}"
    return own | {"PATH": path, "WATTMARK_DATA_DIR": str(folder / "data"), "RUNNER_TEMP": str(folder)}


def run_action(folder: Path, **choices: str) -> tuple[int, str, str]:
    """Run the steps of the action; return exit code, the output `outcome`, and the summary."""
    action: dict[str, Any] = YAML(typ="safe").load(CI / "gate/action.yml")
    inputs = {name: choices.get(name.replace("-", "_"), of.get("default")) for name, of in action["inputs"].items()}
    assert None not in inputs.values()
    files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    code = 0
    for step in action["runs"]["steps"]:
        assert not EXPRESSION.search(step["run"]), "an input written into a script is a command"
        variables = {name: EXPRESSION.sub(lambda match: inputs[match[1]], text) for name, text in step["env"].items()}
        script = folder / "step.sh"
        script.write_text(step["run"])
        code = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=folder, timeout=300, check=False,
            env=environment(folder) | variables | {name: str(file) for name, file in files.items()},
        ).returncode  # fmt: skip
    outcome, summary = (file.read_text() if file.exists() else "" for file in files.values())
    return code, outcome.removeprefix("outcome=").strip(), summary


def test_the_action_fails_a_build_that_got_worse(tmp_path: Path) -> None:
    options = {"meter": METER, "at_most": "6", "options": "--name naps"}
    code, outcome, summary = run_action(tmp_path, baseline="sleep 1", candidate="sleep 1.5", **options)
    assert (code, outcome) == (1, "regression")
    assert "| efficiency | ✗ regression |" in summary


@pytest.mark.parametrize(("not_known", "code"), [("fail", 3), ("pass", 0)])
def test_what_is_not_known_fails_or_passes_as_is_asked_for(
    tmp_path: Path, lab: SimulatedLab, not_known: str, code: int
) -> None:
    """The counters of a processor are not the wall."""
    options = {"meter": lab.devices["cpu"].url, "at_most": "3", "not_known": not_known}
    assert run_action(tmp_path, baseline="sleep 1", candidate="sleep 1", **options)[:2] == (code, "not known")


def test_an_input_is_never_a_command(tmp_path: Path) -> None:
    (tmp_path / "wattmark.md").write_text("the verdict of an earlier gate of the job")
    code, outcome, summary = run_action(
        tmp_path, baseline=f"true; touch {tmp_path}/made", candidate="$(touch made)", meter=METER
    )
    assert (code, outcome, summary) == (2, "error", "")
    assert not (tmp_path / "made").exists()


def test_options_may_stand_in_lines(tmp_path: Path) -> None:
    options = {"meter": METER, "options": "--name naps\n--no-such-option\n"}
    assert run_action(tmp_path, baseline="true", candidate="true", **options)[:2] == (2, "error")


def test_the_template_fails_a_job_and_leaves_its_reports(tmp_path: Path) -> None:
    (job,) = YAML(typ="safe").load(CI / "gate.gitlab-ci.yml").values()
    variables = job["variables"] | {
        "WATTMARK_BASELINE": "sleep 1",
        "WATTMARK_CANDIDATE": "sleep 1.5",
        "WATTMARK_AT_MOST": "6",
        "WATTMARK_OPTIONS": f"--meter {METER}",
    }
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(job["script"])], cwd=tmp_path, timeout=300, check=False,
        env=environment(tmp_path) | variables,
    )  # fmt: skip
    assert done.returncode == 1
    for file in (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]):
        assert (tmp_path / file).is_file()
    assert job["allow_failure"] == {"exit_codes": [3]}, "what is not known does not fail the job"
