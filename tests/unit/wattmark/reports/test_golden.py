"""One small delta table in every text format, written by hand as the format's own rules want it."""

from __future__ import annotations

import csv
import io
import json
import re

import openpyxl
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.comparison.factors.factor_tables import deltas_table
from wattmark.comparison.factors.table_views import DeltaRow, DeltasOut
from wattmark.core.interval import Interval
from wattmark.tables.formats import write
from wattmark.tables.table import Table

from tests.examples import examples


def table(label: str = "xeon") -> Table:
    """MySQL of AnandTech 2006 on one and two Opteron 275: 749 to 590 is -21.2 %."""
    delta_pct = Interval(value=-21.25, low=-22.5, high=-20.0)
    row = DeltaRow(
        others=None, workload="mysql", level="mean", new_key=label, old_key="one", new=Interval(value=590.0),
        old=Interval(value=749.0), unit="queries/s", n_new=1, n_old=1, factor=590 / 749, delta_pct=delta_pct,
        shown="-21.3 %", simulated=False, traceable=False,
    )  # fmt: skip
    view = DeltasOut(
        figure="throughput", factor="cpu.sockets", new="2", old="1", equal="", rows=[row], mean_of_deltas_pct=delta_pct,
        delta_of_means_pct=None, geometric_mean_pct=delta_pct, statement="Said.", simulated=False, remarks=[],
    )  # fmt: skip
    return deltas_table(view)


def test_csv() -> None:
    head, row, *rest = write(table(), "csv").decode().split("\r\n")
    assert head == (
        "workload,level,others,new_key,old_key,new,new_U95,old,old_U95,unit,n_new,n_old,delta,delta_pct,interval,"
        "delta_low_pct,delta_high_pct,factor,marks,remark"
    )
    figures = f"590.0,,749.0,,queries/s,1,1,'-21.3 %,-21.25,'-22.5 % to -20.0 %,-22.5,-20.0,{590 / 749!r}"
    assert row == f"mysql,mean,,xeon,one,{figures},not traceable,"
    assert rest == [""]


def test_markdown() -> None:
    lines = write(table(), "md").decode().splitlines()
    assert lines[0] == "# Throughput: cpu.sockets 2 against 1"
    assert lines[2].startswith(
        "| Workload | Level | cpu.sockets 2 | cpu.sockets 1 | New [queries/s] | Old [queries/s] |"
    )
    assert lines[4] == "| mysql | mean | xeon | one | 590 | 749 | -21.3 % | -22.5 % to -20.0 % | not traceable |"
    assert "- Said." in lines


def test_latex() -> None:
    text = write(table("a_b%"), "tex").decode()
    assert r"mysql & mean & a\_b\% & one & 590 & 749 & -21.3 \% & -22.5 \% to -20.0 \%" in text
    assert r"\caption{Throughput: cpu.\allowbreak{}sockets 2 against 1.}" in text


def test_html() -> None:
    text = write(table("<b>"), "html").decode()
    assert "<h1>Throughput: cpu.sockets 2 against 1</h1>" in text
    assert "<td>&lt;b&gt;</td>" in text
    assert '<td class="number">590</td>' in text


def test_json() -> None:
    document = json.loads(write(table(), "json"))
    (row,) = document["rows"]
    assert (row["new"], row["delta_pct"], row["others"], row["marks"]) == (590.0, -21.25, None, "not traceable")
    assert {c["key"]: c["unit"] for c in document["columns"]}["delta_low_pct"] == "%"


@settings(deadline=None, max_examples=examples(40))
@given(
    st.sampled_from(["=", "+", "-", "@", "\t", "\r", "\\", "<script>", "$", "|", '"', "&", "\\input{x}", ""]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20),
)
def test_labels_of_runs_act_in_no_format(start: str, text: str) -> None:
    made = table(start + text)
    (row,) = list(csv.DictReader(io.StringIO(write(made, "csv").decode(), newline="")))
    assert not row["new_key"].startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert b"<script>" not in write(made, "html")
    assert r"\input{" not in write(made, "tex").decode()
    cells = openpyxl.load_workbook(io.BytesIO(write(made, "xlsx"))).worksheets[0]["D"]
    assert all(cell.data_type != "f" for cell in cells)
    assert len(re.findall(rb"^\| mysql ", write(made, "md"), re.MULTILINE)) == 1
