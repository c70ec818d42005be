"""Search the whole API of a real service for a 5xx or an undescribed answer; used by a test and by `make fuzz-api`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

NOT_ASKED = {
    "live_stream": "an answer that goes on; test_streams.py asks for it",
    "access_sign_out": "harmless, but it would end the caller's own session",
    "campaign_start": "would drive this machine to full load",
    "meters_scan": "would look for instruments on the networks that are drawn",
    "meters_try_meter": "would talk to the hosts that are drawn",
    "campaign_resume": "would drive this machine to full load",
    "measurements_open_measurement": "would wait for meters that are not there; test_client.py asks for it",
}
"""Operations that are excluded, and why."""
TIMEOUT_S = 20.0
SCHEMA_TIMEOUT_S = 60.0
"""The description is put together on the first request: two seconds of computing on a machine with other work too."""


@schemathesis.serializer("application/zip", "application/xml", "text/csv")
def as_bytes(_: schemathesis.SerializationContext, value: Any) -> bytes:
    """Send what was generated for a file as it is."""
    return value if isinstance(value, bytes) else str(getattr(value, "data", value)).encode()


def failures(url: str, examples: int, token: str | None = None) -> Iterator[str]:
    """Ask every operation with generated requests; gives each failure in words, and nothing where all is well."""
    schema = schemathesis.openapi.from_url(f"{url}/api/openapi.json", headers=_headers(token), timeout=SCHEMA_TIMEOUT_S)
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.definition.raw["operationId"] in NOT_ASKED:
            continue
        try:
            _ask(operation, examples, token)
        except Exception as error:
            yield f"{operation.label}: {error}"


def _ask(operation: schemathesis.APIOperation, examples: int, token: str | None) -> None:
    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: schemathesis.Case) -> None:
        answer = case.call(timeout=TIMEOUT_S, headers=_headers(token))
        if answer.status_code == 503 and not_ready:
            return
        assert answer.status_code < 500, f"{answer.status_code} {answer.text}"
        if answer.status_code >= 400:
            assert answer.json()["cause"], answer.text

    not_ready = "503" in operation.definition.raw["responses"]  # /healthz says so of a lab without meters
    given(operation.as_strategy())(ask)()


def _headers(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}
