"""Routes about stored runs: a service with a reader has them answered there, a few at a time of each kind."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from wattmark.access.gate import LOCAL
from wattmark.api.access import address_of
from wattmark.api.forwarded import Forwarded
from wattmark.api.permissions import identity_of, operation_id, require_role
from wattmark.reader.bench import BENCH_HEADER, BenchNow
from wattmark.reader.lane import Kind

if TYPE_CHECKING:
    from wattmark.appliance.appliance import Appliance


FILE = """
    archives_download_archive archives_look_archive
    export_report export_figure export_download
    runs_list_runs runs_samples
    store_shared
"""
"""Answers that go on for long: whole results of all runs, reports, samples, archives."""
COMPARISON = """
    certificates_one_certificate certificates_review_certificate
    compare_choices compare_compare compare_memory compare_memory_break_even compare_scaling
    export_show
"""
"""Answers about many runs."""
PAGE = """
    certificates_list_certificates certificates_certificate_file certificates_meters_calibration
    certificates_run_versions
    compare_published
    runs_list_rows runs_one_run runs_traces
"""
"""Answers about one thing, or a part of a list."""
_KINDS: tuple[tuple[Kind, str], ...] = (("file", FILE), ("comparison", COMPARISON), ("page", PAGE))
KINDS: dict[str, Kind] = {operation: kind for kind, operations in _KINDS for operation in operations.split()}
"""The operations that read stored runs and change nothing."""
SAYS_BENCH = frozenset(
    {"archives_download_archive", "certificates_meters_calibration", "export_download", "export_show"}
)
"""Those that also say how the bench of now stands, which the service alone knows."""
STREAMED = frozenset({"archives_look_archive"})
"""Those whose body is too large to be held."""


class StoredRunsDesk:
    """Pass requests about stored runs on to the reader of an appliance."""

    def __init__(self, appliance: Appliance) -> None:
        assert appliance.reader is not None  # noqa: S101 - made only where there is one
        self._appliance = appliance
        self._reader = appliance.reader

    def answer(self, request: Request, operation: str) -> Response:
        """Give the answer that the reader will make, when it is this request's turn."""
        headers = {}
        if operation in SAYS_BENCH:
            bench = BenchNow(lab=self._appliance.lab, meters=tuple(self._appliance.bench_records()))
            headers[BENCH_HEADER] = bench.as_header()
        place = self._reader.lanes[KINDS[operation]].place(client_of(request))
        return Forwarded(request, self._reader, place, headers, hold_body=operation not in STREAMED)


class StoredRoute(APIRoute):
    """A route that the reader answers where there is one; what is in no kind above is answered here."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Check the role here, and pass the request on."""
        here = super().get_route_handler()
        operation = operation_id(self)

        async def handle(request: Request) -> Response:
            desk: StoredRunsDesk | None = request.app.state.reader
            if desk is None or operation not in KINDS:
                return await here(request)
            require_role(request)
            return desk.answer(request, operation)

        return handle


def client_of(request: Request) -> str:
    """Name who asks, so that nobody takes all places: the token, or the address where none is asked for."""
    who = identity_of(request)
    return address_of(request.scope) if who is LOCAL else who.name
