"""What holds for all tests."""

from __future__ import annotations

import faulthandler
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent

ALONE = (
    "integration/campaigns/test_clocks",
    "integration/campaigns/test_full_load",
    "integration/campaigns/test_latency",
    "integration/campaigns/test_llm_energy",
    "integration/campaigns/test_namespaces",
    "integration/campaigns/test_together",
    "integration/cli/test_gate",
    "integration/cli/test_suite",
    "integration/hosts",
    "integration/service/test_long_import",
    "integration/service/test_resume",
    "integration/workloads/test_catalogue",
    "integration/workloads/test_measure",
    "integration/workloads/test_paced",
    "e2e/test_demo",
    "e2e/test_first_contact",
)
"""Folders and files whose tests bring this machine to full load or judge it; the others may run beside one another."""

LONG = (
    *ALONE,
    "e2e",
    "integration/alarms",
    "integration/campaigns/test_campaign.py::test_an_installation_lasts",
    "integration/campaigns/test_campaign.py::test_the_operator_seats_the_modules_anew",
    "integration/campaigns/test_connection",
    "integration/campaigns/test_power_kill",
    "integration/campaigns/test_rules",
    "integration/cli/test_bad_input",
    "integration/cli/test_doctor",
    "integration/cli/test_line_load",
    "integration/cli/test_measure",
    "integration/cli/test_run_answer",
    "integration/cli/test_site",
    "integration/cli/test_slow_publisher",
    "integration/cli/test_table_files",
    "integration/cli/test_wrong_password",
    "integration/client",
    "integration/coverage",
    "integration/crash",
    "integration/docs/test_commands",
    "integration/docs/test_notebooks",
    "integration/docs/test_queries",
    "integration/cli/test_ptd",
    "integration/drivers/faces/test_hostile",
    "integration/drivers/faces/test_own_drivers.py::test_no_reason_leaves_a_number",
    "integration/drivers/ipmi/test_bmc.py::test_a_standing_stamp_is_stale",
    "integration/drivers/mqtt/test_simulated",
    "integration/drivers/ptdaemon",
    "integration/drivers/snmp/test_bogus",
    "integration/drivers/snmp/test_simulated",
    "integration/drivers/test_device_faults",
    "integration/drivers/test_every_simulator.py::test_a_fault_is_a_flag_or_a_gap[mqtt",
    "integration/drivers/test_every_simulator.py::test_every_channel_is_read_back_to_the_value_put_in[mqtt",
    "integration/drivers/test_every_simulator.py::test_every_channel_is_read_back_to_the_value_put_in[snmp",
    "integration/drivers/test_no_reading",
    "integration/drivers/test_simulated_mark",
    "integration/archives/test_unevaluable.py::test_nothing_is_left_of_a_restore_that_was_killed",
    "integration/fleet/clickhouse",
    "integration/gateway/test_recipes",
    "integration/fleet/influx",
    "integration/reading/test_appliance",
    "integration/reading/test_mcp.py::test_the_official_client_gets_every_figure_with_its_uncertainty_or_the_reason"
    "[runs.zip]",
    "integration/reports/test_latex_pages",
    "integration/runs/test_retention.py::test_a_service_thins_by_itself",
    "integration/security/test_api_fuzz",
    "integration/security/test_inventory_installed",
    "integration/workloads/test_llama",
    "integration/workloads/test_llm",
    "integration/security/test_limits",
    "integration/security/test_nobody",
    "integration/security/test_operation",
    "integration/security/test_packaging",
    "integration/security/test_sbom",
    "integration/security/test_secrets_stay",
    "integration/service/test_api_examples",
    "integration/service/test_editing",
    "integration/service/test_elsewhere",
    "integration/service/test_exchanged_meter",
    "integration/service/test_frozen_meter",
    "integration/service/test_harmless",
    "integration/service/test_meter_check",
    "integration/service/test_queue",
    "integration/service/test_read_machine",
    "integration/service/test_reader",
    "integration/service/test_repeating",
    "integration/service/test_secrets",
    "integration/service/test_service",
    "integration/service/test_simulated_meter",
    "integration/simulators/test_bmc_mishaps",
    "integration/simulators/test_mbpoll.py::test_the_energy_register_moves",
    "integration/simulators/test_modbus_lines",
    "integration/simulators/test_process",
    "integration/simulators/test_sysfs_trees.py::test_the_processor_draws_its_share",
    "integration/store/test_deep_reading",
    "integration/store/test_hostile_folder",
    "integration/store/test_kill",
    "integration/test_flaky",
    "integration/year/test_year.py::test_new_seeds",
    "integration/workloads/test_flood.py::test_a_flood_is_ended_with_words",
    "integration/workloads/test_flood.py::test_five_million_lines",
    "unit/wattmark/analysis/comparison/test_comparison.py::test_coverage",
    "unit/wattmark/analysis/comparison/test_looks",
    "unit/wattmark/analysis/comparison/test_ranking.py::test_familywise_error",
    "unit/wattmark/analysis/energy/test_type_a.py::test_short_series_cover",
    "unit/wattmark/analysis/parts/test_break_even.py::test_coverage",
    "unit/wattmark/analysis/parts/test_fit.py::test_coverage",
    "unit/wattmark/analysis/parts/test_fit.py::test_three_counts_once_each",
    "unit/wattmark/analysis/scaling/test_scaling_fit.py::test_coverage",
    "unit/wattmark/analysis/clocks/test_cross_calibration.py::test_intervals_are_not_padded",
    "unit/wattmark/analysis/clocks/test_cross_calibration.py::test_the_truth_lies_in_95_of_100_intervals[1.0]",
    "unit/wattmark/analysis/test_any_input",
    "unit/wattmark/analysis/test_campaign_coverage",
    "unit/wattmark/analysis/test_cross_calibration_other_load",
    "unit/wattmark/bench/editing/test_any_change",
    "unit/wattmark/bench/editing/test_rewrite_any",
    "unit/wattmark/campaigns/test_forecast.py::test_the_forecast_difference_is_found_as_often_as_it_says",
    "unit/wattmark/campaigns/test_forecast.py::test_the_forecast_interval_is_as_wide_as_those_of_the_runs",
    "unit/wattmark/comparison/compare/test_best_setting.py::test_the_truth_lies",
    "unit/wattmark/comparison/compare/test_campaign_coverage",
    "unit/wattmark/comparison/parts/test_campaign_coverage",
    "unit/wattmark/comparison/compare/test_structure.py::test_equal_configurations_on_a_whole_watt_meter",
    "unit/wattmark/importers/test_same_source.py::test_the_same_upload_gives_the_same_and_names_no_scratch_folder"
    "[eehpc without one]",
    "unit/wattmark/fleet/influx/test_outbox.py::test_every_sample_is_sent",
    "unit/wattmark/reports/test_figures.py::test_another_process",
    "unit/wattmark/tables/test_parquet.py::test_another_program",
    "unit/wattmark/reports/test_report_of_many",
    "unit/wattmark/service/doctor/test_doctor.py::test_the_command_speaks_json",
    "unit/wattmark/service/http/test_any_request",
    "unit/wattmark/service/http/test_poisoned_runs",
    "unit/wattmark/store/test_bit_flips",
    "unit/wattmark/store/test_sample_model",
    "unit/wattmark/workloads/parsers/test_flow.py::test_a_day_of_reports",
    "unit/wattmark_calibration/york/test_york.py::test_coverage",
)
"""What takes longest for what it finds: `make test-long` runs it, `make test` only those of ``KEPT``."""

KEPT = (
    "integration/cli/test_measure.py::test_work_energy",
    "integration/client/test_client.py::test_figures_are_those_of_the_work",
    "integration/drivers/test_no_reading.py::test_a_device_has_a_reading_as_long_as_it_is_fed[ipmi]",
    "integration/drivers/test_no_reading.py::test_a_device_has_a_reading_as_long_as_it_is_fed[modbus]",
    "integration/drivers/test_no_reading.py::test_a_device_has_a_reading_as_long_as_it_is_fed[redfish]",
    "e2e/test_access",
    "e2e/test_compare",
    "e2e/test_first_run.py::test_from_an_empty_folder",
    "e2e/test_fleet",
    "e2e/test_plans",
    "e2e/test_runs",
    "integration/campaigns/test_clocks.py::test_a_clock_set_during_the_run",
    "integration/campaigns/test_clocks.py::test_programs_beside_a_load_on_another_server",
    "integration/campaigns/test_full_load",
    "integration/campaigns/test_power_kill.py::test_killed_with_some_of_it_written",
    "integration/campaigns/test_together.py::test_a_stop_ends_both_loads",
    "integration/campaigns/test_together.py::test_phases_go_in_step",
    "integration/cli/test_doctor.py::test_a_full_disk",
    "integration/drivers/test_every_simulator.py::test_every_channel_is_read_back_to_the_value_put_in[snmp apc.rpdu2]",
    "integration/fleet/clickhouse/test_reading.py::test_every_answer_is_that_of_the_appliance[current engine]",
    "integration/fleet/clickhouse/test_sink.py::test_everything_arrives_bit_for_bit_and_sending_twice_changes_nothing"
    "[current engine]",
    "integration/gateway/test_recipes.py::test_programs_show_the_watts_of_the_meter[backend/docs/guide/recipes/modbus",
    "integration/hosts/test_heartbeat.py::test_a_load_without_heartbeats",
    "integration/hosts/test_probing.py::test_what_runs_there_beside_the_load",
    "integration/hosts/test_ssh.py::test_a_lost_connection_ends_the_load",
    "integration/hosts/test_ssh.py::test_a_workload_is_measured_on_another_machine",
    "integration/hosts/test_ssh.py::test_arguments_reach_the_program_as_they_are",
    "integration/hosts/test_ssh.py::test_the_script_is_plain_sh",
    "integration/hosts/test_ssh.py::test_what_a_killed_wattmark_left",
    "integration/security/test_nobody.py::test_with_a_place_for_its_data",
    "integration/security/test_operation.py::test_the_service_stops_within",
    "integration/service/test_editing.py::test_two_editors",
    "integration/service/test_long_import.py::test_a_signal_ends_the_service_in_time[1]",
    "integration/service/test_reader.py::test_a_reader_that_dies",
    "integration/service/test_reader.py::test_a_run_that_ends_is_evaluated",
    "integration/service/test_reader.py::test_roles_are_checked",
    "integration/service/test_resume",
    "integration/service/test_service.py::test_a_plan_from_start_to_result",
    "integration/service/test_service.py::test_a_second_service_on_the_same_data",
    "integration/service/test_service.py::test_a_stop_keeps_the_run",
    "integration/simulators/test_process.py::test_a_taken_port",
    "integration/simulators/test_process.py::test_an_orderly_end_leaves_nothing_behind[SIGTERM]",
    "integration/simulators/test_process.py::test_the_planted_slope",
    "integration/simulators/test_process.py::test_without_the_token",
    "integration/simulators/test_process.py::test_wrong_control_messages",
    "integration/store/test_kill.py::test_nothing_acknowledged_is_lost_and_nothing_is_doubled[0]",
    "integration/store/test_kill.py::test_nothing_acknowledged_is_lost_and_nothing_is_doubled[1]",
    "integration/workloads/test_catalogue.py::test_loads_that_need_nothing_count_their_work[openssl.sha256",
    "integration/workloads/test_llm.py::test_failures_are_counted_and_fail_the_run[status",
    "integration/workloads/test_llm.py::test_tokens_and_times_are_those_of_the_script",
    "integration/workloads/test_measure.py::test_a_cancelled_measurement",
    "integration/workloads/test_measure.py::test_a_failing_load_says_why",
    "integration/workloads/test_measure.py::test_interval_reports_after_a_warm_up",
    "integration/workloads/test_measure.py::test_rsa_signatures_in_slices",
    "unit/wattmark/analysis/comparison/test_comparison.py::test_coverage_of_the_interval[3-0.01]",
    "unit/wattmark/analysis/energy/test_type_a.py::test_short_series_cover_without_absurd_width[0.3-8]",
    "unit/wattmark/analysis/parts/test_fit.py::test_coverage_of_clean_campaigns[counts0-3-False]",
)

FIRST = ("integration/docs/test_commands", "e2e", "integration/service", "integration/cli/test_demo_once")
"""What takes longest, begun first, so that nobody waits for it in the end."""

GRACE_S, STDERR = 60, 2

settings.register_profile(
    "same everywhere",
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile(
    "long", parent=settings.get_profile("same everywhere"), derandomize=False, database=None, max_examples=500
)
settings.load_profile("same everywhere")


def pytest_configure() -> None:
    """Let signals reach the programs that tests start, also where these tests were begun to outlive a terminal."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End a worker that hangs after the time of its test is over, in a thread that never ends; xdist starts another."""
    _watch(item)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Watch again: pytest stops watching at a failure."""
    _watch(item)
    return (yield)


def _watch(item: pytest.Item) -> None:
    if hasattr(item.config, "workerinput"):
        own = item.get_closest_marker("timeout")
        limit_s = float(own.args[0] if own else item.config.getini("timeout"))
        faulthandler.dump_traceback_later(limit_s + GRACE_S, exit=True, file=STDERR)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no file of which ``-m`` chooses no test: importing all takes longer than running some of the groups."""
    path, chosen = collection_path.relative_to(HERE).as_posix(), config.option.markexpr
    if collection_path.suffix != ".py":
        return None
    all_long = path.startswith(LONG) and not path.startswith(tuple(test.partition("::")[0] for test in KEPT))
    wrong_company = "alone" in chosen and path.startswith(ALONE) == ("not alone" in chosen)
    return True if wrong_company or ("not long" in chosen and all_long) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {item: item.path.relative_to(HERE).as_posix() for item in items}
    for item, path in place.items():
        if path.startswith(ALONE):
            item.add_marker("alone")
        test = f"{path}::{item.name}"
        if test.startswith(LONG) and not test.startswith(KEPT):
            item.add_marker("long")
    # By the names of files alone, integration lies among unit: who waits for a peer runs beside who computes.
    items.sort(key=lambda item: (not place[item].startswith(FIRST), item.path.name))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs that are evaluated from their samples."""
    from wattmark.results import evaluate as evaluating

    seen: list[str] = []
    real = evaluating.evaluate

    def counted(run: Any, *rest: Any) -> Any:
        seen.append(run.run_id)
        return real(run, *rest)

    monkeypatch.setattr(evaluating, "evaluate", counted)
    return seen
