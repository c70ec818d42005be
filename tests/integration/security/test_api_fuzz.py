"""The whole OpenAPI description against a real service: no request is answered with a 5xx."""

from __future__ import annotations

from pathlib import Path

import pytest
import schemathesis

from ..service.conftest import Start
from . import api_fuzz

EXAMPLES = 6
"""Per operation; `make fuzz-api` asks for far more."""
BENCH = Path(__file__).parents[3] / "backend/wattmark/bench/examples/s5000-fbdimm.yaml"


@pytest.mark.timeout(180)
def test_no_generated_request_makes_the_service_fail(start: Start, tmp_path: Path) -> None:
    service = start(tmp_path, bench=BENCH)
    url = f"http://{service.netloc}"
    operations = {result.ok().definition.raw["operationId"] for result in _operations(url)}
    assert set(api_fuzz.NOT_ASKED) <= operations
    assert list(api_fuzz.failures(url, EXAMPLES)) == []
    asked = [line for line in service.log if "wattmark.request" in line]
    assert len(asked) > 2 * len(operations)


def _operations(url: str) -> list[object]:
    schema = schemathesis.openapi.from_url(f"{url}/api/openapi.json", timeout=api_fuzz.SCHEMA_TIMEOUT_S)
    return list(schema.get_all_operations())
