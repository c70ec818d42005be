"""The door for numbers: how they are written, and how large they may be."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from wattmark.core.amounts import LEAST, MOST, NotANumber, problem, read_number
from wattmark.core.validation import first_mistake
from wattmark.runs.record import MeterRecord, ThroughputInterval

from tests.stored_run import make_run


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(
            ("1234", 1234.0),
            (" 12.5 ", 12.5),
            ("+3", 3.0),
            ("-3.", -3.0),
            (".5", 0.5),
            ("1e6", 1e6),
            ("2.5E-3", 2.5e-3),
        ),
        *(("1,234", 1234.0), ("12,345,678", 12345678.0), ("1,234.5", 1234.5), ("-1,000", -1000.0)),
    ],
)
def test_numbers_as_programs_write_them(text: str, value: float) -> None:
    assert read_number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "1234,56",
        "0,5",
        "1,23",
        "0,500",
        "012,345",
        "1,2345",
        "1.234,56",
        "1,234,56",
        "1.234,567",
        "1,234e3",
        ",5",
        "1,",
        "1,,000",
    ],
)
def test_a_comma_that_may_be_a_decimal_one_is_refused(text: str) -> None:
    with pytest.raises(NotANumber, match="does not separate groups of three") as refused:
        read_number(text)
    assert "LC_ALL=C" in refused.value.remedy


@pytest.mark.parametrize("text", ["", "abc", "1.2.3", "1_000", "0x10", "--1", "1 000", "٣", "1e", "nano"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(NotANumber, match="is not a number"):
        read_number(text)


@given(st.text(max_size=30))
def test_any_text_is_a_number_or_refused(text: str) -> None:
    try:
        value = read_number(text)
    except NotANumber:
        return
    assert isinstance(value, float)
    assert text.count(",") == 0 or value == float(text.replace(",", ""))


@given(st.floats(min_value=-1e9, max_value=1e9))
def test_numbers_come_back(value: float) -> None:
    assert read_number(repr(value)) == value
    if abs(value) >= 1000:
        assert read_number(f"{value:,.3f}") == float(f"{value:.3f}")


@pytest.mark.parametrize("value", [0.0, LEAST, 1.0, MOST])
def test_amounts_between_the_bounds_are_taken(value: float) -> None:
    assert problem(value) is None


@pytest.mark.parametrize(
    ("value", "why"),
    [
        *((math.inf, "not finite"), (math.nan, "not finite"), (-1.0, "below 0"), (1e31, "above 1e")),
        *((1e150, "above 1e"), (1e-31, "below 1e-30"), (1e-320, "below 1e-30")),
    ],
)
def test_amounts_beyond_the_bounds_are_named(value: float, why: str) -> None:
    assert why in (problem(value) or "")


def test_the_bounds_keep_what_is_computed_with_amounts_among_the_floats() -> None:
    for fourth in ((MOST / LEAST) ** 4, (LEAST / MOST) ** 4):
        assert math.isfinite(fourth)
        assert fourth > 0


@pytest.mark.parametrize(
    "changes",
    [
        {"throughput": ({"begin_ns": 0, "end_ns": 1, "amount": 1e150},)},
        {"throughput": ({"begin_ns": 0, "end_ns": 1, "amount": 1e-320},)},
        {"throughput": ({"begin_ns": 0, "end_ns": 2**63, "amount": 1},)},
        {"response_times": ({"t_ns": 0, "statistic": "mean", "value_s": 1e308},)},
        *({"stated_throughput": value} for value in (1e308, math.inf, math.nan, -1.0, 1e-320)),
        {"stated_energy_operations": 1e100},
        *({"count_step": value} for value in (0.0, 1e-320, 1e100)),
        {"created_ns": 10**30},
        {"window_end_ns": -1},
        {"repeat": 10**30},
        {"facts": {"nodes": 1e200}},
        {"source_figures": ({"name": "n", "value": -1e200, "unit": "u"},)},
        {"evidence": ({"rule": "import-x", "value": 1e99, "limit": 1, "outcome": "pass", "text": "", "source": ""},)},
        *({"meters": ({"name": "m", "model": "m", "title": "m", name: 1e99},)} for name in ("period_s", "range_w")),
        *({"disclosure": {"plan": {"a": [{"b": value}]}}} for value in (math.inf, math.nan, 1e99, -(10**60))),
        {"configuration_snapshot": {"declared": {"price": {"amount": 1e200}}}},
    ],
)  # fmt: skip
def test_no_record_holds_what_cannot_be_computed_with(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        make_run(**changes)
    assert first_mistake(refused.value).startswith(next(iter(changes)))
    with pytest.raises(ValidationError):
        make_run().changed(**changes)


def test_a_record_is_changed_like_a_new_one() -> None:
    interval = ThroughputInterval(begin_ns=0, end_ns=1, amount=3)
    meter = MeterRecord(name="m", model="m", title="M")
    assert make_run().changed(throughput=(interval,), meters=(meter,)) == make_run(
        throughput=(interval,), meters=(meter,)
    )


def test_no_meter_states_what_is_not_finite() -> None:
    for name in (field for field, info in MeterRecord.model_fields.items() if "float" in str(info.annotation)):
        for value in (math.inf, math.nan, 1e300):
            with pytest.raises(ValidationError):
                MeterRecord(name="m", model="m", title="M", **{name: value})  # type: ignore[arg-type]
