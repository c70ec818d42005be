"""A test that passes only on its second try is named, in each group; what never passes fails the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ONCE = """
from pathlib import Path
import pytest

def first_time(name):
    mark = Path(__file__).with_name(name)
    return not mark.exists() and mark.write_text("seen")

def test_well(): pass
def test_once(): assert not first_time("once")
def test_skips_then():
    first_time("skips") and pytest.fail("first")
    pytest.skip("second")
def test_never(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # whose report comes before the folder is left
    assert False
@pytest.fixture
def leaves_badly():
    yield
    assert not first_time("teardown")
@pytest.mark.parametrize("text", ["a b", "[x]\\n::y"])
def test_teardown(leaves_badly, text): pass
"""


PROPERTY = """
from pathlib import Path
from hypothesis import given, strategies as st

seen = Path(__file__).with_name("seen")
is_first, _ = not seen.exists(), seen.touch()

@given(st.integers())
def test_once(number): assert not is_first
"""


@pytest.fixture
def flaky(tmp_path: Path):
    (tmp_path / "test_a.py").write_text(ONCE)
    (tmp_path / "test_b.py").write_text(ONCE.replace('"once"', '"once b"'))
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")

    def run(*groups: str) -> tuple[int, str, list[str]]:
        done = subprocess.run(
            [sys.executable, "-m", "tests.flaky", *groups], cwd=tmp_path, check=False, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        )  # fmt: skip
        return done.returncode, done.stdout.splitlines()[-1], (tmp_path / ".cache/flaky.txt").read_text().splitlines()

    return run


@pytest.mark.parametrize("beside", ["", "-p xdist -n 2"])
def test_every_group_names_what_passed_only_the_second_time(flaky, beside):
    groups = [f"{beside} test_a.py -k 'well or once'", "test_b.py -k 'well or once'"]
    assert flaky(*groups) == (
        0, "2 flaky: test_a.py::test_once, test_b.py::test_once", ["test_a.py::test_once", "test_b.py::test_once"]
    )  # fmt: skip
    assert flaky(*groups) == (0, "0 flaky", [])


@pytest.mark.parametrize("test", ["never", "skips_then"])
def test_what_never_passes_fails_the_run_whatever_comes_after_it(flaky, test):
    assert flaky(f"test_a.py -k {test}", "test_b.py -k 'once or well'") == (
        1, "1 flaky: test_b.py::test_once", ["test_b.py::test_once"]
    )  # fmt: skip


def test_a_property_that_an_example_broke_is_not_flaky(flaky, tmp_path):
    (tmp_path / "test_p.py").write_text(PROPERTY)
    assert flaky("-p _hypothesis_pytestplugin test_p.py", "test_a.py -k well") == (1, "0 flaky", [])


def test_a_failure_of_a_teardown_counts_and_odd_names_are_found_again(flaky):
    status, output, _ = flaky("test_a.py -k teardown")
    assert status == 0
    assert output.startswith("1 flaky: test_a.py::test_teardown[")


def test_a_group_that_cannot_be_collected_fails(flaky, tmp_path):
    (tmp_path / "test_c.py").write_text("import nothing_of_this_name")
    assert flaky("test_c.py", "test_a.py -k well")[:2] == (1, "0 flaky")
    assert flaky("test_gone.py")[0] == 1
