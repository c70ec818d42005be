"""Tables on the command line, from a real store: the right choice, the right figures, the same bytes twice."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest
from wattmark.results.data_folder import open_storage

from .conftest import DIMMS, EXTRAPOLATED, MEANS, rows, store_run


def test_compare_chooses_what_most_configurations_ran_and_says_so(wattmark, data: Path) -> None:
    code, out, err = wattmark("compare", "--data", data, "--format", "csv")
    assert code == 0
    assert "Compared: rsa, 4 processes (3 measured configurations)." in err
    table = rows(out)
    assert [row["dimm_count"] for row in table] == ["2", "4", "8"]
    assert float(table[0]["efficiency"]) == pytest.approx(4000 / 252, rel=2e-3)


def test_compare_holds_all_against_the_baseline(wattmark, data: Path) -> None:
    _, out, _ = wattmark("compare", "--data", data, "--baseline", "s1/dimm-8", "--format", "csv")
    by_key = {row["key"]: row for row in rows(out)}
    assert by_key["s1/dimm-8"]["ratio"] == ""
    assert float(by_key["s1/dimm-2"]["ratio"]) == pytest.approx(288 / 252, rel=2e-3)


@pytest.fixture(scope="module")
def two_servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three repeats of 2, 4 and 8 DIMMs in each of two servers."""
    folder = tmp_path_factory.mktemp("two-servers")
    storage = open_storage(folder)
    for server in ("s1", "s2"):
        for dimms in (2, 4, 8):
            for repeat in (1, 2, 3):
                store_run(storage, dimms, 4, repeat, server)
    storage.close()
    return folder


@pytest.mark.parametrize(("options", "pairs"), [((), 15), (("--server", "s2"), 3), (("--top", "2"), 1)])
def test_pairs_are_those_of_the_rows(wattmark, two_servers: Path, options, pairs: int) -> None:
    """Six configurations are 15 pairs, three are 3, and the two best are 1."""
    command = ("compare", *options, "--data", two_servers, "--format", "json")
    plain, described = (json.loads(wattmark(*command, *more)[1]) for more in ((), ("--pairs",)))
    verdicts = described["footnotes"][len(plain["footnotes"]) :]
    assert len(verdicts) == pairs
    assert {row["verdict"] for row in plain["rows"] if row["verdict"]} <= set(verdicts), "in the same words"


def test_compare_at_another_level(wattmark, data: Path) -> None:
    code, out, err = wattmark(
        "compare", "--data", data, "--workload", "rsa", "--level", "1 process", "--format", "json"
    )
    assert (code, err) == (0, "")
    assert [row["key"] for row in json.loads(out)["rows"]] == ["s1/dimm-4"]


def test_memory_tells_the_planted_watts_per_dimm(wattmark, data: Path) -> None:
    code, out, err = wattmark("memory", "--data", data, "--format", "json")
    assert code == 0
    assert "Shown: s1, rsa, 4 processes." in err
    document = json.loads(out)
    assert len(document["rows"]) == 9
    slope = float(document["footnotes"][0].split("costs ")[1].split(" W")[0])
    assert slope == pytest.approx(6, abs=0.3)


def test_numbers_of_the_fit_have_a_table_of_their_own(wattmark, data: Path) -> None:
    """Planted: 240 W + 6 W per DIMM at four processes."""
    _, out, _ = wattmark("table", "memory-fit", "--claim", "5", "--data", data, "--format", "csv")
    by_quantity = {row["quantity"]: row for row in rows(out)}
    slope = by_quantity["Watts per DIMM at the wall"]
    assert float(slope["low"]) < 6 < float(slope["high"])
    assert float(by_quantity["Watts without DIMMs"]["value"]) == pytest.approx(240, abs=1)
    assert float(by_quantity["Claimed watts per DIMM"]["value"]) == 5


def test_scaling_shows_levels_and_their_speed_up(wattmark, data: Path) -> None:
    code, out, err = wattmark("scaling", "--data", data, "--format", "csv")
    assert code == 0
    assert "Shown: s1/dimm-4, rsa." in err
    assert [row["count"] for row in rows(out)] == ["1", "2", "4"]
    assert [float(row["speed_up"]) for row in rows(out)] == pytest.approx([1, 2, 4], rel=1e-3)


def test_table_lists_published_tables_and_prints_each_without_a_data_folder(wattmark) -> None:
    _, out, _ = wattmark("table", "--format", "csv")
    names = [row["name"] for row in rows(out)]
    assert names[0] == "results"
    for name in (name for name in names if "." in name):
        code, out, err = wattmark("table", name, "--format", "csv")
        assert (code, err) == (0, "")
        assert len(out.splitlines()) > 1


def test_table_of_results_is_that_of_the_command_results(wattmark, data: Path) -> None:
    _, by_name, _ = wattmark("table", "results", "--data", data, "--format", "csv")
    _, results, _ = wattmark("results", "--data", data, "--format", "csv")
    assert by_name == results
    assert len(rows(results)) == 15


def test_factors_that_differ_can_be_compared(wattmark, data: Path) -> None:
    _, out, _ = wattmark("table", "factors", "--data", data, "--format", "csv")
    values = {row["factor"]: row["values"] for row in rows(out)}
    assert values["memory.dimm_count"] == "2; 4; 8"
    assert values["level"] == "1 process; 2 processes; 4 processes"
    _, out, _ = wattmark("table", "deltas", "--data", data, *DIMMS, "--format", "json")
    document = json.loads(out)
    (row,) = document["rows"]
    assert row["delta_pct"] == pytest.approx(100 * (288 / 252 - 1), abs=0.2)
    assert row["delta_low_pct"] < row["delta_pct"] < row["delta_high_pct"]
    assert document["footnotes"][0].startswith("Power at memory.dimm_count 8 against 2: +14.")


def test_multiples_and_load_levels(wattmark, data: Path) -> None:
    _, out, _ = wattmark("table", "normalised", "--data", data, "--baseline", "s1/dimm-2", "--format", "csv")
    factors = {row["key"]: float(row["factor"]) for row in rows(out)}
    assert factors == pytest.approx({"s1/dimm-2": 1, "s1/dimm-4": 252 / 264, "s1/dimm-8": 252 / 288}, rel=2e-3)
    _, out, _ = wattmark("table", "load-levels", "--data", data, "--format", "json")
    document = json.loads(out)
    assert [round(row["load_pct"]) for row in document["rows"]] == [100, 50, 25]
    assert any("needs full load (100 %) and active idle" in note for note in document["footnotes"])


def test_geometric_means_of_the_upper_levels(wattmark, data: Path) -> None:
    """2000 signs/s at 244 W and 4000 at 264 W; 252 W with two modules fewer."""
    _, out, _ = wattmark(*MEANS, "--baseline", "s1/dimm-4", "--data", data, "--format", "json")
    document = json.loads(out)
    by_key = {row["key"]: row for row in document["rows"]}
    assert by_key["s1/dimm-4"]["levels"] == 2
    assert by_key["s1/dimm-4"]["efficiency"] == pytest.approx((2000 / 244 * 4000 / 264) ** 0.5, rel=2e-3)
    assert by_key["s1/dimm-2"]["factor"] == pytest.approx(264 / 252, rel=2e-3)


@pytest.mark.parametrize(
    ("command", "chosen"),
    [
        (["compare", "--smallest", "0.5"], {"smallest relevant difference": "0.5 %", "window rule": "complete"}),
        (["compare", "--figure", "power", "--window-rule", "mlperf"], {"figure": "power", "window rule": "mlperf"}),
        (["memory", "--claim", "6", "--margin", "0.5"], {"claim": "6 W per DIMM"}),
        (["scaling", "--from", "2"], {"average over levels from": "2"}),
        (["table", "deltas", *DIMMS], {"factor": "memory.dimm_count"}),
    ],
)
def test_methods_sheet_tells_what_was_chosen(wattmark, data: Path, tmp_path: Path, command, chosen) -> None:
    assert wattmark(*command, "--data", data, "--format", "xlsx", "-o", tmp_path / "x.xlsx")[0] == 0
    methods = openpyxl.load_workbook(tmp_path / "x.xlsx")["Methods"]
    methods_by_term = {str(term): text for term, text in methods.iter_rows(values_only=True)}
    assert {name: methods_by_term.get(f"chosen: {name}") for name in chosen} == chosen


def test_another_claim_and_another_limit_change_the_verdicts(wattmark, data: Path) -> None:
    """Planted: 6 W per DIMM, and 4.8 % between 4 and 2 DIMMs."""
    _, nothing, _ = wattmark("memory", "--data", data, "--format", "json")
    assert b"Claim rejected" not in nothing
    assert b"equal to the claim" not in nothing
    _, five, _ = wattmark("memory", "--claim", "5", "--data", data, "--format", "json")
    _, six, _ = wattmark("memory", "--claim", "6", "--data", data, "--format", "json")
    assert b"Claim rejected: not 5 W per DIMM" in five
    assert b"Claim rejected" not in six
    _, wide, _ = wattmark("compare", "--smallest", "20", "--data", data, "--format", "json")
    assert b"smaller than the 20 % that matter" in wide


def test_extrapolation_says_on_every_row_that_it_was_not_measured(wattmark, data: Path) -> None:
    _, out, _ = wattmark(*EXTRAPOLATED, "--data", data, "--format", "csv")
    table = rows(out)
    assert {row["kind"] for row in table if float(row["at [at once]"]) > 4} == {"extrapolated, not measured"}
    assert {row["marks"] for row in table if float(row["at [at once]"]) > 4} == {"extrapolated, not measured"}
    assert {row["marks"] for row in table if float(row["at [at once]"]) <= 4} == {""}
    line = next(row for row in table if row["model"].startswith("Straight line: "))
    # The count of the repeat is one operation in 10 000 more for each process.
    assert float(line[next(key for key in line if key.startswith("throughput ["))]) == pytest.approx(8000, rel=2e-3)


@pytest.mark.parametrize("command", ["results", "compare", "memory", "scaling"])
def test_table_fits_a_hundred_columns(wattmark, data: Path, command: str) -> None:
    code, out, _ = wattmark(command, "--data", data)
    assert code == 0
    assert max(map(len, out.decode().splitlines())) <= 100
    assert "±" in out.decode()


def test_results_can_be_those_of_a_server_a_workload_and_a_level(wattmark, data: Path) -> None:
    _, out, _ = wattmark("results", "--level", "1 process", "--server", "s1", "--data", data, "--format", "csv")
    assert [row["level"] for row in rows(out)] == ["1 process"] * 3
    _, out, _ = wattmark("results", "--level", "1 process", "--data", data, "--format", "json")
    assert len(json.loads(out)["results"]) == 3
    code, _, err = wattmark("results", "--workload", "none", "--data", data)
    assert code == 2
    assert "No run matches workload 'none'." in err
    assert "Workloads: rsa" in err


def test_compare_can_be_of_one_server(wattmark, data: Path) -> None:
    _, of_server, _ = wattmark("compare", "--server", "s1", "--data", data, "--format", "csv")
    _, of_all, _ = wattmark("compare", "--data", data, "--format", "csv")
    assert of_server == of_all
    code, _, err = wattmark("compare", "--server", "s9", "--data", data)
    assert code == 2
    assert "Servers: s1." in err


def test_columns_can_be_chosen(wattmark, data: Path) -> None:
    _, out, _ = wattmark("compare", "--columns", "title,dimm_count", "--data", data, "--format", "csv")
    assert list(rows(out)[0]) == ["title", "dimm_count", "marks"]
    _, out, _ = wattmark("compare", "--columns", "dimm_count", "--data", data, "--format", "md")
    assert out.decode().splitlines()[2].startswith("| DIMMs |")
    code, _, err = wattmark("compare", "--columns", "watts", "--data", data)
    assert code == 2
    assert "no column 'watts'" in err


def test_all_columns_are_printed_when_asked_for(wattmark, data: Path) -> None:
    _, paper, _ = wattmark("results", "--data", data, "--format", "md")
    _, full, _ = wattmark("results", "--wide", "--data", data, "--format", "md")
    assert "| Window rule |" not in paper.decode()
    assert "| Window rule |" in full.decode()
