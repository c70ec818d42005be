from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from wattmark.comparison.published.article import Article
from wattmark.comparison.published.library import load_published, published_out

ROOT = Path(__file__).parents[5]
SEEDS = ROOT / "../shared/seeds"
FILES = {
    "anandtech-2006-woodcrest": "000_*.txt",
    "tweakers-2006-apollo5": "001_*.txt",
    "anandtech-2005-mysql": "002_*.txt",
    "bmseer-2007-2009": "003_*.txt",
    "linux-magazin-2003-hammer": "004_*.txt",
}
LIBRARY = load_published()
OWN_WORDS = {"hammer-bands"}
"""Tables whose numbers are converted (1,2 GByte/s to 1200 MB/s)."""


def test_five_articles_with_their_sources() -> None:
    assert [article.source.id for article in LIBRARY.articles] == list(FILES)
    assert all(article.source.title and article.source.site and article.source.date for article in LIBRARY.articles)


def test_maximum_power_table() -> None:
    article = LIBRARY.articles[0]
    assert article.power is not None
    assert {row.id: article.value(row.at) for row in article.power.rows} == {
        "t2000": 188,
        "opteron275he": 192,
        "opteron275": 239,
        "xeon5160": 245,
        "irwindale": 374,
    }


def test_every_figure_is_printed_or_says_why_not() -> None:
    for article in LIBRARY.articles:
        for workload in article.workloads:
            for figure in workload.figures:
                assert article.system(figure.system)
                assert (figure.at is None) == (figure.missing is not None)
                if figure.at:
                    assert article.value(figure.at) > 0


def test_power_belongs_only_to_figures_per_second() -> None:
    for article in LIBRARY.articles:
        powered = {system.id for system in article.systems if system.power}
        for workload in article.workloads:
            assert workload.rate_unit is None or not powered


def test_every_system_has_power_or_a_reason() -> None:
    for article in LIBRARY.articles:
        for system in article.systems:
            assert (article.power_row(system.power) is None) == (system.no_power is not None)


@pytest.mark.parametrize(
    ("source", "title", "role"),
    [
        ("anandtech-2006-woodcrest", "MSI K8T Master1-FAR, 2 x Opteron 850", "client"),
        ("anandtech-2006-woodcrest", "Supermicro SuperServer 6014P-32", "named"),
        ("tweakers-2006-apollo5", "Sun Fire X4200", "tested earlier"),
        ("tweakers-2006-apollo5", "MSI K9SD Master", "tested earlier"),
        ("anandtech-2005-mysql", "4 x Opteron 850", "client"),
        ("linux-magazin-2003-hammer", "IDE-SCSI RAID Axus 16012", "storage"),
    ],
)
def test_machines_without_figures_have_their_line(source: str, title: str, role: str) -> None:
    """The articles name them as clients, as disks, or as tested before; none has a figure."""
    article = next(article for article in LIBRARY.articles if article.source.id == source)
    (system,) = [system for system in article.systems if system.title == title]
    assert (system.role, system.power) == (role, None)
    assert system.place
    assert not [f for w in article.workloads for f in w.figures if f.system == system.id]
    (table,) = [table for table in published_out(LIBRARY).tables if table.id == f"{source}.systems"]
    (row,) = [row for row in table.rows if row[0] == title]
    assert row[-2:] == [role, system.place]


def test_ids_are_unique() -> None:
    figures = [f.id for a in LIBRARY.articles for w in a.workloads for f in w.figures]
    tables = [table.id for table in published_out(LIBRARY).tables]
    assert Counter(figures).most_common(1)[0][1] == 1
    assert Counter(tables).most_common(1)[0][1] == 1


def test_concurrency_table_is_complete() -> None:
    article = next(a for a in LIBRARY.articles if a.source.id == "anandtech-2005-mysql")
    table = next(t for t in article.tables if t.id == "mysql4-concurrency")
    assert [row[0] for row in table.rows] == ["1", "2", "5", "10", "20", "35", "50", "AVG", "MAX"]
    assert len(table.columns) == 10
    assert table.cell("20", "Dual Opteron 250") == 670
    with pytest.raises(KeyError):
        table.cell("21", "Dual Opteron 250")


def test_what_does_not_fit_together_is_told() -> None:
    assert len(LIBRARY.remarks) == 48
    ids = {article.source.id for article in LIBRARY.articles}
    assert {source for remark in LIBRARY.remarks for source in remark.sources} == ids


def test_library_leaves_the_service_with_notice_sources_and_tables() -> None:
    out = published_out(LIBRARY)
    assert "not measured here" in out.notice
    assert {source["id"] for source in out.sources} == set(FILES)
    for table in out.tables:
        assert all(len(row) == len(table.columns) for row in table.rows), table.id
    assert out.model_dump_json()


def test_fb_dimm_buffers_break_even_at_ten_or_eleven_not_eight() -> None:
    (table,) = (t for t in published_out(LIBRARY).tables if t.id.endswith("fb-dimm-break-even"))
    by_case = {(row[0], row[1], row[2]): row[3:] for row in table.rows}
    assert by_case[2, 89.0, 65.0] == [48.0, 5.0, 9.6, 10.0, 6.0]
    assert by_case[2, 92.0, 65.0] == [54.0, 5.0, 10.8, 11.0, 6.75]
    assert by_case[1, 89.0, 80.0] == [9.0, 5.0, 1.8, 2.0, 1.125]


def test_recomputed_figures_carry_their_status() -> None:
    tables = [t for t in published_out(LIBRARY).tables if t.id.endswith(".recomputed")]
    status = Counter(row[-1] for table in tables for row in table.rows)
    assert status == {"exact": 156, "within input rounding": 18, "inconsistent": 6}


def test_every_machine_of_the_articles_has_a_line() -> None:
    """The closing list of the fifth review, the rack of the first one, and the memory that a server had first."""
    systems = {system.id: system for article in LIBRARY.articles for system in article.systems}
    for name in "rx300-s3-dempsey", "sun-t2000-1000", "sun-x4200", "msi-k9sd-master", "rx300-s3", "apollo5":
        assert name in systems
    for name in "gateway-piii", "promise-jbod300s", "supermicro-6014p-32", "hp-dl585":
        assert name in systems
    first = systems["rx300-s3-first"]
    assert (first.modules, first.memory_gib) == (8, 6 * 1 + 2 * 0.5)


def printed_numbers(article: Article) -> list[tuple[str, float]]:
    return [
        (table.id, float(cell))
        for table in article.tables
        if table.id not in OWN_WORDS
        for row in table.rows
        for cell in row
        if isinstance(cell, (int, float))
    ]


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the articles are not beside the checkout")
@pytest.mark.parametrize("article", LIBRARY.articles, ids=lambda article: article.source.id)
def test_every_number_stands_in_the_article(article: Article) -> None:
    (path,) = SEEDS.glob(FILES[article.source.id])
    text = path.read_text().replace("\u2212", "-")
    numbers = {abs(float(token.replace(",", "."))) for token in re.findall(r"[0-9]+(?:[.,][0-9]+)?", text)}
    missing = [(table, number) for table, number in printed_numbers(article) if abs(number) not in numbers]
    assert missing == []


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the articles are not beside the checkout")
@pytest.mark.parametrize("article", LIBRARY.articles, ids=lambda article: article.source.id)
def test_no_number_of_a_table_of_the_article_is_missing(article: Article) -> None:
    (path,) = SEEDS.glob(FILES[article.source.id])
    rows = [line.split("|") for line in path.read_text().replace("\u2212", "-").splitlines() if line.count("|") > 1]
    cells = {cell.strip(" +%").replace(",", ".") for row in rows for cell in row}
    printed = {abs(float(cell)) for cell in cells if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", cell)}
    stored = {
        abs(float(c)) for t in article.tables for row in t.rows for c in row if re.fullmatch(r"-?[0-9.]+", str(c))
    }
    assert sorted(printed - stored) == []
