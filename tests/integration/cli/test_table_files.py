"""The files that tables, figures and reports become: the same bytes each time, or one line with a remedy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import DIMMS, EXTRAPOLATED, MEANS

FORMATS = ["table", "json", "csv", "md", "tex", "html", "tsv", "xlsx", "parquet"]
COMMANDS = [
    ["compare"], ["memory"], ["scaling"], ["table", "results"], ["table", "deltas", *DIMMS], EXTRAPOLATED, MEANS,
]  # fmt: skip


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("command", COMMANDS)
def test_repetition_gives_the_same_bytes(wattmark, data: Path, tmp_path: Path, command: list[str], kind: str) -> None:
    outs = []
    for name in ("a", "b"):
        code, out, err = wattmark(*command, "--data", data, "--format", kind)
        assert code == 0, err
        assert wattmark(*command, "--data", data, "--format", kind, "-o", tmp_path / name)[0] == 0
        outs.append(out)
    assert outs[0] == outs[1]
    assert outs[0]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert kind == "table" or (tmp_path / "a").read_bytes() == outs[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", "--workload", "nothing"], "Nothing ran workload 'nothing'"),
        (["compare", "--baseline", "s1/none"], "There is no 's1/none' in this comparison"),
        (["memory", "--server", "s9"], "No run matches server 's9'"),
        (["memory", "--server", "s1", "--against", "s9"], "'s9' did not run rsa at 4 processes"),
        (["scaling", "--configuration", "s1/none"], "No run matches configuration 's1/none'"),
        (["table", "none"], "There is no table 'none'"),
        (["table", "deltas"], "needs a factor"),
        (["table", "deltas", "--factor", "memory.dimm_count"], "memory.dimm_count has 3 values"),
        (["table", "extrapolated"], "needs a target"),
        (["table", "extrapolated", "--axis", "load", "--target", "3"], "within the measured range"),
        (["table", "extrapolated", "--target", "-1"], "--target: "),
        (["compare", "--smallest", "90"], "--smallest: "),
        (["compare", "--top", "0"], "--top: it must be greater than or equal to 1."),
        (["memory", "--claim", "0"], "--claim: "),
        (["scaling", "--from", "-2"], "--from: "),
        (["table", "geometric-means", "--from", "9"], "No level is 9 or higher"),
        (["table", "normalised", "--baseline", "s1/none"], "no configuration 's1/none'"),
    ],
)
def test_wrong_input_is_one_line_with_a_remedy(wattmark, data: Path, arguments: list[str], words: str) -> None:
    code, out, err = wattmark(*arguments, "--data", data)
    assert (code, out) == (2, b"")
    cause, remedy = [line for line in err.splitlines() if not line.startswith(("Compared", "Shown"))]
    assert cause.startswith("wattmark: ")
    assert words in cause
    assert remedy.strip()


@pytest.mark.parametrize("command", ["compare", "memory", "scaling", "results"])
def test_folder_without_results_is_wrong_input(wattmark, tmp_path: Path, command: str) -> None:
    code, _, err = wattmark(command, "--data", tmp_path)
    assert code == 2
    assert "There are no results in" in err


def test_file_that_cannot_be_written_fails_the_work(wattmark, data: Path, tmp_path: Path) -> None:
    code, _, err = wattmark("compare", "--data", data, "--format", "csv", "-o", tmp_path / "none" / "x.csv")
    assert code == 1
    assert "Cannot write" in err


def test_report_discloses_configuration_meters_verdicts_and_figures(wattmark, data: Path, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        code, out, err = wattmark("report", "--data", data, "--run", "2-4-1", "--run", "8-4-1", "-o", tmp_path / name)
        assert (code, out, err) == (0, b"", "")
    made = (tmp_path / "a.html").read_text()
    assert made == (tmp_path / "b.html").read_text()
    for words in ("8 FB-DIMMs", "Watts Up? PRO", "1.5 % of reading", "checks", "Uncertainty budget of power", "<svg"):
        assert words in made
    assert made.count("<h3>Run ") == 2
    code, _, err = wattmark("report", "--data", data, "--campaign", "none", "-o", tmp_path / "c.html")
    assert code == 2
    assert "no runs of a campaign 'none'" in err
    assert not (tmp_path / "c.html").exists()


@pytest.mark.parametrize("name", ["compare", "memory", "scaling", "load-levels"])
def test_figures_are_written_by_the_ending_of_the_name(wattmark, data: Path, tmp_path: Path, name: str) -> None:
    code, _, err = wattmark("figure", name, "--data", data, "-o", tmp_path / "x.pdf")
    assert code == 0
    assert err.strip()
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF-")


def test_figure_of_an_unknown_ending_names_the_known_ones(wattmark, data: Path, tmp_path: Path) -> None:
    code, _, err = wattmark("figure", "compare", "--data", data, "-o", tmp_path / "x.jpg")
    assert code == 2
    assert "'jpg'" in err
    assert ".svg, .pdf, .png" in err
    assert not (tmp_path / "x.jpg").exists()


@pytest.mark.parametrize(
    ("command", "name", "words"),
    [
        (["results"], "x.pdf", "A table is not available as 'pdf'."),
        (["compare", "--format", "csv"], "x.tex", "A table in the format csv is not available as 'tex'."),
        (["memory", "--json"], "x.csv", "A table in the format json is not available as 'csv'."),
        (["table"], "x.jpg", "A table is not available as 'jpg'."),
        (["diff", "2-4-1", "8-4-1"], "x.png", "A table is not available as 'png'."),
        (["alarms"], "x.svg", "A table is not available as 'svg'."),
        (["report"], "x.pdf", "A report is not available as 'pdf'. "),
        (["archive", "--all"], "x.csv", "An archive is not available as 'csv'."),
        (["results", "--json", "--format", "csv"], "x", "--json and --format csv exclude each other."),
        (["results", "--format", "xlsx"], "x.txt", "A table in the format xlsx is not available as 'txt'."),
        (["diff", "2-4-1", "8-4-1", "--json"], "x.csv", "A table in the format json is not available as 'csv'."),
        (["alarms", "--json", "--format", "md"], "x", "--json and --format md exclude each other."),
        (["audit", "--json"], "x.html", "A table in the format json is not available as 'html'."),
    ],
)
def test_a_name_that_promises_another_format_is_refused_and_nothing_is_written(
    wattmark, data: Path, tmp_path: Path, command: list[str], name: str, words: str
) -> None:
    place = [] if command == ["table"] else ["--data", data]
    code, out, err = wattmark(*command, *place, "-o", tmp_path / name)
    assert code == 2
    assert not out or json.loads(out)["error"]["cause"] in err
    assert words in f"{err.splitlines()[0]} "
    assert not (tmp_path / name).exists()


def test_the_ending_of_a_name_is_its_format_and_any_other_name_is_the_users(
    wattmark, data: Path, tmp_path: Path
) -> None:
    _, expected, _ = wattmark("results", "--data", data, "--format", "csv")
    assert wattmark("results", "--data", data, "-o", tmp_path / "x.csv")[0] == 0
    assert (tmp_path / "x.csv").read_bytes() == expected
    assert wattmark("results", "--data", data, "-o", tmp_path / "v1.2-draft")[0] == 0
    assert (tmp_path / "v1.2-draft").read_text().startswith("# Results\n")


@pytest.mark.parametrize("ending", ["txt", "log"])
def test_plain_text_is_any_format_that_is_text_and_markdown_by_default(
    wattmark, data: Path, tmp_path: Path, ending: str
) -> None:
    output = tmp_path / f"t.{ending}"
    for kind in ("csv", "tsv", "md", "json", "tex", "html"):
        assert wattmark("results", "--data", data, "--format", kind, "-o", output)[0] == 0
        assert output.read_bytes() == wattmark("results", "--data", data, "--format", kind)[1]
    assert wattmark("results", "--data", data, "-o", output)[0] == 0
    assert output.read_text().startswith("# Results\n")


@pytest.mark.parametrize(
    "command", [*COMMANDS, ["results"], ["sheet"], ["table"], ["alarms"], ["audit"], ["diff", "2-4-1", "8-4-1"]]
)
def test_json_is_an_option_of_every_table(wattmark, data: Path, tmp_path: Path, command: list[str]) -> None:
    place = [] if command in (["sheet"], ["table"]) else ["--data", data]
    code, out, _ = wattmark(*command, *place, "--json")
    assert code == 0
    assert out == wattmark(*command, *place, "--format", "json")[1]
    assert isinstance(json.loads(out), dict | list)
    for name in ("x.json", "x.txt", "x"):
        assert wattmark(*command, *place, "--json", "-o", tmp_path / name)[:2] == (0, b"")
        assert (tmp_path / name).read_bytes() == out


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["memory", "--server", "node"], "Servers: s1."),
        (["compare", "--level", "4 proceses"], "Did you mean '4 processes' or "),
        (["compare", "--level", "85 %"], "Levels: '4 processes', "),
        (["compare", "--columns", "effic"], "Did you mean efficiency or "),
        (["results", "--level", "4"], "Did you mean '4 processes'?"),
        (["scaling", "--configuration", "s1/dim-4"], "Did you mean s1/dimm-4"),
        (["table", "load-level"], "Did you mean load-levels?"),
        (["sheet", "procurment"], "Did you mean procurement?"),
        (["archive", "-o", "x.zip"], "Add --all, --campaign ID, or the ids of runs."),
    ],
)
def test_a_name_that_is_nearly_right_is_asked_for(wattmark, data: Path, arguments: list[str], remedy: str) -> None:
    code, _, err = wattmark(*arguments, "--data", data)
    assert code == 2
    assert remedy in err


def test_figure_of_a_run_shows_its_power(wattmark, data: Path) -> None:
    code, out, _ = wattmark("figure", "run", "--run", "2-4-1", "--data", data)
    assert code == 0
    assert b"<svg" in out
    assert wattmark("figure", "run", "--data", data)[0] == 2


def test_program_starts_without_the_slow_parts_of_scipy() -> None:
    check = "import sys, wattmark.cli; print([m for m in ('scipy.stats', 'scipy.optimize') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, timeout=240)
    assert done.stdout.strip() == "[]"
