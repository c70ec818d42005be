from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.importers.mlperf.systems import parse_system
from wattmark.workloads.loadgen.source_file import SourceFile


def system(**stated: Any) -> dict[str, Any]:
    return parse_system(SourceFile("systems/x.json", json.dumps(stated).encode()))


def test_published_description_becomes_a_configuration() -> None:
    # systems/r282_z93_q5-qaic-v1.3.14-aic100.json, MLPerf inference v1.0.
    configuration = system(
        system_name="Gigabyte R282-Z93 5x QAIC100",
        host_processor_model_name="AMD EPYC 7282 16-Core Processor",
        host_processors_per_node="2",
        host_processor_core_count="16",
        host_processor_frequency="2800 MHz",
        host_memory_capacity="4x 32 GB",
        accelerators_per_node="5",
        accelerator_model_name="QUALCOMM Cloud AI 100 PCIe HHHL",
    )
    assert configuration["title"] == "Gigabyte R282-Z93 5x QAIC100"
    assert (configuration["cpu_count"], configuration["cores"], configuration["clock_mhz"]) == (2, 32, 2800.0)
    assert (configuration["memory_gib"], configuration["dimm_count"]) == (128.0, 4)
    assert configuration["accelerators"] == "5 x QUALCOMM Cloud AI 100 PCIe HHHL"
    assert configuration["submission"]["system_name"] == "Gigabyte R282-Z93 5x QAIC100"


@pytest.mark.parametrize(
    ("capacity", "gib", "modules"),
    [
        ("512 GB", 512.0, None),
        ("1 TB", 1024.0, None),
        ("16 x 32GiB", 512.0, 16),
        ("", None, None),
        ("plenty", None, None),
    ],
)
def test_memory_in_the_words_of_submitters(capacity: str, gib: float | None, modules: int | None) -> None:
    configuration = system(host_memory_capacity=capacity)
    assert (configuration["memory_gib"], configuration["dimm_count"]) == (gib, modules)


def test_what_is_not_told_stays_unknown() -> None:
    configuration = system()
    assert configuration["title"] == "x"
    assert (
        configuration["cpu_count"],
        configuration["cores"],
        configuration["clock_mhz"],
        configuration["memory_gib"],
    ) == (None, None, None, None)


def test_no_json_names_file_and_line() -> None:
    with pytest.raises(InputError, match=r"systems/x\.json line 2: it is not JSON"):
        parse_system(SourceFile("systems/x.json", b'{"a": 1,\n b}'))


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "host_memory_capacity",
                "host_processor_frequency",
                "host_processor_core_count",
                "host_processors_per_node",
            ]
        ),
        st.text(max_size=20) | st.integers() | st.none(),
    )
)
def test_no_words_break_the_reader(stated: dict[str, Any]) -> None:
    system(**stated)


def test_escapes_that_no_text_can_hold_are_replaced() -> None:
    parsed = parse_system(SourceFile("systems/x.json", b'{"system_name": "a\\ud800b", "list": ["\\udfff"]}'))
    assert parsed["title"] == "a?b"
    assert parsed["submission"]["list"] == ["?"]


def test_document_nested_too_deeply_is_refused() -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        parse_system(SourceFile("systems/x.json", b"[" * 200_000))
