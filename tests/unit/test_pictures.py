"""The pictures of the documents are those that `make screenshots` takes, and all of them are there and small."""

from __future__ import annotations

import re
from pathlib import Path

from tests.e2e.screenshots import NAMES, PAGES, PICTURES

ROOT = Path(__file__).parents[2]
MOST_BYTES = 1_500_000
NAMED = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")


def named() -> dict[Path, list[str]]:
    """Return the text of every picture that a document shows, by its file."""
    shown: dict[Path, list[str]] = {}
    for document in (ROOT / "README.md", *sorted((ROOT / "backend/docs").rglob("*.md"))):
        for text, target in NAMED.findall(document.read_text("utf-8")):
            shown.setdefault((document.parent / target).resolve(), []).append(text)
    return shown


def test_the_documents_show_what_the_script_takes() -> None:
    taken = {PICTURES / f"{name}.webp" for name in NAMES}
    assert set(named()) == taken
    assert set(PICTURES.iterdir()) == taken, "a picture that nothing shows"


def test_every_picture_is_described_and_all_are_small() -> None:
    assert all(len(text) > 20 for texts in named().values() for text in texts)
    assert sum(path.stat().st_size for path in PICTURES.iterdir()) < MOST_BYTES


def test_the_text_explains_as_many_numbers_as_are_drawn() -> None:
    guide = (ROOT / "backend/docs/guide/read-a-result.md").read_text("utf-8")
    for page in PAGES:
        if marks := page.get("marks"):
            after = guide.split(f"/{page['name']}.webp)", 1)[1].lstrip()
            explained = re.findall(r"^(\d+)\. ", after.split("\n\n", 1)[0], re.M)
            assert explained == [str(number) for number in range(1, len(marks) + 1)], page["name"]
