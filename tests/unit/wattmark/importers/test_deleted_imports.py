"""Results that were imported as figures: listed, deleted, brought back. Figures as SPEC printed them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from wattmark.comparison.published.imported import FIGURES, FIGURES_ROW, ImportedResults
from wattmark.comparison.published.published_result import PublishedLevel, PublishedResult
from wattmark.core.errors import Conflict, NotFound
from wattmark.importers.published_imports import MOST_DELETED, PublishedImports
from wattmark.importers.views import imported_result
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.disclosure import SourceFileNote
from wattmark.store.database import FILE_NAME


def result(name: str = "20090310-00128", overall: float = 600.0) -> PublishedResult:
    level = PublishedLevel(target_pct=100, actual_pct=None, ops_per_s=244_832, power_w=226, printed_ratio=1083)
    return PublishedResult(
        id=f"specpower-{name}", kind="specpower", collection="SPECpower_ssj2008", title="Sun Netra X4250",
        source=f"power_ssj2008-{name}.txt", submitter="Sun Microsystems, Inc.", maker="Sun Microsystems, Inc.",
        model="Netra X4250", tested_on="2009-03-10", published_on="2009-03-30", available_on="2008-07-01",
        cpu="Intel Xeon L5408 (2.13 GHz)", workload="specpower.ssj2008", unit="ssj_ops", levels=(level,),
        stated_overall=overall, overall=overall + 0.4, disclosure={"Notes": "as printed"},
        file=SourceFileNote(file="text", bytes=1, sha256="0" * 64),
    )  # fmt: skip


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path / "data")
    yield opened
    opened.close()


@pytest.fixture
def imports(storage: Storage) -> PublishedImports:
    return PublishedImports(storage, Evaluations(storage), None)


def test_the_library_lists_what_was_imported_as_it_was_printed(storage: Storage, imports: PublishedImports) -> None:
    ImportedResults(storage.runs).keep(result())
    ((summary, has_audit),) = imports.figures()
    shown = imported_result(summary, has_audit=has_audit)
    assert (shown.title, shown.maker) == ("Sun Microsystems Netra X4250", "Sun Microsystems")
    assert shown.cpu == "Intel Xeon L5408"
    assert (shown.overall, shown.unit, shown.printed) == (600.0, "ssj_ops/W", True)
    assert (shown.available_on, shown.published_on) == ("2008-07-01", "2009-03-30")
    assert (shown.levels, shown.has_audit, shown.remarks) == (1, False, [])


def test_what_was_deleted_comes_back_as_it_was(storage: Storage, imports: PublishedImports) -> None:
    ImportedResults(storage.runs).keep(result())
    before = {kind: storage.runs.documents(kind) for kind in (FIGURES, FIGURES_ROW)}
    imports.delete(result().id)
    assert imports.figures() == []
    assert imports.deleted() == [(result().id, "Sun Netra X4250")]
    imports.restore(result().id)
    assert {kind: storage.runs.documents(kind) for kind in (FIGURES, FIGURES_ROW)} == before
    assert imports.deleted() == []


def test_what_was_imported_again_since_stays(storage: Storage, imports: PublishedImports) -> None:
    kept = ImportedResults(storage.runs)
    kept.keep(result())
    imports.delete(result().id)
    kept.keep(result(overall=478.0))
    assert imports.deleted() == []
    with pytest.raises(Conflict, match="imported again"):
        imports.restore(result().id)
    ((summary, _),) = imports.figures()
    assert summary.stated_overall == 478.0


def test_only_the_last_ones_are_kept_and_an_unknown_one_is_refused(storage: Storage, imports: PublishedImports) -> None:
    names = [f"2009-{n:05}" for n in range(MOST_DELETED + 2)]
    for name in names:
        ImportedResults(storage.runs).keep(result(name))
        imports.delete(f"specpower-{name}")
    assert [import_id for import_id, _ in imports.deleted()] == [
        f"specpower-{name}" for name in names[: -MOST_DELETED - 1 : -1]
    ]
    with pytest.raises(NotFound, match="no longer kept"):
        imports.restore(f"specpower-{names[0]}")
    with pytest.raises(NotFound, match="There is no imported result"):
        imports.delete("specpower-none")


def test_the_oldest_one_imported_again_and_deleted_again_comes_back(
    storage: Storage, imports: PublishedImports
) -> None:
    names = [f"2009-{n:05}" for n in range(MOST_DELETED)]
    for name in (*names, names[0]):
        ImportedResults(storage.runs).keep(result(name))
        imports.delete(f"specpower-{name}")
    assert [import_id for import_id, _ in imports.deleted()] == [
        f"specpower-{name}" for name in (names[0], *reversed(names[1:]))
    ]
    imports.restore(f"specpower-{names[0]}")
    assert [summary.id for summary, _ in imports.figures()] == [f"specpower-{names[0]}"]


def test_a_damaged_result_can_be_deleted_but_not_brought_back(tmp_path: Path) -> None:
    storage = open_storage(tmp_path / "data")
    imports = PublishedImports(storage, Evaluations(storage), None)
    ImportedResults(storage.runs).keep(result(overall=478.0))
    imports.delete(result().id)
    ImportedResults(storage.runs).keep(result())
    storage.close()
    with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection, connection:
        connection.create_function("row_crc", -1, lambda *_: 0)  # a checksum that no longer holds
        connection.execute("UPDATE document SET name = name WHERE kind = ?", (FIGURES,))
    storage = open_storage(tmp_path / "data")
    imports = PublishedImports(storage, Evaluations(storage), None)
    imports.delete(result().id)
    assert (imports.figures(), imports.deleted()) == ([], [])
    with pytest.raises(NotFound, match="no longer kept"):
        imports.restore(result().id)
    with pytest.raises(NotFound, match="There is no imported result"):
        imports.delete(result().id)
    storage.close()
