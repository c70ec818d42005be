"""The report: one whole file, nothing from outside, no label that acts, the same bytes."""

from __future__ import annotations

import io
import re
from collections import Counter
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.reports.facts import facts_of
from wattmark.reports.figures.plot import Plot, PlotSeries
from wattmark.reports.figures.slot_board import Board
from wattmark.reports.files import report_file
from wattmark.reports.files.report_file import write_report
from wattmark.reports.report import Chapter, Report, Section, Stat
from wattmark.tables.table import Column, Table

from tests.examples import examples

SERIES = PlotSeries("Runs", "points", (1.0, 2.0), (3.0, 4.0))
PLOT = Plot("memory", "Watts", "DIMMs", "Power [W]", (SERIES,), "A DIMM costs 6 W.", span=(1.0, 2.0))
NASTY = "<script>alert(1)</script> \" onload=x ' & </svg> --> $x$"


def report(text: str, plots: tuple[Plot, ...] = ()) -> Report:
    table = Table("t", text, (Column("a", text),), ((text,),), (text,))
    facts = facts_of(text, {text: {"b": [text]}})
    board = Board(text, ({"slot": text, "channel": text, "type": text},), text)
    section = Section(
        "one", f"1 {text}", (text,), (table,), plots, lead=text, stats=(Stat(text, text, f"1 {text}"),), facts=(facts,),
        boards=(board,), terms=((f"1 {text}", text),), folded=(table, facts),
    )  # fmt: skip
    other = Section("two", text, (), (table,), plots, screen_only=True)
    return Report(text, text, 1, (Chapter.of(section), Chapter.of(other)))


def written(report: Report) -> bytes:
    file = io.BytesIO()
    write_report(report, file)
    return file.getvalue()


class Tags(HTMLParser):
    """Collect what a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs


def read(content: bytes) -> Tags:
    tags = Tags()
    tags.feed(content.decode())
    return tags


def test_two_figures_fit_into_one_document_and_the_bytes_repeat() -> None:
    made = written(report("plain", (PLOT, PLOT)))
    assert made == written(report("plain", (PLOT, PLOT)))
    tags = read(made)
    assert tags.tags["svg"] == 5
    ids = Counter(value for name, value in tags.attributes if name == "id")
    assert [name for name, number in ids.items() if number > 1] == []
    asked = re.findall(rb'(?:href="#|url\(#)([^")]+)', made)
    assert {name.decode() for name in asked} <= set(ids)


def test_nothing_comes_from_outside_and_a_policy_forbids_it() -> None:
    tags = read(written(report("plain", (PLOT,))))
    assert not tags.tags.keys() & {"script", "link", "img", "iframe", "object", "form"}
    assert [v for n, v in tags.attributes if n in ("src", "href", "xlink:href") and not (v or "").startswith("#")] == []
    assert any(name == "content" and "default-src 'none'" in (value or "") for name, value in tags.attributes)


def test_labels_do_not_act() -> None:
    plot = Plot(
        "p", NASTY, NASTY, NASTY, (PlotSeries(NASTY, "band", (1.0, 2.0), (1.0, 2.0), (0.0, 1.0), (2.0, 3.0)),), NASTY
    )
    made = written(report(NASTY, (plot,)))
    tags = read(made)
    assert tags.tags["script"] == 0
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
    assert tags.tags["svg"] == made.count(b"</svg>") == 3


@settings(deadline=None, max_examples=examples(30))
@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_any_text_leaves_the_structure_as_it_is(text: str) -> None:
    plain, made = read(written(report("plain"))), read(written(report(text)))
    assert made.tags["table"] == plain.tags["table"]
    assert made.tags["section"] == 2
    assert made.tags["script"] == 0


def test_without_matplotlib_the_caption_says_how_to_get_the_figure(monkeypatch) -> None:
    monkeypatch.setitem(report_file.write_figure.__globals__, "require", _missing)
    made = written(report("plain", (PLOT,))).decode()
    assert "<svg" not in made.replace('<svg class="slots"', "")
    assert "A DIMM costs 6 W. (The figure is omitted." in made
    assert "wattmark[figures]" in made


def _missing(extra: str, module: str, title: str) -> None:
    from wattmark.core.errors import InputError

    raise InputError(f"{title} the Python package {module}.", f"Install it with: pip install 'wattmark[{extra}]'.")


def test_on_paper_folded_parts_are_omitted_and_on_a_screen_closed() -> None:
    tags = read(written(report("plain")))
    assert tags.tags["details"] == 3
    assert not [name for name, _ in tags.attributes if name == "open"]


def test_minus_signs_of_numbers_are_true_and_hyphens_of_words_stay() -> None:
    columns = (Column("a", "A", kind="number"), Column("b", "B"), Column("c", "C", kind="time"))
    table = Table("t", "T", columns, ((-1.5, "half-split", "2026-11-23T03:31:46+00:00"),))
    made = written(Report("r", "r", 1, (Chapter.of(Section("one", "One", tables=(table,))),))).decode()
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", made)
    assert cells == ["\N{MINUS SIGN}1.5", "half-split", "23 Nov 2026, 03:31:46 UTC"]
