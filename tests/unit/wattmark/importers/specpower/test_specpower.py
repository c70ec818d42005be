from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.comparison.published.imported import FIGURES, ImportedResults
from wattmark.core.errors import InputError
from wattmark.importers.bring_in import import_source
from wattmark.importers.importer import Choices, ImportedFigures
from wattmark.importers.kinds import importer_of
from wattmark.importers.specpower.memory_text import named_slots, read_memory, read_supplies
from wattmark.importers.specpower.specpower import SPECPOWER, audit_text, read_text
from wattmark.results.data_folder import Storage

LEVELS = [(target, 10_000 * target // 10, 100 + target) for target in range(100, 0, -10)]
"""1 % of load gives 1000 ssj_ops and 1 W; idle 100 W."""
SUM_OPS, SUM_W = sum(ops for _, ops, _ in LEVELS), sum(watts for *_, watts in LEVELS) + 100


def rows(levels: list[tuple[int, int, int]]) -> str:
    body = [f"{f'{t}%':>13} | {f'{t}.0%':>13} | {ops:>13,} | {w:>13,} | {ops / w:>13,.0f}" for t, ops, w in levels]
    return "\n".join(body)


POWERS = "\n".join(f"{f'{t}%':>11} | {w:>10,} | {23.0:>13}" for t, _, w in LEVELS)
RATES = "\n".join(f"{f'{t}%':>17} | {f'{t}.0%':>17} | {ops:>17,} | {ops:>17,}" for t, ops, _ in LEVELS)


def text(
    levels: str = rows(LEVELS),
    idle: str = f"{'Active Idle':>29} | {'0':>13} | {'100':>13} | {'0':>13}",
    overall: str = f"{SUM_OPS / SUM_W:,.0f}",
    calibrated: str = "1-Feb-2020",
    coolest: str = "22.5",
) -> str:
    """Write a text in the layout of the full disclosure texts, about a server that does not exist."""
    return f"""
{"SPECpower_ssj2008":^79}
{"Copyright (C) 2020 Nobody":^79}


Example Corp. Example Server 1
SPECpower_ssj2008 = {overall} overall ssj_ops/watt
            Test Sponsor:  Example Corp.
               Test Date:  Mar 10, 2020
             Publication:  Mar 30, 2020
   Hardware Availability:  Jul-2020


{"Benchmark Results Summary":^79}

 Target Load  |  Actual Load  |    ssj_ops    |    Average    |
------------- | ------------- | ------------- | ------------- | -------------
{levels}
{idle}
                              sum of ssj_ops / sum of power = |  {overall}


{"System Under Test":^79}


{"Set: 'sut'":^79}

            # of Identical Nodes:  1

{"HARDWARE":^79}
                 Hardware Vendor:  Example Corp.
                           Model:  Server 1
                        CPU Name:  Example CPU
                  CPU(s) Enabled:  8 cores, 2 chips, 4 cores/chip
              Memory Amount (GB):  16
              # and size of DIMM:  4 x 4096 MB
                  Memory Details:  PC2-5300F 2Rx8 of a maker; slots
                                   A0-1,B0-1 populated
 Power Supply Quantity and Rating  2 x 658
                             (W):
            Power Supply Details:  Example supply


{"Measurement Devices":^79}

{"POWER ANALYZER PWR1":^79}
                           Model:  Example meter
             Date of Calibration:  {calibrated}


{"Notes":^79}

* Free words of the submitter.


{"Aggregate Electrical and Environmental Data":^79}

{POWERS}
Active Idle |        100 |          {coolest}


{"Aggregate Performance Data":^79}

                                                   ssj_ops@calibrated=100,000
{RATES}
      Active Idle |                   |                 0 |                 0
"""


@pytest.fixture
def write(tmp_path: Path) -> Path:
    return tmp_path / "power_ssj2008-20200310-00001.txt"


def test_levels_memory_supplies_and_dates_are_read(write: Path) -> None:
    write.write_text(text())
    result, fdr, unread = read_text(write)
    assert unread.count == 0
    assert result.overall == pytest.approx(SUM_OPS / SUM_W)
    assert [level.target_pct for level in result.levels] == [*range(100, 0, -10), 0]
    assert (result.maker, result.model, result.cpu) == ("Example Corp.", "Server 1", "Example CPU")
    assert (result.cpus, result.cores, result.nodes) == (2, 8, 1)
    assert (result.tested_on, result.published_on, result.available_on) == ("2020-03-10", "2020-03-30", "2020-07-01")
    memory = result.memory
    assert (memory.total_gib, memory.modules, memory.module_gib, memory.kind) == (16, 4, 4, "FB-DIMM")
    assert memory.slots == ("A0", "A1", "B0", "B1")
    assert (result.supplies.count, result.supplies.rating_w) == (2, 658)
    assert fdr.notes["Notes"] == "* Free words of the submitter."


def test_a_text_is_recognised_stored_and_not_a_run(write: Path, storage: Storage) -> None:
    write.write_text(text())
    assert importer_of("auto", write) is SPECPOWER
    (outcome,) = import_source(SPECPOWER, write.parent, storage.samples, storage.runs)
    assert outcome.figures_id in storage.runs.documents(FIGURES)
    imported = ImportedResults(storage.runs)
    (summary,) = imported.summaries()
    assert (summary.id, summary.model) == (outcome.figures_id, "Server 1")
    assert imported.summaries()[0] is summary
    write.write_text(text().replace("Server 1", "Server 2"))
    import_source(SPECPOWER, write.parent, storage.samples, storage.runs)
    assert {each.model for each in imported.summaries()} == {"Server 1", "Server 2"}
    imported.delete(summary.id)
    assert [each.model for each in imported.summaries()] == ["Server 2"]
    assert storage.runs.document(FIGURES, summary.id) is None
    assert storage.runs.count() == 0


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        (text(levels=rows(LEVELS[1:])), "lacks the levels 100 %"),
        (text(idle=""), "active idle"),
        (text(levels=rows([*LEVELS, LEVELS[3]])), "occurs twice"),
        (text(levels=rows(LEVELS).replace("100,000", "lots")), "not ssj_ops and watts"),
        (text(levels=rows(LEVELS).replace("100,000", "9" * 40)), "not ssj_ops and watts"),
        (text(overall="0"), "states no overall"),
        ("SPECpower_ssj2008\nSPECpower_ssj2008 = Not Compliant\n", "Not Compliant"),
    ],
)
def test_an_incomplete_text_is_refused_with_the_reason(write: Path, storage: Storage, changed: str, named: str) -> None:
    write.write_text(changed)
    (outcome,) = import_source(SPECPOWER, write, storage.samples, storage.runs)
    assert named in str(outcome.error)
    assert write.name in str(outcome.error)


def test_what_the_rules_ask_and_a_text_breaks_is_named(write: Path) -> None:
    off = rows([(t, ops + (5000 if t == 50 else 0), w) for t, ops, w in LEVELS])
    write.write_text(text(levels=off, calibrated="1-Jan-2018", coolest="17.5", overall="999"))
    findings = {finding.rule: finding.value for finding in audit_text(write).findings}
    assert findings["calibration-age"] == 799
    assert findings["ambient-temperature"] == 17.5
    assert findings["target-load"] == pytest.approx(5.0)
    assert "published-figure" in findings
    assert "stated-twice" in findings


@pytest.mark.parametrize(
    ("details", "slots"),
    [
        ("slots A0,B0,C0,D0 populated", ("A0", "B0", "C0", "D0")),
        ("ECC; slots 1A, 2A, and 3A are populated", ("1A", "2A", "3A")),
        ("slots CPU1_DIMM1,2 populated", ("CPU1_DIMM1", "CPU1_DIMM2")),
        ("all slots populated", ()),
        ("slots A9-1 populated", ()),
    ],
)
def test_slots_are_those_that_the_text_names(details: str, slots: tuple[str, ...]) -> None:
    assert named_slots(details) == slots


@pytest.mark.parametrize(
    ("details", "kind"),
    [
        ("PC2-5300F 2Rx4", "FB-DIMM"),
        ("8GB 2Rx2 PC3L-10600R ECC", "RDIMM"),
        ("PC2-5300E CAS 5", "UDIMM"),
        ("24 x 16GB 2Rx8 PC4-2933Y-R", "RDIMM"),
        ("DDR4, registered, ECC", "RDIMM"),
        ("16 x 16GB 2Rx8 PC4-3200AA-RE2-12; slots 1", "RDIMM"),
        ("2 x 8 GB 1Rx8 PC4-3200AA-ED2-11", "UDIMM"),
        ("DDR3-10600R CL9 ECC", "RDIMM"),
        ("16GB 2Rx8 PC4-2666-V ECC", None),
        ("unbuffered", "UDIMM"),
        ("no word of it", None),
    ],
)
def test_kind_of_modules(details: str, kind: str | None) -> None:
    assert read_memory("8", "2 x 4 GB", details).kind == kind


@pytest.mark.parametrize(
    ("amount", "modules", "count", "each", "mixed", "doubted"),
    [
        ("18", "6 x 2 GB, 6 x 1 GB", 12, None, "6 × 2 GiB + 6 × 1 GiB", False),
        ("16", "2x4096 MB, 4x2048 MB", 6, None, "2 × 4 GiB + 4 × 2 GiB", False),
        ("16", "2 x 4096 MB, 2 x 4096 MB", 4, 4, "", False),
        ("8", "2 x 2048 MB", 2, 2, "", True),
        ("24", "8 x 2048 MB", 8, 2, "", True),
        ("16", "2 x 8182 MB", 2, 8182 / 1024, "", True),
        ("16", "4 x 4 GB (2 x 4 GB for each CPU)", 4, 4, "", False),
        ("512", "512 GB (16 x 32 GB 2Rx4 PC4-3200AA-R)", 16, 32, "", False),
        ("", "8 x 16 GB", 8, 16, "", False),
        ("16", "", None, None, "", False),
    ],
)
def test_modules_are_added_up_and_held_against_the_amount(
    amount: str, modules: str, count: int | None, each: float | None, mixed: str, doubted: bool
) -> None:
    """As 20090316-00130, 20080116-00033, 20090629-00172 and 20120305-00428 print them, and in other forms."""
    memory = read_memory(amount, modules, "")
    assert (memory.modules, memory.module_gib, memory.mixed) == (count, each, mixed)
    assert bool(memory.doubt) == doubted
    if doubted:
        assert f"prints {amount} GB" in memory.doubt


def test_supplies_of_several_forms() -> None:
    assert read_supplies("1 x 700W", "").rating_w == 700
    assert read_supplies("None", "").count is None


@given(
    junk=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda t: t.encode("utf-8", "replace"))),
    at=st.integers(0, 4000),
)
def test_any_bytes_in_a_text_end_in_a_result_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, at: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed-ssj.txt"
    whole = text().encode()
    path.write_bytes(whole[:at] + junk + whole[at:])
    refused, overall = "", 0.0
    try:
        overall = read_text(path)[0].overall
    except InputError as error:
        refused = str(error)
    assert bool(refused) != (overall > 0)
    assert "\n" not in refused


def test_one_text_that_is_refused_does_not_keep_the_others_from_their_audits(write: Path) -> None:
    for number, words in enumerate((text(), text().replace("Active Idle", "Idle"), text().replace("Server 1", "S 2"))):
        (write.parent / f"power_ssj2008-{number}.txt").write_text(words)
    write.unlink(missing_ok=True)
    audits = []
    with pytest.raises(InputError, match=r"power_ssj2008-1\.txt"):
        audits.extend(SPECPOWER.audit(write.parent, Choices()))
    assert len(audits) == 2


def test_a_text_that_cannot_be_read_is_refused_by_its_name(
    write: Path, storage: Storage, unreadable: Callable[[str], None]
) -> None:
    write.write_text(text())
    (write.parent / "a.txt").write_text(text().replace("Server 1", "S 2"))
    (write.parent / "notes.txt").write_text("of another kind")
    unreadable("a.txt")
    assert importer_of("auto", write.parent) is SPECPOWER
    refused, kept = import_source(SPECPOWER, write.parent, storage.samples, storage.runs)
    assert (str(refused.error), kept.error) == ("a.txt cannot be read: Permission denied. Restore the file.", None)
    audits = []
    with pytest.raises(InputError, match=r"a\.txt cannot be read"):
        audits.extend(SPECPOWER.audit(write.parent, Choices()))
    assert len(audits) == 1


def test_texts_that_cannot_be_read_alone_say_nothing_of_their_kind(
    write: Path, unreadable: Callable[[str], None]
) -> None:
    write.write_text(text())
    unreadable(write.name)
    with pytest.raises(InputError, match="is not of a kind that can be imported"):
        importer_of("auto", write.parent)


def imported(path: Path) -> ImportedFigures:
    (pending,) = SPECPOWER.find(path, Choices())
    item = pending.read()
    assert isinstance(item, ImportedFigures)
    return item


@pytest.mark.parametrize(
    "content",
    [
        text(overall="700"),
        text(levels=rows([(100, 100_000, 100), *LEVELS[1:]])).replace(
            "       100% |        200 |", "       100% |        100 |"
        ),
        text(idle=f"{'Active Idle':>29} | {'0':>13} | {'200':>13} | {'0':>13}").replace(
            "Active Idle |        100", "Active Idle |        200"
        ),
    ],
    ids=["overall", "a level", "idle"],
)
def test_levels_that_deny_the_overall_figure_are_said_where_it_is_imported(write: Path, content: str) -> None:
    """Every other place agrees with the changed digits: the ratio of the level, and the table of watts."""
    write.write_text(content)
    item = imported(write)
    printed = f"Printed are {item.result.stated_overall:g} ssj_ops/W; the printed levels give"
    assert any(said.startswith(printed) for said in item.result.contradictions)
    assert any(note.startswith(printed) for note in item.notes)
    assert [finding.rule for finding in audit_text(write).findings].count("published-figure") == 1


def test_a_second_set_of_nodes_is_said(write: Path) -> None:
    other = f"""{"Set: 'mgmt'":^79}

            # of Identical Nodes:  3

{"HARDWARE":^79}
                           Model:  Other
                  CPU(s) Enabled:  4 cores, 1 chip, 4 cores/chip


{"Measurement Devices":^79}"""
    write.write_text(text().replace(f"{'Measurement Devices':^79}", other))
    item = imported(write)
    assert any("2 sets of nodes ('sut', 'mgmt')" in note for note in item.notes)
    assert (item.result.cpus, item.result.nodes) == (2, 1)
