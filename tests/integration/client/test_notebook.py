"""`%%wattmark` in a shell with the few methods of IPython that it uses, against a real service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from wattmark.client import ClientError, Result, load_ipython_extension
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from ..service.conftest import Service


@dataclass
class Done:
    success: bool


@dataclass
class Shell:
    """As IPython.core.interactiveshell.InteractiveShell: `run_cell` shows an error and returns that there was one."""

    user_ns: dict[str, Any] = field(default_factory=dict)
    magics: dict[str, Callable[[str, str], Result | None]] = field(default_factory=dict)

    def register_magic_function(self, function: Any, magic_kind: str, magic_name: str) -> None:
        assert magic_kind == "cell"
        self.magics[magic_name] = function

    def run_cell(self, cell: str) -> Done:
        try:
            exec(cell, self.user_ns)
        except Exception:
            return Done(success=False)
        return Done(success=True)

    def ev(self, expression: str) -> Any:
        return eval(expression, self.user_ns)


@pytest.fixture
def shell() -> Shell:
    shell = Shell()
    load_ipython_extension(shell)
    return shell


def test_a_cell_is_measured_with_the_work_that_the_notebook_counts(shell: Shell, url: str, lab: SimulatedLab) -> None:
    line = "'two naps' --server s --unit naps --ops len(naps)"
    result = shell.magics["wattmark"](line, "import time\nnaps = [time.sleep(1.5) for _ in range(2)]")
    assert result is not None
    assert result.power is not None
    assert result.throughput is not None
    assert result.name == "two naps"
    assert result.duration_s == pytest.approx(3, abs=0.3)
    assert result.power.value == pytest.approx(lab.state("s").wall_power_w, rel=0.01)
    assert result.throughput.value * result.duration_s == pytest.approx(2)
    assert shell.user_ns["naps"] == [None, None]


@pytest.mark.parametrize(("options", "cell"), [("", "1/0"), ("--ops missing", "x = 1")])
def test_a_cell_that_fails_leaves_no_measurement_open(
    shell: Shell, url: str, service: Service, options: str, cell: str
) -> None:
    if options:
        with pytest.raises(NameError):
            shell.magics["wattmark"](f"x --server s {options}", cell)
    else:
        assert shell.magics["wattmark"]("x --server s", cell) is None
    assert service.get("/api/measurements") == []


def test_a_wrong_line_is_an_error_and_ends_no_kernel(shell: Shell) -> None:
    with pytest.raises(ClientError, match="unrecognized arguments: --opps"):
        shell.magics["wattmark"]("x --opps 3", "")
