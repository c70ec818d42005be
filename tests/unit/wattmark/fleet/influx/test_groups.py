"""Answers of InfluxQL: what is no such answer is refused, not taken for an empty one."""

from __future__ import annotations

import pytest
from wattmark.core.errors import StoreError
from wattmark.fleet.influx.groups import read_groups
from wattmark.fleet.influx.questions import literal

FROM_1_8 = (
    '{"results":[{"statement_id":0,"series":[{"name":"wattmark","tags":{"channel":"power","source":"wall, left=1"},'
    '"columns":["time","n","total","n_other"],"values":[[0,3,900.5,null]]}]}]}\n'
)
DATABASES_OF_VICTORIA_METRICS = '{"results":[{"name":"databases","columns":["name"],"values":[["_internal"]]}]}'


def test_groups_have_tags_and_columns():
    assert read_groups(FROM_1_8) == [
        (
            {"channel": "power", "source": "wall, left=1"},
            {"time": 0.0, "n": 3.0, "total": 900.5, "n_other": None},
        )
    ]
    assert read_groups('{"results":[{"statement_id":0}]}') == []


@pytest.mark.parametrize("text", ["", "[]", "{}", "<html>", '{"results":[]}', '{"results":[{"error":"no"}]}'])
def test_what_is_no_answer_is_refused(text):
    with pytest.raises(StoreError):
        read_groups(text)


def test_a_text_cannot_end_its_question():
    assert literal("a' OR 'x'='x") == "'a\\' OR \\'x\\'=\\'x'"
    assert literal("\\'") == "'\\\\\\''"
