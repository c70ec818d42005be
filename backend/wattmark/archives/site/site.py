"""Write the folder of a site: `index.html`, `tables/`, `figures/` and `data/`."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Literal

from wattmark_drivers.clock import Clock

from wattmark.archives.data_folder import Archives
from wattmark.archives.signature import PublicKey
from wattmark.archives.site.file_names import file_names
from wattmark.audits.audit import Audit
from wattmark.audits.audit_table import audits_table
from wattmark.audits.audits import Audits
from wattmark.comparison.compare.defaults import choose_memory
from wattmark.comparison.parts.views import PartChoice
from wattmark.core.errors import InputError, WattmarkError
from wattmark.reports.figures.product_figures import product_figure
from wattmark.reports.files.figure_file import figure_pages, write_figure
from wattmark.reports.files.report_file import write_report
from wattmark.reports.product_tables import product_table
from wattmark.reports.report import Chapter, Download, Section
from wattmark.reports.report_data import report_of
from wattmark.reports.sources import Sources
from wattmark.reports.table_query import TableQuery
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.tables.formats import write_to
from wattmark.tables.layouts import LayoutName, arranged
from wattmark.tables.table import Table

ARCHIVE, PUBLIC_KEY = "data/runs.zip", "data/public-key.pub"
_LAYOUTS: dict[str, LayoutName] = {"csv": "full", "xlsx": "full", "tex": "paper", "md": "paper"}


def write_site(
    folder: Path, write_archive: Callable[[IO[bytes]], None], key: PublicKey | None, title: str, clock: Clock
) -> list[str]:
    """Write a site into a new folder, whole or not at all; return its files.

    ``write_archive`` writes the archive of the chosen runs. Raises `InputError` where the folder is there already.
    """
    if folder.exists():
        raise InputError(f"{folder} exists already.", "Choose another folder, or move it away.")
    try:
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.absolute().parent) as parent:
            root = Path(parent) / "site"
            (root / "data").mkdir(parents=True)
            with (root / ARCHIVE).open("w+b") as archive:
                write_archive(archive)
                storage = open_storage(Path(parent) / "store")
                try:
                    sources = _restored(storage, archive, clock)
                    _write_pages(root, sources, Audits(storage.runs).all(), key, title)
                finally:
                    storage.close()
            shutil.move(root, folder)
    except OSError as error:
        raise WattmarkError(f"Cannot write {folder}: {error.strerror}.", "Choose another folder.") from error
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _restored(storage: Storage, archive: IO[bytes], clock: Clock) -> Sources:
    results = Evaluations(storage)
    archives = Archives(storage, results, Issuer(storage, results, clock))
    archives.restore(archive, "The archive of the site", own=True)
    return Sources.of(storage)


def _write_pages(root: Path, sources: Sources, audits: Sequence[Audit], key: PublicKey | None, title: str) -> None:
    downloads = [
        download
        for piece in _pieces(sources)
        for write in (_tables, _figures)
        for download in write(root, sources, piece)
    ]
    audited = audits_table(audits)
    downloads += _table_files(root, audited, "audits", audited.title)
    downloads.append(_download(root, ARCHIVE, "Archive: raw samples, records, certificates and issued results"))
    if key is not None:
        (root / PUBLIC_KEY).write_text(key.file, "ascii")
        downloads.append(_download(root, PUBLIC_KEY, "Public key of the archive's signature"))
    report = report_of(sources)
    report = replace(
        report,
        title=title or report.title,
        chapters=(
            report.chapters[0],
            Chapter.of(_files(downloads, key)),
            *([Chapter.of(Section("audits", "Audits", tables=(arranged(audited),)))] if audits else []),
            *report.chapters[1:],
        ),
    )
    _write(root / "index.html", partial(write_report, report))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A table and a figure of one subject, and the name of their files."""

    subject: Literal["results", "compare", "memory", "parts"]
    file: str
    title: str
    query: TableQuery


def _pieces(sources: Sources) -> list[_Piece]:
    """List what the site shows: all results, a comparison of each workload and level, DIMMs and parts of servers."""
    results = sources.results.results()
    compared = sorted({(result.workload, result.level) for result in results})
    servers = sorted({result.server for result in results})
    counted: dict[tuple[str, str], PartChoice] = {}
    for choice in sources.comparisons.part_choices():  # those with most counts come first
        counted.setdefault((choice.server, choice.key), choice)
    subjects = [
        *(("compare", *pair) for pair in compared),
        *(("memory", server) for server in servers),
        *(("parts", *of) for of in counted),
    ]
    names = dict(zip(subjects, file_names(subjects), strict=True))
    pieces = [_Piece("results", "results", "Results of all runs", TableQuery())]
    for workload, level in compared:
        query = TableQuery(workload=workload, level=level)
        pieces.append(_Piece("compare", names["compare", workload, level], f"Comparison: {workload}, {level}", query))
    for server in servers:
        with suppress(InputError):  # modules of one count only, or a server that is published and not measured
            _, workload, level = choose_memory(results, server, None, None)
            query = TableQuery(server=server, workload=workload, level=level)
            pieces.append(_Piece("memory", names["memory", server], f"Watts per DIMM: {server}", query))
    for (server, key), choice in counted.items():
        query = TableQuery(part=key, server=server, workload=choice.workload, level=choice.level)
        title = f"Watts per {choice.kind}: {choice.part}, {server}"
        pieces.append(_Piece("parts", names["parts", server, key], title, query))
    return pieces


def _tables(root: Path, sources: Sources, piece: _Piece) -> Iterator[Download]:
    try:
        table = product_table(sources, piece.subject, piece.query)
    except InputError:
        return
    yield from _table_files(root, table, piece.file, piece.title)


def _table_files(root: Path, table: Table, name: str, title: str) -> Iterator[Download]:
    """Write a table in each form; nothing of one without rows."""
    for extension, layout in _LAYOUTS.items() if table.rows else ():
        place = f"tables/{name}.{extension}"
        written = replace(arranged(table, layout), id=name)
        _write(root / place, partial(write_to, table=written, format=extension))
        yield _download(root, place, title)


def _figures(root: Path, sources: Sources, piece: _Piece) -> Iterator[Download]:
    """Draw a figure where these runs give it, and where the extra "figures" is installed."""
    if piece.subject == "results":
        return
    try:
        plot = product_figure(sources, piece.subject, piece.query)
        pages = range(1, len(figure_pages(plot, "two-columns")) + 1)
        files = [(page, write_figure(plot, "svg", page=page)) for page in pages]
        document = write_figure(plot, "pdf")
    except InputError:
        return
    for page, content in files:
        numbered, title = (f"-{page}", f"{piece.title}, page {page}") if len(files) > 1 else ("", piece.title)
        place = f"figures/{piece.file}{numbered}.svg"
        _write(root / place, partial(_put, content))
        yield _download(root, place, title)
    place = f"figures/{piece.file}.pdf"
    _write(root / place, partial(_put, document))
    yield _download(root, place, piece.title)


def _put(content: bytes, file: IO[bytes]) -> None:
    file.write(content)


def _write(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        write(file)


def _download(root: Path, place: str, title: str) -> Download:
    path = root / place
    label = path.name if place.startswith("data/") else path.suffix.lstrip(".").upper()
    return Download(place, title, label, path.stat().st_size)


def _files(downloads: list[Download], key: PublicKey | None) -> Section:
    words = ["Everything on this page follows from the archive; the command wattmark verify runs.zip recomputes it."]
    if key is not None:
        words.append(
            f"The archive is signed with the key {key.text}. Compare it with the key that the lab publishes elsewhere, "
            "such as in the article."
        )
    return Section("files", "Files", tuple(words), downloads=tuple(downloads))
