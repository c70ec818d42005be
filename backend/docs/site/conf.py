"""How Sphinx makes the site of the documents (`make docs`): pages as they stand, and those of rooms that users need."""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[3]
DOCS = "backend/docs"
ROOMS = {
    "docker/README.md": "rooms/install",
    "backend/wattmark/analysis/README.md": "rooms/analysis",
    "backend/wattmark/archives/README.md": "rooms/archives",
    "backend/wattmark/fleet/clickhouse/README.md": "rooms/clickhouse",
    "backend/wattmark/fleet/influx/README.md": "rooms/influx",
    "backend/wattmark/fleet/parquet/README.md": "rooms/parquet",
    "drivers/wattmark_drivers/catalogue/README.md": "rooms/meter-models",
}
"""Documents outside the folder that the guide sends its readers to, and the page of the site that includes each."""

project = "wattmark"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".ipynb": "markdown"}
root_doc = "index"
exclude_patterns = ["README.md", "decisions", "guide/README.md", "pictures", "site"]
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
suppress_warnings = ["misc.highlighting_failure"]  # "…" stands for anything in the output of a command
highlight_language = "text"

html_theme = "furo"
html_title = "wattmark"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_favicon = "../../../frontend/public/mark.svg"
html_theme_options = {
    "top_of_page_buttons": [],
    "light_css_variables": {"color-brand-primary": "#14171a", "color-brand-content": "#0069a8"},
    "dark_css_variables": {"color-brand-primary": "#eceef0", "color-brand-content": "#6cb8e6"},
}

FOLDER = "\n\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
"""The README of a folder has the other pages of the folder below it."""
INLINE_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
STYLED_SHAPE = re.compile(r' style="(opacity|display): ([^;"]+);?"')
NAMED = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Documents">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    "<pre>": '<pre tabindex="0">',
}
LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?P<target>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")


def setup(app: Sphinx) -> None:
    """Turn each source into what the site can show as it is read."""
    app.connect("source-read", _read_page)
    app.connect("include-read", _read_included)
    app.connect("build-finished", _finish)


def _read_page(app: Sphinx, page: str, source: list[str]) -> None:
    path = Path(app.env.doc2path(page))
    if path.suffix == ".ipynb":
        source[0] = _notebook_text(source[0])
    source[0] = _with_links(source[0], str(path.relative_to(ROOT)))
    if page.endswith("/README"):
        source[0] += FOLDER


def _read_included(app: Sphinx, path: Path, page: str, source: list[str]) -> None:  # noqa: ARG001 - of the event
    source[0] = _with_links(source[0], posixpath.normpath(f"{DOCS}/{path}"))


def _with_links(text: str, path: str) -> str:
    """Point the links of a document of the repository at the pages of the site; one that has none is text."""

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match["target"]))
        if target in (f"{DOCS}/README.md", f"{DOCS}/guide/README.md"):
            document = "index.md"
        elif target in ROOMS:
            document = f"{ROOMS[target]}.md"
        elif target.startswith(f"{DOCS}/") and not target.startswith(f"{DOCS}/decisions/"):
            document = target.removeprefix(f"{DOCS}/")
        else:
            return match["text"]
        return f"[{match['text']}](/{document}{match['anchor'] or ''})"

    return LINK.sub(link, text)


def _notebook_text(notebook: str) -> str:
    """Write the cells of a notebook as Markdown, each with what it printed."""
    parts = []
    for cell in json.loads(notebook)["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        printed = "".join("".join(output["text"]) for output in cell.get("outputs", []))
        parts += [f"```text\n{printed}\n```"] if printed else []
    return "\n\n".join(parts)


def _finish(app: Sphinx, error: Exception | None) -> None:
    """Move what the theme writes into its pages into files, and name and reach what it leaves without.

    The service's security policy allows nothing inline; WCAG 2.2 asks for the rest (1.3.1, 2.1.1).
    """
    if error:
        return
    static = app.outdir / "_static"
    for page in app.outdir.rglob("*.html"):
        to_root = page.read_text().split('data-content_root="', 1)[1].split('"', 1)[0]
        text = STYLED_SHAPE.sub(r' \1="\2"', page.read_text())
        for start, with_name in NAMED.items():
            text = text.replace(start, with_name)
        for inline, name, element in (
            (INLINE_STYLE, "page.css", '<link rel="stylesheet" href="{}">'),
            (INLINE_SCRIPT, "page.js", '<script src="{}"></script>'),
        ):
            if match := inline.search(text):
                (static / name).write_text(match[1])
                text = text.replace(match[0], element.format(f"{to_root}_static/{name}"))
        page.write_text(text)
