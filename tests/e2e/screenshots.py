"""Refresh the pictures of the README and the guide from generated runs: python -m tests.e2e.screenshots

The runs are those of `tests.picture_lab`: always the same, and marked as simulated.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps
from rich.console import Console
from rich.text import Text
from wattmark.reports.figures.product_figures import product_figure
from wattmark.reports.files.figure_file import write_figure
from wattmark.reports.files.report_file import write_report
from wattmark.reports.product_tables import product_table
from wattmark.reports.report_data import report_of
from wattmark.reports.sources import Sources
from wattmark.reports.table_query import TableQuery
from wattmark.results.data_folder import open_storage
from wattmark.tables.formats import write
from wattmark.tables.layouts import arranged

from tests.integration.docs.pages import DOCS, blocks
from tests.picture_lab import store_picture_lab

from .conftest import ROOT, WATTMARK, browse, serving

PICTURES = ROOT / "backend/docs/pictures"
QUALITY = 78
PAGE_WIDTH_PX = 1000
WORK = "workload=openssl.rsa1024-sign&level=4+processes"
RUN = "/runs/p000000000000000"
PAGES: tuple[dict[str, Any], ...] = (
    {
        "name": "run", "path": RUN, "from": "main h1", "to": "main .card:has(canvas)",
        "marks": [
            {"at": "css=main h1"},
            {"at": "Work per second"},
            {"at": "Performance per watt"},
            {"at": "Mean power"},
            {"at": "Throughput"},
            {"at": "Full-load power of this server"},
            {"at": "css=main h2:has-text('Limited by')"},
            {"at": "window"},
            {"at": "css=main canvas >> nth=0"},
        ],
    },
    {
        "name": "run-checks", "path": RUN, "from": "main [role=tablist]", "to": "main [role=tabpanel]",
        "marks": [
            {"at": "css=main [role=tab]:nth-child(1)", "side": "above"},
            {"at": "css=main [role=tab]:nth-child(2)", "side": "above"},
            {"at": "css=main [role=tab]:nth-child(3)", "side": "above"},
            {"at": "css=main [role=tab]:nth-child(6)", "side": "above"},
            {"at": "css=main [role=tab]:nth-child(7)", "side": "above"},
        ],
    },
    {"name": "compare", "path": f"/compare?{WORK}", "height": 860},
    {"name": "memory", "path": f"/memory?server=fbserver&{WORK}", "theme": "dark", "height": 1160},
)  # fmt: skip
"""Pictures of the web app: what to open, which part to show, and where the numbers of the text stand."""
PRINTED = ("report", "figure", "table", "article", "terminal")
"""Pictures of what leaves the house: first page of a report, figure and table of a comparison, both in an article, and
it on a terminal."""
NAMES = (*(str(page["name"]) for page in PAGES), *PRINTED)
EMPTY_PAGE = r"\pagestyle{empty}\begin{document}"
ARTICLE = r"""\documentclass[10pt,a4paper]{article}
\usepackage{array,booktabs,longtable,siunitx}
\pagestyle{empty}
\begin{document}
%s
\end{document}
"""


def main(folder: Path = PICTURES) -> None:
    """Make the runs, take all pictures, and keep them as WebP."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        store_picture_lab(work / "data")
        _print(work)
        (work / "pages.json").write_text(json.dumps(PAGES))
        with serving(work / "data") as url:
            browse("pictures.mjs", url, str(work), str(work / "pages.json"), timeout_s=300)
        folder.mkdir(parents=True, exist_ok=True)
        for picture in NAMES:
            _keep(work / f"{picture}.png", folder / f"{picture}.webp")


def _keep(source: Path, target: Path) -> None:
    with Image.open(source) as image:
        small = image.convert("RGB")
        if small.width > PAGE_WIDTH_PX and source.stem in PRINTED:
            small = small.resize((PAGE_WIDTH_PX, round(small.height * PAGE_WIDTH_PX / small.width)))
        small.save(target, "WEBP", quality=QUALITY, method=6)


def _print(work: Path) -> None:
    """Write report, figure and table of the comparison as pictures."""
    storage = open_storage(work / "data", read_only=True)
    sources, query = Sources.of(storage), TableQuery(workload="openssl.rsa1024-sign", level="4 processes")
    document = report_of(sources, "picture-lab")
    with (work / "report.html").open("wb") as file:
        write_report(document, file)
    (work / "figure.png").write_bytes(write_figure(product_figure(sources, "compare", query), "png", "two-columns"))
    table = arranged(product_table(sources, "compare", query))
    (work / "table.tex").write_text(ARTICLE % write(table, "tex").decode())
    best = query.model_copy(update={"top": 6})
    (work / "compare.tex").write_bytes(write(arranged(product_table(sources, "compare", best)), "tex"))
    (work / "compare.pdf").write_bytes(write_figure(product_figure(sources, "compare", best), "pdf", "one-column"))
    (article,) = (block for block in blocks(DOCS / "guide/article.md") if "file" in block.attributes)
    (work / "article.tex").write_text("\n".join(article.lines).replace(r"\begin{document}", EMPTY_PAGE))
    storage.close()
    browse("print.mjs", f"file://{work / 'report.html'}", str(work / "report.pdf"))
    (work / "terminal.html").write_text(_terminal(work / "data"))
    browse("print.mjs", f"file://{work / 'terminal.html'}", str(work / "terminal.pdf"))
    for name in ("table", "article", "article"):
        _run("pdflatex", "-interaction=nonstopmode", f"{name}.tex", folder=work)
    _run("pdftoppm", "-r", "110", "-png", str(work / "article.pdf"), str(work / "article"))
    for name in ("report", "table", "terminal"):
        _run(
            "pdftoppm",
            "-r",
            "110",
            "-f",
            "1",
            "-l",
            "1",
            "-singlefile",
            "-png",
            str(work / f"{name}.pdf"),
            str(work / name),
        )
    _crop(work / "table.png")
    _join(sorted(work.glob("article-*.png")), work / "article.png")
    _crop(work / "terminal.png")


def _terminal(data: Path) -> str:
    """Write what a comparison prints on a terminal as a page."""
    words = ["compare", "--workload", "openssl.rsa1024-sign", "--level", "4 processes"]
    printed = subprocess.run(
        [str(WATTMARK), *words, "--data", str(data)],
        env={**os.environ, "COLUMNS": "92", "FORCE_COLOR": "1"},
        check=True, capture_output=True, text=True, timeout=120,
    ).stdout  # fmt: skip
    console = Console(record=True, width=92, file=io.StringIO())
    console.print(Text(f"$ wattmark {shlex.join(words)}", style="bold"))
    console.print(Text.from_ansi(printed))
    return console.export_html(inline_styles=True)


def _crop(path: Path) -> None:
    """Cut the white margins of a page."""
    with Image.open(path) as image:
        grey = image.convert("L").point(lambda value: 255 - value)
        box = grey.getbbox() or (0, 0, *image.size)
        ImageOps.expand(image.convert("RGB").crop(box), 12, "white").save(path)


def _join(pages: Sequence[Path], target: Path) -> None:
    """Put cropped pages side by side."""
    for page in pages:
        _crop(page)
    pictures = [Image.open(page).convert("RGB") for page in pages]
    width, height = sum(picture.width for picture in pictures), max(picture.height for picture in pictures)
    joined = Image.new("RGB", (width + 40 * (len(pictures) - 1), height), "white")
    left = 0
    for picture in pictures:
        joined.paste(picture, (left, 0))
        left += picture.width + 40
    joined.save(target)


def _run(*command: str, folder: Path | None = None) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=120, cwd=folder)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
