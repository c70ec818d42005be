"""The runs of a running appliance, by its HTTP API."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, urlencode

from pydantic import TypeAdapter, ValidationError

from wattmark.comparison.compare.views import CompareChoice, CompareOut
from wattmark.comparison.compare.yardstick import Yardstick
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.extras import require
from wattmark.core.validation import first_mistake
from wattmark.fleet.parquet.read import batches_of
from wattmark.reading.arrow_table import FEATURE, ArrowTable
from wattmark.reading.http_service import ask_service, file_of_service
from wattmark.reading.readable import Comparing, Readable, all_rows
from wattmark.results.pages.listing import RunRows
from wattmark.results.pages.row import RunRow
from wattmark.results.pages.run_page import RunOut
from wattmark.results.result import Result
from wattmark.runs.samples.parquet_rows import sample_table

T = TypeVar("T")
_TIMEOUT_S = 60.0
"""For what a service must compute first, as a comparison of thousands of runs."""
_ROWS_AT_ONCE = 2000
"""With the longest notes and tags, half of what is read of an answer."""
_BATCH = 65_536


class Appliance(Readable):
    """Asked anew by every call. ``token``: secret of `wattmark token create`; without it, that of WATTMARK_TOKEN."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._service = _Service(url, token)

    def samples(self, run: str) -> ArrowTable:
        with tempfile.TemporaryDirectory(prefix="wattmark-") as folder:
            file = Path(folder) / "samples.parquet"
            self._service.copy(f"runs/{quote(run, safe='')}/samples.parquet", file)
            schema = sample_table((), FEATURE).schema
            try:
                batches = [*batches_of(file, _BATCH)]
            except InputError as error:
                raise self._service.unreadable(error.cause.removesuffix(".")) from None
        return ArrowTable(require("parquet", "arro3.core", FEATURE).Table.from_batches(batches, schema=schema))

    def result(self, run: str) -> Result:
        return self._service.ask(RunOut, f"runs/{quote(run, safe='')}").result

    def rows(self) -> Sequence[RunRow]:
        ask = self._service.ask
        return all_rows(lambda offset: ask(RunRows, "run-rows", sort="created", offset=offset, limit=_ROWS_AT_ONCE))

    @contextmanager
    def comparing(self) -> Iterator[Comparing]:
        yield self._service


class _Service:
    """What a service answers, as the models that it answers with."""

    def __init__(self, url: str, token: str | None) -> None:
        self._url = url
        self._token = token

    def choices(self) -> list[CompareChoice]:
        return self.ask(list[CompareChoice], "compare/choices")

    def compare(self, workload: str, level: str, baseline: str | None, by: Yardstick) -> CompareOut:
        query: dict[str, str | float] = {
            "workload": workload,
            "level": level,
            "figure": by.figure,
            "smallest_pct": 100 * by.margin,
        }
        return self.ask(CompareOut, "compare", **query, **({} if baseline is None else {"baseline": baseline}))

    def ask(self, kind: type[T], path: str, **query: str | float) -> T:
        """Ask for a document. Raises `WattmarkError`."""
        asked = f"/api/{path}?{urlencode(query)}"
        answer = ask_service(self._url, "GET", asked, token=self._token, timeout_s=_TIMEOUT_S)
        try:
            return TypeAdapter(kind).validate_python(answer)
        except ValidationError as error:
            raise self.unreadable(first_mistake(error)) from None

    def unreadable(self, reason: str) -> WattmarkError:
        """Make the error for an answer that is not what was asked for."""
        return WattmarkError(
            f"The answer of {self._url} cannot be read ({reason}).",
            "Check the address, and use the same version of wattmark here and there.",
        )

    def copy(self, path: str, file: Path) -> None:
        """Copy a file of the service. Raises `WattmarkError`."""
        with file.open("wb") as copy:
            for piece in file_of_service(self._url, f"/api/{path}", self._token):
                copy.write(piece)
