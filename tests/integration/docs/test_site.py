"""The site of the documents, as `make docs` built it: whole, linked, searchable, and within the service's policy."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from fastapi.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.service.app import DOCUMENTS, create_app

from .pages import DOCS

LOCAL = AccessPolicy.for_address("127.0.0.1")
PAGES = sorted(DOCUMENTS.rglob("*.html"))


class Page(HTMLParser):
    """Anchors and links of a page, and what a security policy refuses that allows nothing inline."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.inline: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        self.anchors |= {value for name, value in attributes if name == "id" and value}
        self.links += [value for name, value in attributes if name in ("href", "src") and value]
        if tag == "style" or "style" in named or (tag == "script" and "src" not in named):
            self.inline.append(self.get_starttag_text() or tag)


@cache
def parsed(page: Path) -> Page:
    return Page(page.read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCUMENTS)))
def test_a_page_leads_nowhere_that_is_not_there(page: Path) -> None:
    for link in parsed(page).links:
        parts = urlsplit(link)
        if parts.scheme in ("http", "https", "data", "mailto"):
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        assert target.is_file(), link
        if parts.fragment and target.suffix == ".html" and target.name not in ("genindex.html", "search.html"):
            assert unquote(parts.fragment) in parsed(target).anchors | {""}, link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCUMENTS)))
def test_a_page_holds_nothing_inline(page: Path) -> None:
    assert parsed(page).inline == []


def test_every_page_of_the_guide_is_there() -> None:
    for source in (DOCS / "guide").rglob("*"):
        if source.suffix in (".md", ".ipynb") and source != DOCS / "guide/README.md":
            page = (DOCUMENTS / source.relative_to(DOCS)).with_suffix(".html")
            assert page in PAGES, f"{page.name}: run `make docs`"


def test_code_and_tables_are_shown_as_such() -> None:
    notebook = (DOCUMENTS / "guide/read-in-python.html").read_text()
    assert "highlight-python" in notebook
    assert '"cell_type"' not in notebook
    assert "<table" in (DOCUMENTS / "glossary.html").read_text()
    assert re.search(r"GET /api/runs\b", re.sub(r"<[^>]+>", "", (DOCUMENTS / "api-reference.html").read_text()))


def test_the_service_shows_the_site() -> None:
    client = TestClient(create_app(None, LOCAL), base_url="http://127.0.0.1")
    moved = client.get("/docs", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (307, "/docs/")
    start = client.get("/docs/")
    assert "First hour" in start.text
    assert "unsafe-inline" not in start.headers["content-security-policy"]
    assert client.get("/docs/searchindex.js").status_code == 200
    assert client.get("/docs/nowhere.html").status_code == 404
    assert client.get("/docs/..%2f..%2fapp.py").status_code == 404


def test_a_service_without_the_site_names_the_remedy(tmp_path: Path) -> None:
    client = TestClient(create_app(None, LOCAL, documents=tmp_path), base_url="http://127.0.0.1")
    answer = client.get("/docs/")
    assert answer.status_code == 404
    assert "make docs" in answer.text
