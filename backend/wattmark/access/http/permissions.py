"""The role for each route: one table. A route that is not in it is for administrators alone, and fails a test."""

from __future__ import annotations

from typing import cast

from fastapi import Request

from wattmark.access.gate import Identity, NotSignedIn
from wattmark.access.roles import Role
from wattmark.core.errors import Forbidden
from wattmark.web.operation import operation_of

VIEWER = """
    alarms_list_alarms
    annotations_list_annotations
    audits_audit_table audits_list_audits audits_one_audit
    archives_download_archive
    models_models models_limits models_model models_write_address models_read_fields
    plans_workloads plans_preview plans_forecast_draft plans_forecast_plan
    bench_bench bench_entries bench_changes
    campaign_current campaign_history campaign_plan campaign_throughput
    queue_queue queue_health
    certificates_list_certificates certificates_one_certificate certificates_certificate_file
    certificates_meters_calibration certificates_run_versions certificates_review_certificate
    certificates_preview_in_house
    check_standards_list_check_standards check_standards_check_standard_chart
    compare_choices compare_compare compare_compare_details compare_compare_differences compare_compare_matrix
    compare_compare_pairs compare_memory_choices compare_memory_pooled
    compare_memory compare_memory_break_even compare_memory_predicted compare_memory_published compare_memory_slopes
    compare_part_choices compare_part_pooled compare_part_slopes compare_parts compare_parts_break_even
    compare_published compare_scaling compare_scaling_load_levels compare_scaling_published
    compare_suites compare_suite_of
    export_report export_suite_html export_figure export_traces export_overlay export_download export_show
    fleet_choices fleet_compare fleet_compare_details fleet_compare_matrix fleet_state fleet_facets
    fleet_list_rows fleet_memory fleet_memory_pooled fleet_memory_slopes fleet_one_run fleet_part_slopes fleet_parts
    fleet_published fleet_ring fleet_rings fleet_row_facets fleet_samples fleet_scaling fleet_span fleet_traces
    imports_list_deleted imports_list_imports imports_list_kinds imports_list_mappings
    live_live live_stream live_history live_alarms
    gateway_list_speakers
    notices_list_notifiers
    outputs_list_outputs
    measurements_list_open
    runs_list_rows runs_list_runs runs_one_run runs_row_facets runs_samples runs_span runs_traces
    store_shared store_sink
    system_docs system_health system_metrics
    trash_show_trash
    workloads_make_parser
"""
OPERATOR = """
    annotations_tag_runs annotations_write_note
    archives_preview_archive archives_upload_archive
    bench_put_configuration bench_delete_configuration bench_put_plan bench_delete_plan bench_undo
    imports_import_published imports_preview_import imports_delete_import imports_restore_import
    imports_propose_mapping imports_try_csv_mapping imports_keep_mapping imports_delete_mapping
    campaign_start campaign_start_suite campaign_resume campaign_repeat campaign_stop campaign_ready
    check_standards_add_check_standard check_standards_record_reading
    markers_mark
    measurements_open_measurement measurements_begin measurements_end measurements_drop
    meters_check_meter meters_ports
    notices_test_notifier
    outputs_test_output
    queue_add queue_move queue_remove
    runs_delete_run
    store_copy_shared
    trash_move_to_trash trash_restore
    workloads_try_one
"""
ADMIN = """
    access_tokens access_create_token access_revoke_token access_audit
    annotations_include_run annotations_exclude_run
    certificates_add_certificate certificates_override_certificate certificates_revoke_certificate
    certificates_issue_in_house
    certificates_recompute_review certificates_recompute_run certificates_recompute_meter
    bench_source bench_name_lab bench_put_source bench_put_server bench_delete_server bench_put_meter bench_delete_meter
    bench_put_bmc bench_delete_bmc bench_add_secret bench_read_machine
    bench_ask_ssh_host bench_accept_ssh_host
    bench_delete_server_with_dependents
    meters_scan meters_try_meter
    trash_delete_for_good
"""
OPEN = frozenset({"access_session", "access_sign_in", "access_sign_out", "system_healthz", "system_live"})
"""Routes for everybody: signing in and out, and whether the service is there."""
HARMLESS = frozenset({"", "_unknown"})
"""The files of the web app, which contain no data of the lab, and the answer for an unknown route."""
ONLY_LOOKS = frozenset(
    {
        "archives_preview_archive",
        "certificates_preview_in_house",
        "certificates_review_certificate",
        "imports_preview_import",
        "imports_propose_mapping",
        "imports_try_csv_mapping",
        "models_read_fields",
        "models_write_address",
        "plans_forecast_draft",
        "plans_preview",
        "workloads_make_parser",
    }
)
"""Routes that take a POST and change nothing: they are not in the audit log."""
NEEDS: dict[str, Role] = {
    operation: role
    for role, operations in ((Role.VIEWER, VIEWER), (Role.OPERATOR, OPERATOR), (Role.ADMIN, ADMIN))
    for operation in operations.split()
}
LARGEST_BODY = {
    "archives_preview_archive": 4 * 2**30 + 1,
    "archives_upload_archive": 4 * 2**30 + 1,
    "imports_import_published": 2 * 2**30 + 1,
    "imports_preview_import": 2 * 2**30 + 1,
    "bench_put_source": 4 * 2**20,
    "measurements_end": 4 * 2**20,
    "certificates_add_certificate": 16 * 2**20 + 1,
}
"""Bytes of a body where a route takes more than `SMALL_BODY`; one more where the route itself reports the excess."""
SMALL_BODY = 256 * 2**10


def needed_role(operation: str) -> Role | None:
    """Return the role that an operation needs; None where it is open to everybody."""
    return None if operation in OPEN | HARMLESS else NEEDS.get(operation, Role.ADMIN)


def require_role(request: Request) -> None:
    """Check the role of every request before its route runs. Raises `Forbidden`."""
    needed = needed_role(operation_of(request))
    if needed is None:
        return
    identity = identity_of(request)
    if not identity.role.may(needed):
        raise Forbidden(
            f"This requires the role {needed}; the token {identity.name!r} has the role {_article(identity.role)} "
            f"{identity.role}.",
            f"Ask an administrator for a token with the role {needed}.",
        )


def may_decide(request: Request) -> bool:
    """Return whether the user may accept certificates and overrides, on which results depend."""
    return identity_of(request).role.may(Role.ADMIN)


def identity_of(request: Request) -> Identity:
    """Return the identity that the access middleware has found. Raises `NotSignedIn`."""
    identity = cast("Identity | None", request.scope.get("identity"))
    if identity is None:
        raise NotSignedIn(
            "This request needs a token.",
            "Sign in at /login, or send a token in the header `Authorization: Bearer TOKEN`.",
        )
    return identity


def _article(role: Role) -> str:
    return "a" if role is Role.VIEWER else "an"
