"""`wattmark mcp` answers the official client over stdio: figures with ± or the reason, and it changes nothing."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wattmark
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from wattmark.core.errors import InputError
from wattmark.reading import answers
from wattmark.reading.mcp_server import mcp_server
from wattmark.results.data_folder import open_storage

from tests.marked_lab import LOOSE, LOST, PLAIN, SIMULATED, WORKLOAD, store_marked_lab
from tests.stored_run import PLUG_METER, make_run, store_readings

from .places import pack

PROGRAM = Path(sys.executable).with_name("wattmark")
TOOLS = {"list_runs", "list_comparisons", "compare", "explain_budget"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marked") / "data"
    store_marked_lab(folder)
    pack(folder, folder.parent / "runs.zip")
    return folder


def figures(answer: Any) -> Iterator[dict[str, Any]]:
    """Find every figure in an answer."""
    if isinstance(answer, dict):
        if {"value", "unit", "U95"} <= answer.keys():
            yield answer
        for part in answer.values():
            yield from figures(part)
    elif isinstance(answer, list):
        for part in answer:
            yield from figures(part)


@pytest.mark.anyio
@pytest.mark.parametrize("place", ["data", "runs.zip"])
async def test_the_official_client_gets_every_figure_with_its_uncertainty_or_the_reason(data: Path, place: str) -> None:
    before = hashlib.sha256((data / "wattmark.db").read_bytes()).hexdigest()
    where = StdioServerParameters(command=str(PROGRAM), args=["mcp", str(data.parent / place)])
    async with Client(where) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)

        async def ask(tool: str, **arguments: Any) -> Any:
            answer = await client.call_tool(tool, arguments)
            assert not answer.is_error, answer.content
            return answer.structured_content

        listed = await ask("list_runs", limit=200)
        compared = await ask("compare", workload=WORKLOAD, level="100 %")
        budgets = [await ask("explain_budget", run=f"{PLAIN}-0027", figure=name) for name in ("power", "efficiency")]
        stated = [figure for answer in (listed, compared, *budgets) for figure in figures(answer)]
        assert len(stated) > 100
        assert all(figure["unit"] for figure in stated)
        assert [figure for figure in stated if figure["U95"] is None and not figure["remark"]] == []

        refused = await client.call_tool("explain_budget", {"run": "none"})
        assert refused.is_error
        assert "There is no run 'none'" in refused.content[0].text
    assert hashlib.sha256((data / "wattmark.db").read_bytes()).hexdigest() == before


def test_figures_are_those_of_the_result(data: Path) -> None:
    place = wattmark.read(data)
    for run in answers.list_runs(place, server=PLAIN).runs:
        result = place.result(run.run_id)
        for figure, quantity in ((run.power, result.power), (run.work_per_joule, result.efficiency)):
            assert (figure.value, figure.unit, figure.U95, figure.u) == (
                quantity.value, quantity.unit, quantity.U95, quantity.u,
            )  # fmt: skip
        budget = answers.explain_budget(place, run.run_id, "power")
        assert sum(term.u**2 for term in budget.terms) == pytest.approx(budget.figure.u**2), "GUM, 5.1.2"
        assert sum(term.share_pct for term in budget.terms) == pytest.approx(100)


def test_runs_are_found_page_by_page(data: Path) -> None:
    place = wattmark.read(data)
    first = answers.list_runs(place, text=f"{WORKLOAD} {PLAIN}", limit=4)
    rest = answers.list_runs(place, text=f"{WORKLOAD} {PLAIN}", limit=4, offset=first.next_offset or 0)
    assert (first.total, first.matching, first.next_offset, rest.next_offset) == (45, 7, 4, None)
    created = [run.created for run in (*first.runs, *rest.runs)]
    assert created == sorted(created, reverse=True)
    assert answers.list_runs(place, level="50 %").matching == 4


def test_what_has_no_uncertainty_says_why(data: Path) -> None:
    place = wattmark.read(data)
    loose = answers.list_runs(place, server=LOOSE).runs[0]
    assert loose.power.U95 is None
    assert "neither specification nor certificate" in loose.power.remark
    lost = answers.list_runs(place, server=LOST).runs[0]
    assert lost.power is None
    assert "lost" in lost.state
    with pytest.raises(InputError, match="has no power"):
        answers.explain_budget(place, lost.run_id, "power")
    compared = answers.compare(place, WORKLOAD, "100 %")
    assert compared.statement.startswith("“plain-1 · 2 modules” shows the most work per joule")
    by_kind = {
        kind: [each for each in compared.configurations if each.kind == kind] for kind in ("published", "measured")
    }
    assert by_kind["published"]
    assert all(each.figure is None or each.figure.U95 is None for each in by_kind["published"])
    assert all(each.ratio is None or each.ratio.low is None for each in by_kind["published"])
    assert {each.kind for each in compared.configurations if each.key.startswith(SIMULATED)} == {"simulated"}
    assert [each.key for each in by_kind["measured"] if each.figure and each.figure.U95 is not None]


def test_a_figure_without_uncertainty_and_reason_cannot_be_stated() -> None:
    with pytest.raises(ValueError, match="needs the reason"):
        answers.Figure(value=1.0, unit="W")


def test_without_the_extra_it_says_what_to_install(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    with pytest.raises(InputError) as missing:
        mcp_server(wattmark.read(data))
    assert missing.value.remedy == "Install it with: pip install 'wattmark[mcp]'."


def test_where_there_are_no_runs_the_command_says_so(tmp_path: Path) -> None:
    done = subprocess.run([PROGRAM, "mcp", tmp_path], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "There are no runs" in done.stderr
    assert done.stdout == ""


def test_what_is_not_in_the_uncertainty_of_work_is_said_with_it(tmp_path: Path) -> None:
    """10.5 operations: counting has no ± here, so that of work per joule is that of power alone."""
    storage = open_storage(tmp_path)
    run = make_run("r1", window_s=60, amount=10.5, meters=(PLUG_METER,))
    store_readings(storage, run, range(-2, 63), [200.0 + 0.1 * (second % 7) for second in range(65)])
    storage.runs.put(run)
    storage.close()
    place = wattmark.read(tmp_path)
    (listed,) = answers.list_runs(place).runs
    assert listed.work_per_joule.U95 is not None
    assert "that of power alone" in listed.work_per_joule.remark
    assert listed.power.remark is None
    assert "that of power alone" in answers.explain_budget(place, "r1", "efficiency").figure.remark
