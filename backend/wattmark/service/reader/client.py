"""Have requests about stored runs answered by the reader, a few at a time of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request, Response

from wattmark.access.gate import LOCAL
from wattmark.access.http.middleware import address_of
from wattmark.access.http.permissions import identity_of, require_role
from wattmark.service.reader.bench import BENCH_HEADER, BenchNow
from wattmark.service.reader.forwarded import Forwarded
from wattmark.service.reader.lane import Kind

if TYPE_CHECKING:
    from wattmark.service.service import Service


FILE = """
    archives_download_archive
    audits_audit_table
    export_report export_suite_html export_figure export_traces export_overlay export_download
    fleet_samples
    runs_list_runs runs_samples
    store_shared
"""
"""Answers that go on for long: whole results of all runs, reports, samples, archives."""
UPLOAD = """
    archives_preview_archive imports_preview_import
"""
"""Answers about a body that is too large to be held: a slow client keeps only others who send one from their place."""
COMPARISON = """
    certificates_one_certificate certificates_review_certificate
    compare_choices compare_compare compare_compare_details compare_compare_differences compare_compare_matrix
    compare_compare_pairs compare_memory_choices compare_memory_pooled
    compare_memory compare_memory_break_even compare_memory_predicted compare_memory_published compare_memory_slopes
    compare_scaling compare_part_choices compare_part_pooled compare_part_slopes compare_parts compare_parts_break_even
    compare_scaling_load_levels compare_scaling_published compare_suites compare_suite_of
    export_show
    fleet_choices fleet_compare fleet_compare_details fleet_compare_matrix fleet_facets
    fleet_memory fleet_memory_pooled fleet_memory_slopes fleet_part_slopes fleet_parts
    fleet_ring fleet_rings fleet_scaling
"""
"""Answers about many runs."""
PAGE = """
    certificates_list_certificates certificates_certificate_file certificates_meters_calibration
    certificates_run_versions
    audits_list_audits audits_one_audit
    compare_published
    fleet_state fleet_list_rows fleet_row_facets fleet_one_run fleet_published fleet_span fleet_traces
    imports_list_deleted imports_list_imports imports_list_kinds imports_list_mappings
    imports_propose_mapping imports_try_csv_mapping
    runs_list_rows runs_row_facets runs_one_run runs_span runs_traces
"""
"""Answers about one thing, or a part of a list."""
_KINDS: tuple[tuple[Kind, str], ...] = (("file", FILE), ("upload", UPLOAD), ("comparison", COMPARISON), ("page", PAGE))
KINDS: dict[str, Kind] = {operation: kind for kind, operations in _KINDS for operation in operations.split()}
"""The operations that read stored runs and change nothing."""
SAYS_BENCH = frozenset(
    {"archives_download_archive", "certificates_meters_calibration", "export_download", "export_show"}
)
"""Those that also say how the bench of now stands, which the service alone knows."""


class ReaderClient:
    """Pass requests about stored runs on to the reader of an appliance."""

    def __init__(self, service: Service) -> None:
        assert service.reader is not None  # noqa: S101 - made only where there is one
        self._appliance = service
        self._reader = service.reader

    def answer(self, request: Request, operation: str) -> Response | None:
        """Return the reader's answer, when it is this request's turn; None where this process answers itself."""
        if operation not in KINDS:
            return None
        require_role(request)
        headers = {}
        if operation in SAYS_BENCH:
            bench = BenchNow(lab=self._appliance.lab, meters=tuple(self._appliance.bench_records()))
            headers[BENCH_HEADER] = bench.as_header()
        kind = KINDS[operation]
        place = self._reader.lanes[kind].place(client_of(request))
        return Forwarded(request, self._reader, place, headers, hold_body=kind != "upload")


def client_of(request: Request) -> str:
    """Return the client's name for sharing places fairly: its token, or its address where no sign-in is needed."""
    identity = identity_of(request)
    return address_of(request.scope) if identity is LOCAL else identity.name
