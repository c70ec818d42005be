"""Pages and reports on paper: few sheets, and no name that is cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.reports.files.report_file import write_report
from wattmark.reports.report_data import report_of
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import open_storage

from tests.picture_lab import store_picture_lab

from .conftest import browse, serving

pytestmark = pytest.mark.e2e
RUN = "p000000000000000"
WORK = "workload=openssl.rsa1024-sign&level=4+processes"
SHEET = re.compile(rb"/Type\s*/Page\b(?!s)")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lab")
    store_picture_lab(folder)
    return folder


@pytest.fixture(scope="module")
def url(lab: Path) -> Iterator[str]:
    with serving(lab) as address:
        yield address


def sheets(address: str, file: Path) -> int:
    """Print a page; return its sheets. Fails where a name would be cut."""
    seen = browse("print.mjs", address, str(file))
    assert (seen["cut"], seen["errors"], seen["foreign"]) == ([], [], [])
    return len(SHEET.findall(file.read_bytes()))


@pytest.mark.parametrize(
    ("path", "most"),
    [(f"/runs/{RUN}", 4), (f"/compare?{WORK}", 2), (f"/memory?server=fbserver&{WORK}", 2), ("/runs", 2)],
)
def test_a_page_fills_its_sheets_and_cuts_no_name(url: str, path: str, most: int, tmp_path: Path) -> None:
    assert 1 <= sheets(url + path, tmp_path / "page.pdf") <= most


@pytest.mark.parametrize(("run_ids", "least", "most"), [((RUN,), 3, 5), ((), 5, 8)])
def test_a_report_of_a_run_has_three_to_five_sheets(
    lab: Path, run_ids: tuple[str, ...], least: int, most: int, tmp_path: Path
) -> None:
    storage = open_storage(lab, read_only=True)
    with (tmp_path / "report.html").open("wb") as file:
        write_report(report_of(Sources.of(storage), None, run_ids), file)
    storage.close()
    assert least <= sheets(f"file://{tmp_path / 'report.html'}", tmp_path / "report.pdf") <= most
