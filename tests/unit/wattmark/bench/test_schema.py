from __future__ import annotations

import json

from wattmark.bench.mistakes import allowed_keys
from wattmark.bench.schema import bench_schema


def test_the_schema_is_json_and_closed_everywhere() -> None:
    schema = json.loads(json.dumps(bench_schema()))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["properties"]["schema"]["const"] == "wattmark-bench/1"
    parts = [schema, *schema["$defs"].values()]
    assert all(part.get("additionalProperties") is False for part in parts if part.get("type") == "object")


def test_allowed_keys_follow_lists_maps_and_alternatives() -> None:
    schema = bench_schema()
    assert "capacity_gib" in allowed_keys(schema, ["servers", 0, "configurations", 1, "memory", "slots", "A1"])
    assert allowed_keys(schema, ["servers", 0, "prepare"]) == ["command", "timeout_s"]
    assert {"uses", "with", "command", "parser"} <= set(allowed_keys(schema, ["workloads", 3]))
    assert allowed_keys(schema, ["nothing", "like", "this"]) == []
