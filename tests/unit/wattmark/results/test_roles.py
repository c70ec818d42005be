"""Energy of the hosts of a role beside that of the whole deployment; all figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from wattmark.results.evaluate import evaluate
from wattmark.results.result import Result
from wattmark.runs.record import MeterRecord, StatedFigure

from tests.stored_run import make_run

from ..conftest import WALL, MemoryStore

SECONDS = 120


def _evaluate(roles: dict[str, str | None], watts: dict[str, float], **fields: Any) -> Result:
    """200 generated tokens and 1000 of prompts a second, in prompts of 500."""
    meters = tuple(MeterRecord(**WALL | {"name": name, "host_role": role}) for name, role in roles.items())
    made: dict[str, Any] = {
        "unit": "tokens",
        "source_figures": (
            StatedFigure(name="prompt tokens", value=1000, unit="tokens/s"),
            StatedFigure(name="requests", value=2, unit="requests/s"),
        ),
        **fields,
    }
    run = make_run("r1", window_s=SECONDS, amount=200, meters=meters, server="s1", **made)
    store, rng = MemoryStore(), np.random.default_rng(5)
    t_s = np.arange(-20.0, SECONDS + 20)
    for name, level in watts.items():
        store.add("r1", name, "power", t_s, level + rng.normal(0, 0.5, len(t_s)))
    return evaluate(run, store)


def test_each_role_has_the_energy_of_its_meters() -> None:
    """100 and 200 W of prefill, 500 W of decode are 300 and 500 of 800 W: 0.3 J a prompt token, 2.5 a generated one."""
    roles: dict[str, str | None] = {"p1": "prefill", "p2": "prefill", "d": "decode"}
    result = _evaluate(roles, {"p1": 100.0, "p2": 200.0, "d": 500.0})
    assert result.energy_j == pytest.approx(800 * SECONDS, rel=1e-3)
    assert result.energy_per_op is not None
    assert result.energy_per_op.value == pytest.approx(4.0, rel=1e-3)  # of the whole deployment
    prefill, decode = result.role_energies
    assert (prefill.role, prefill.meters, prefill.work) == ("prefill", ("p1", "p2"), "prompt tokens")
    assert prefill.energy.value == pytest.approx(300 * SECONDS, rel=1e-3)
    assert prefill.share_pct == pytest.approx(37.5, rel=1e-3)
    assert prefill.per_work is not None
    assert prefill.per_work.value == pytest.approx(0.3, rel=1e-3)
    assert (decode.role, decode.work) == ("decode", "generated tokens")
    assert decode.per_work is not None
    assert decode.per_work.value == pytest.approx(2.5, rel=1e-3)
    assert decode.share_pct == pytest.approx(62.5, rel=1e-3)
    assert prefill.energy.value + decode.energy.value == pytest.approx(result.energy_j, rel=1e-9)


def test_a_role_of_neither_kind_of_token_has_its_energy_alone() -> None:
    result = _evaluate({"p": "prefill", "r": "router"}, {"p": 100.0, "r": 50.0})
    assert [(role.role, role.work, role.per_work is None) for role in result.role_energies] == [
        ("prefill", "prompt tokens", False),
        ("router", "", True),
    ]


def test_another_kind_of_work_is_nobodys_alone() -> None:
    result = _evaluate({"p": "prefill", "d": "decode"}, {"p": 100.0, "d": 50.0}, unit="signs", source_figures=())
    assert [role.per_work for role in result.role_energies] == [None, None]


def test_without_roles_or_power_there_are_none() -> None:
    assert _evaluate({"p": None, "d": None}, {"p": 100.0, "d": 50.0}).role_energies == ()
    assert _evaluate({"p": "prefill", "d": "decode"}, {"p": 100.0}).role_energies == ()
