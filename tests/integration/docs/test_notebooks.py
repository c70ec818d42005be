"""The notebooks of the guide give what they show, and the guide leads to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from .notebook import executed, prepare, read_notebook, shown
from .pages import DOCS, LINK, prose

NOTEBOOKS = sorted(DOCS.rglob("*.ipynb"))


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.name)
def test_every_cell_prints_what_the_notebook_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    cells = 0
    for cell, text in executed(read_notebook(page)):
        assert text == shown(cell), f"cell {cell['execution_count']} of {page.name} prints\n{text}"
        cells += 1
    assert cells > 5


def test_the_guide_leads_to_every_notebook() -> None:
    assert NOTEBOOKS
    linked = LINK.findall(prose(DOCS / "guide/README.md"))
    assert [page.name for page in NOTEBOOKS if page.name not in linked] == []


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.name)
def test_links_of_a_notebook_lead_somewhere(page: Path) -> None:
    text = "\n".join(
        "".join(cell["source"]) for cell in read_notebook(page)["cells"] if cell["cell_type"] == "markdown"
    )
    links = [link for link in LINK.findall(text) if "://" not in link]
    assert links
    assert [link for link in links if not (page.parent / link).exists()] == []
