"""The plug-in in a pytest of its own, against a real service: with the option and without it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from ..service.conftest import Service

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[3]
SUITE = """
import time

def test_sleeping(measure):
    with measure(ops=200, unit="naps") as m:
        time.sleep(3)
        m.mark("over")

def test_named(measure):
    m = measure("by name").begin()
    time.sleep(3)
    m.end(ops=3)

def test_failing(measure):
    with measure():
        raise ValueError("of the test")
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A suite that loads this plug-in by its name, whatever is installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(SUITE)
    return pytester


def run(suite: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return suite.runpytest_subprocess("-p", "wattmark.client.pytest_plugin", "-W", "error", *arguments, timeout=240)


def test_figures_are_in_the_table_and_in_junit(suite: pytest.Pytester, url: str, lab: SimulatedLab) -> None:
    done = run(suite, f"--wattmark={url}", "--wattmark-server", "s", "--junitxml=out.xml", "-v")
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["*ValueError: of the test*"])
    done.stdout.fnmatch_lines(
        ["*wattmark, ± at 95 %*", "measurement *mean power *energy *work per joule", "test_sleeping *W *J *naps/J",
         "by name *W *J *operations/J", "The power is simulated."]
    )  # fmt: skip
    cases = {case.get("name"): case for case in ElementTree.parse(suite.path / "out.xml").iter("testcase")}
    sleeping = {item.get("name"): item.get("value") for item in cases["test_sleeping"].iter("property")}
    truth_w = lab.state("s").wall_power_w
    power_w = float(str(sleeping["wattmark.test_sleeping.power_w"]))
    duration_s = float(str(sleeping["wattmark.test_sleeping.duration_s"]))
    assert power_w == pytest.approx(truth_w, rel=0.01)
    assert 0 < float(str(sleeping["wattmark.test_sleeping.power_w_U95"])) < 0.5 * power_w
    assert duration_s == pytest.approx(3, abs=0.2)
    efficiency = float(str(sleeping["wattmark.test_sleeping.efficiency"]))
    assert efficiency == pytest.approx(200 / (power_w * duration_s), rel=1e-3)
    assert not list(cases["test_failing"].iter("property"))


def test_without_the_option_tests_run_and_it_is_said(suite: pytest.Pytester, url: str) -> None:
    done = run(suite, "--junitxml=out.xml")
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["wattmark: 3 blocks were not measured. Give --wattmark or --wattmark=URL."])
    assert "wattmark" not in (suite.path / "out.xml").read_text()


def test_a_suite_without_the_fixture_sees_nothing_of_it(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_it():\n    import sys\n    assert 'wattmark.core' not in sys.modules\n")
    done = run(suite)
    done.assert_outcomes(passed=1)
    assert "wattmark" not in done.stdout.str()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--wattmark", "tests"), "--wattmark tests is not the address of a service."),
        (
            ("--wattmark=http://127.0.0.1:1", "-p", "xdist", "-n", "2"),
            "measures one test at a time. Run it without -n.",
        ),
        (("--wattmark=http://127.0.0.1:1", "-p", "xdist", "-d", "--tx", "2*popen"), "measures one test at a time."),
    ],
)
def test_what_cannot_be_measured_is_refused_at_the_start(
    suite: pytest.Pytester, arguments: tuple[str, ...], said: str
) -> None:
    done = run(suite, *arguments)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert said in done.stderr.str()


def test_a_service_that_is_not_there_fails_the_test_with_the_remedy(suite: pytest.Pytester) -> None:
    done = run(suite, "--wattmark=http://127.0.0.1:1", "-k", "named")
    done.assert_outcomes(failed=1, deselected=2)
    done.stdout.fnmatch_lines(["*http://127.0.0.1:1 does not answer: *Start the service: wattmark serve.*"])


LEFT_OPEN = """
def test_first(measure):
    m = measure().begin()
    assert not m.is_open

def test_second(measure):
    with measure():
        pass
"""


def test_what_a_test_leaves_open_does_not_fail_the_next_one(suite: pytest.Pytester, url: str, service: Service) -> None:
    suite.makepyfile(LEFT_OPEN)
    done = run(suite, f"--wattmark={url}", "--wattmark-server", "s")
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["wattmark: 1 blocks were not ended, and are dropped."])
    assert service.get("/api/measurements") == []


def test_tests_of_one_name_are_said_to_count_as_repeats(suite: pytest.Pytester, url: str) -> None:
    for name in ("test_a", "test_b"):
        suite.makepyfile(**{name: "def test_it(measure):\n    with measure():\n        pass\n"})
    done = run(suite, f"--wattmark={url}", "--wattmark-server", "s", "test_a.py", "test_b.py")
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["wattmark: 2 tests are named test_it, and count as repeats of one.*"])


def test_names_too_long_for_results_stay_apart() -> None:
    from wattmark.client.pytest_plugin import _shortened

    names = {_shortened("test_x[" + "a" * 70 + end + "]") for end in "bc"}
    assert len(names) == 2
    assert {len(name) for name in names} == {64}
    assert _shortened("test_x[a]") == "test_x[a]"


def test_both_distributions_name_it_alike() -> None:
    """pytest loads a name once; were they two, the second one would add its options again."""
    for file, module in (("pyproject.toml", "wattmark"), ("backend/client-wheel/pyproject.toml", "wattmark_client")):
        points = tomllib.loads((ROOT / file).read_text())["project"]["entry-points"]["pytest11"]
        assert list(points) == ["wattmark"]
        assert points["wattmark"].startswith(module)
