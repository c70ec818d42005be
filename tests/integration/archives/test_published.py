"""What others published travels with the runs that were imported of it, and keeps who passed it on."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from wattmark.archives.data_folder import Archives
from wattmark.archives.site.site import write_site
from wattmark.audits.audits import Audits
from wattmark.comparison.published.imported import FIGURES, ImportedResults
from wattmark.comparison.published.published_result import PublishedResult
from wattmark.core.errors import InputError
from wattmark.importers.choices import read_choices
from wattmark.importers.published_imports import PublishedImports
from wattmark_drivers.clock import SystemClock

from ..traceability.conftest import Lab
from .conftest import Open, archives, packed, unpacked
from .test_hostile import as_zip, edited, members

TREE = Path(__file__).parents[2] / "unit/wattmark/analysis/mlperf_r7525"
INDEX, AUDIT = "published/published.json", "published/audits/1.json"


def specpower(number: int) -> PublishedResult:
    return PublishedResult.model_validate(
        {
            "id": f"specpower-{number}",
            "kind": "specpower",
            "title": f"Server {number}",
            "source": f"power_ssj2008-{number}.txt",
            "submitter": "Maker",
            "maker": "Maker",
            "model": f"M{number}",
            "workload": "SPECpower_ssj2008",
            "unit": "ssj_ops",
            "levels": [
                {"target_pct": 100.0, "actual_pct": 99.0, "ops_per_s": 1e5, "power_w": 200.0, "printed_ratio": 500.0}
            ],
            "overall": 500.0,
            "disclosure": {"Notes": "a text of the publisher"},
            "file": {"file": f"power_ssj2008-{number}.txt", "sha256": "0" * 64, "bytes": 10},
        }
    )


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, str]]:
    """A laboratory that imported a result with its power log, and two results without; and the run."""
    lab = Lab(tmp_path_factory.mktemp("importing"))
    published = PublishedImports(lab.storage, lab.queries, lab.calibration.issuer)
    done = published.bring_in("mlperf", TREE, read_choices())
    assert len(done.audits) == 1
    for number in (1, 2):
        ImportedResults(lab.storage.runs).keep(specpower(number))
    (outcome,) = done.outcomes
    assert outcome.run_id is not None
    yield lab, outcome.run_id
    lab.storage.close()


def test_an_audit_goes_with_its_run_and_names_who_made_it(imported: tuple[Lab, str], open_lab: Open) -> None:
    lab, run_id = imported
    there = open_lab("there")
    done = unpacked(there, packed(lab, run_id))
    (audit,), (arrived,) = Audits(lab.storage.runs).all(), Audits(there.storage.runs).all()
    assert arrived == audit.model_copy(update={"source": f"{audit.source}, audited by Lab A"})
    assert there.storage.runs.documents(FIGURES) == {}
    assert "Imported: 1 audit." in done.notes


def test_all_brings_figures_with_their_source_and_without_the_text_of_spec(
    imported: tuple[Lab, str], open_lab: Open
) -> None:
    lab, _ = imported
    there = open_lab("there")
    content = packed(lab)
    assert b"a text of the publisher" not in b"".join(members(content).values())
    preview = archives(there).preview(io.BytesIO(content), "runs.zip")
    assert (preview.audits, preview.figures) == (1, 2)
    done = unpacked(there, content)
    assert "Imported: 1 audit and 2 published results." in done.notes
    stored = there.storage.runs.documents(FIGURES)
    expected = [specpower(n).model_copy(update={"disclosure": {}}) for n in (1, 2)]
    assert [PublishedResult.model_validate(stored[result.id]) for result in expected] == [
        result.model_copy(update={"source": f"{result.source}, brought by Lab A"}) for result in expected
    ]
    assert len(ImportedResults(there.storage.runs).summaries()) == 2
    again = unpacked(there, content)
    assert not [note for note in again.notes if "Imported" in note or "different content" in note]


def test_what_is_here_already_with_other_figures_stays(imported: tuple[Lab, str], open_lab: Open) -> None:
    lab, _ = imported
    there = open_lab("there")
    own = specpower(1).model_copy(update={"overall": 400.0})
    ImportedResults(there.storage.runs).keep(own)
    done = unpacked(there, packed(lab))
    assert "The published result Server 1 is here with different content and was not changed." in done.notes
    assert PublishedResult.model_validate(there.storage.runs.document(FIGURES, own.id)) == own


def test_figures_alone_are_an_archive_and_an_empty_folder_is_none(open_lab: Open) -> None:
    lab, there = open_lab("figures"), open_lab("there")
    with pytest.raises(Exception, match="There is no finished run to archive"):
        packed(lab)
    ImportedResults(lab.storage.runs).keep(specpower(1))
    unpacked(there, packed(lab), own=True)
    assert there.storage.runs.documents(FIGURES)["specpower-1"]["source"] == "power_ssj2008-1.txt"


@pytest.mark.parametrize(
    ("member", "change", "why"),
    [
        (INDEX, lambda d: d.update(audits=[]), "nothing in it names its member published/audits/1"),
        (INDEX, lambda d: d["audits"].append("runs/9/run.json"), "member runs/9/run.json is missing"),
        (INDEX, lambda d: d["figures"][0].update(title="a\x1b[2J"), "cannot be printed"),
        (AUDIT, lambda d: d.update(sentence="\u202e"), "cannot be printed"),
        (AUDIT, lambda d: d.update(by_rule="much"), "cannot be read"),
        (AUDIT, lambda d: d.update(more=1), "newer wattmark"),
    ],
)
def test_a_forged_audit_refuses_the_archive(
    imported: tuple[Lab, str], open_lab: Open, member: str, change: Callable[[dict[str, Any]], object], why: str
) -> None:
    lab, _ = imported
    there = open_lab("there")
    forged = as_zip(edited(members(packed(lab)), member, change))
    with pytest.raises(InputError, match=why):
        unpacked(there, forged)
    assert there.storage.runs.ids() == []


def test_a_site_shows_the_audits_of_its_runs(imported: tuple[Lab, str], tmp_path: Path) -> None:
    lab, run_id = imported
    room: Archives = archives(lab)
    files = write_site(
        tmp_path / "site",
        lambda file: room.write(file, room.choose([run_id], None), "Lab A"),
        None,
        "A result",
        SystemClock(),
    )
    assert {"tables/audits.csv", "tables/audits.tex"} <= set(files)
    (audit,) = Audits(lab.storage.runs).all()
    page = (tmp_path / "site/index.html").read_text("utf-8")
    assert 'id="audits"' in page
    assert audit.title in page
    assert json.dumps(audit.by_rule)[:6] in (tmp_path / "site/tables/audits.csv").read_text("utf-8")
