"""Run groups of tests; what failed runs once more with nothing beside it, and what passes only then is called flaky.

``python -m tests.flaky '-n 4 -m "not alone"' '-m alone'``: each argument holds the options of one run of pytest. The
last line names the flaky tests of all groups, which `.cache/flaky.txt` keeps. What does not pass in the end fails, and
so does a property for which an example was found that breaks it, though the second search may miss it.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

KEPT = Path(".cache/flaky.txt")
OUTCOMES = Path(".cache/outcomes.txt").absolute()  # a test may be in another folder when it is reported
AGAIN = Path(".cache/again.txt")


class Outcomes:
    """Notes every report of a run, one a line, also of tests that ran in another process."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure in any phase, and that the test itself passed."""
        if report.failed or (report.passed and report.when == "call"):
            broken = report.failed and "hypothesis" in report.keywords
            with self._file.open("a", encoding="utf-8") as file:
                file.write(f"{'broken' if broken else report.outcome} {report.nodeid}\n")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Outcomes(OUTCOMES))


def run(arguments: list[str]) -> tuple[int, dict[str, str]]:
    """Run pytest: its exit status, and what became of each test: passed, failed, or broken by an example."""
    OUTCOMES.parent.mkdir(exist_ok=True)
    OUTCOMES.write_text("", encoding="utf-8")
    status = subprocess.run([sys.executable, "-m", "pytest", "-p", "tests.flaky", *arguments], check=False).returncode
    outcomes: dict[str, str] = {}
    for outcome, test in (line.split(" ", 1) for line in OUTCOMES.read_text(encoding="utf-8").splitlines()):
        outcomes[test] = min(outcome, outcomes.get(test, outcome))  # the worst: broken, failed, passed
    return status, outcomes


def run_group(arguments: list[str]) -> tuple[bool, list[str]]:
    """Run a group and what failed in it again: whether all passed in the end, and which passed only then."""
    status, first = run(arguments)
    failed = [test for test, outcome in first.items() if outcome != "passed"]
    if status != 1 or not failed:  # a run that could not collect, crashed or was stopped tells nothing of single tests
        return status == 0, []
    print(f"{len(failed)} failed above and run once more, alone", flush=True)
    AGAIN.write_text("\n".join(failed), encoding="utf-8")
    status, second = run([f"@{AGAIN}"])
    flaky = [test for test in failed if first[test] == "failed" and second.get(test) == "passed"]
    return status == 0 and len(flaky) == len(failed), flaky


if __name__ == "__main__":
    groups = [run_group(shlex.split(group)) for group in sys.argv[1:]]
    flaky_tests = [test for _, flaky in groups for test in flaky]
    KEPT.write_text("".join(f"{test}\n" for test in flaky_tests), encoding="utf-8")
    print(f"{len(flaky_tests)} flaky" + (f": {', '.join(flaky_tests)}" if flaky_tests else ""))
    sys.exit(0 if all(passed for passed, _ in groups) else 1)
