"""Counts, times and rates as logs of MLPerf Inference v4.1 and v5.1 print them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from wattmark.workloads.loadgen.loadgen_work import LoadgenWork, read_work


def work_of(scenario: str, window_s: float, **values: object) -> LoadgenWork:
    read: dict[str, Any] = {k: Decimal(str(v)) if isinstance(v, float) else v for k, v in values.items()}
    return read_work(scenario, read, window_s)


def test_the_generated_count_decides_and_gives_the_stated_rate() -> None:
    """Llama 2 70B Offline, v5.1: 992 640 samples were planned, 41 whole sets of 24 576 were run."""
    work = work_of(
        "Offline",
        2676.184,
        effective_samples_per_query=992640,
        generated_query_count=1,
        generated_samples_per_query=1007616,
        effective_performance_sample_count=24576,
        effective_sample_concatenate_permutation=True,
        result_samples_per_second=376.512,
        result_tokens_per_second=102909,
    )
    assert work.samples == 41 * 24576 == 1007616
    assert work.samples / 2676.184 == pytest.approx(376.512, rel=2e-6)
    assert work.tokens == round(102909 * 2676.184)
    assert work.token_step == pytest.approx(2676.184)


@pytest.mark.parametrize(
    ("printed", "set_size", "rate", "window_s", "ran"),
    [
        (253440, 24576, 86.7369, 3116.735, 11 * 24576),
        (190080, 13368, 189.806, 1056.448, 15 * 13368),
        (865920, 15000, 335.674, 2591.803, 58 * 15000),
        (8910, 5000, 13.202, 674.898, 8910),
        (253440, 24576, 95.0, 3116.735, 253440),
    ],
)
def test_version_4_1_prints_the_count_that_was_asked_for(
    printed: int, set_size: int, rate: float, window_s: float, ran: int
) -> None:
    """Llama 2 70B, GPT-J and Mixtral ran whole sets, SDXL did not; a rate that follows from neither changes nothing."""
    work = work_of(
        "Offline",
        window_s,
        generated_query_count=1,
        generated_samples_per_query=printed,
        effective_performance_sample_count=set_size,
        result_samples_per_second=rate,
    )
    assert work.samples == ran


def test_samples_that_were_not_permuted_are_not_rounded_up() -> None:
    work = work_of(
        "Offline",
        622.963,
        generated_query_count=1,
        generated_samples_per_query=19800,
        effective_performance_sample_count=5000,
        effective_sample_concatenate_permutation=False,
        result_samples_per_second=31.7836,
    )
    assert work.samples == 19800


def test_queries_that_were_answered_count_not_those_that_were_prepared() -> None:
    """3D-UNet Offline, v4.1: 43 queries were generated and one was run."""
    work = work_of(
        "Offline", 681.163, result_query_count=1, generated_query_count=43, generated_samples_per_query=28380
    )
    assert work.samples == 28380


def test_tokens_of_a_server_run_are_counted_to_the_last_answer() -> None:
    """Llama 2 70B Server, v5.1: LoadGen's token rate ends with the last query, the window with the last answer."""
    work = work_of(
        "Server",
        2463.076,
        generated_query_count=884736,
        generated_samples_per_query=1,
        result_scheduled_samples_per_sec=363.79,
        result_completed_samples_per_sec=361.62,
        result_completed_tokens_per_second=99203.9,
    )
    assert work.samples == 884736
    assert work.tokens == round(884736 * 99203.9 / 361.62)
    assert work.token_rate == 99203.9
    assert work.token_step == pytest.approx(work.tokens * ((0.1 / 99203.9) ** 2 + (0.001 / 361.62) ** 2) ** 0.5)


def test_inferred_tokens_are_not_counted() -> None:
    """GPT-J, v4.1: LoadGen multiplies samples by a constant."""
    work = work_of("Offline", 1056.448, generated_query_count=1, generated_samples_per_query=200520,
                   result_samples_per_second=189.806, result_inferred_tokens_per_second=13096.6)  # fmt: skip
    assert work.tokens is None


def test_a_log_without_a_count_gives_none() -> None:
    work = work_of("Server", 600.0, result_scheduled_samples_per_sec=100.5)
    assert work.samples is None
    assert [(figure.name, figure.value, figure.unit) for figure in work.stated] == [
        ("result_scheduled_samples_per_sec", 100.5, "samples/s")
    ]
