"""Whatever reads stored runs is answered by the reader; a route outside its table would run beside the meters."""

from __future__ import annotations

from wattmark.access.http.permissions import LARGEST_BODY, NEEDS, ONLY_LOOKS, SMALL_BODY
from wattmark.archives import routes as archives
from wattmark.comparison.routes import comparisons as compare
from wattmark.reports import routes as exports
from wattmark.results.routes import certificates, runs
from wattmark.service.reader.client import KINDS, SAYS_BENCH, UPLOAD
from wattmark.web.stored import StoredRoute

from .described import operations

ABOUT_STORED_RUNS = (archives, certificates, compare, exports, runs)
BESIDE_THE_METERS = {
    *("access_audit", "access_session", "access_tokens", "alarms_list_alarms", "annotations_list_annotations"),
    *(
        "bench_bench",
        "notices_list_notifiers",
        "bench_changes",
        "bench_entries",
        "bench_source",
        "campaign_current",
        "campaign_plan",
        "campaign_history",
        "campaign_throughput",
    ),
    *(
        "check_standards_check_standard_chart",
        "check_standards_list_check_standards",
        "live_alarms",
        "live_history",
        "live_live",
    ),
    *("live_stream", "meters_ports", "models_limits", "models_model", "models_models", "plans_workloads", "store_sink"),
    # The queue, what of it is ready, and the measurements that are open: state of the process that measures.
    *("measurements_list_open", "queue_health", "queue_queue"),
    # What outputs have sent is known to the process that sends.
    "outputs_list_outputs",
    # What is spoken, and who asks, is known to the process that feeds the speakers.
    "gateway_list_speakers",
    # A forecast asks the meters as they answer now; of stored runs it reads 60 at most.
    "plans_forecast_plan",
    *("system_docs", "system_health", "system_healthz", "system_live", "system_metrics", "trash_show_trash"),
}
"""What the service answers itself: its own state, or a few rows of a table. Say here why before adding to it."""


def test_every_operation_that_only_reads_is_answered_by_the_reader_or_named_here() -> None:
    reading = {operation for operation, (method, _) in operations().items() if method == "GET"}
    assert reading - KINDS.keys() == BESIDE_THE_METERS


def test_what_the_reader_answers_changes_nothing() -> None:
    assert all(operations()[operation][0] == "GET" or operation in ONLY_LOOKS for operation in KINDS)
    assert KINDS.keys() <= NEEDS.keys()


def test_all_routes_about_stored_runs_look_into_the_table() -> None:
    for room in ABOUT_STORED_RUNS:
        assert all(type(route) is StoredRoute for route in room.router.routes), room.__name__


def test_only_a_small_body_is_held() -> None:
    assert {operation for operation in KINDS if LARGEST_BODY.get(operation, 0) > SMALL_BODY} == set(UPLOAD.split())
    assert KINDS.keys() >= SAYS_BENCH
