"""One connection to a server that speaks InfluxDB's HTTP API, through influxdb-client's synchronous calls."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from typing import Any

from wattmark.core.errors import StoreError
from wattmark.fleet.influx.answers import InfluxAnswer, Verdict, judge, server_message, unanswered
from wattmark.fleet.influx.groups import Group, read_groups
from wattmark.fleet.influx.settings import InfluxSettings

V2, V1 = "/api/v2/write", "/write"
_PLAIN = "text/plain; charset=utf-8"
_GZIP_LEVEL = 1
MOST_BYTES = 64 * 2**20
"""Of an answer: a group for each series of the runs that are asked for."""
_AS_IT_IS = {"redirect": False}
"""A redirected write would lose its body or its secret."""


class Connection:
    """Write lines and ask questions. Calls block up to the timeout; not for several threads at once.

    Raises `InputError` at once for a secret or a file of certificates that cannot be read.
    """

    def __init__(self, settings: InfluxSettings) -> None:
        self._settings = settings
        self._client: Any = _client(settings)
        self.write_path: str | None = None
        """The path that the server has; None while none has answered."""

    def write(self, body: bytes, lines: int) -> InfluxAnswer:
        """Post lines. The path of InfluxDB 2 is tried first, then that of 1.x; the one that answers is kept."""
        for path in (self.write_path,) if self.write_path else (V2, V1):
            answer = self._post(path, body, lines)
            if answer.verdict is not Verdict.NO_SUCH_PATH:
                if answer.verdict is Verdict.ACCEPTED:
                    self.write_path = path
                return answer
        self.write_path = None
        return InfluxAnswer(Verdict.LATER, answer.cause, answer.remedy)

    def groups(self, influxql: str) -> list[Group]:
        """Ask in InfluxQL for one row per group. Raises `StoreError`."""
        return read_groups(self._ask(influxql))

    def close(self) -> None:
        self._client.close()

    def _ask(self, influxql: str) -> str:
        parameters = {"db": self._settings.database, "q": influxql, "epoch": "ns"}
        if self._settings.retention_policy:
            parameters["rp"] = self._settings.retention_policy
        status, text, _ = self._call("/query", "GET", parameters, {"Accept": "application/json"}, None)
        if status != 200:
            cause = server_message(text) or (text if status == 0 else f"status {status}")
            raise StoreError(f"{self._settings.url} does not answer queries: {cause}.", _QUERY_REMEDY)
        return text

    def _post(self, path: str, body: bytes, lines: int) -> InfluxAnswer:
        headers = {"Content-Type": _PLAIN, "Accept": "application/json"}
        if self._settings.gzip:
            headers["Content-Encoding"] = "gzip"
            body = gzip.compress(body, _GZIP_LEVEL)
        status, text, answered = self._call(path, "POST", self._target(path), headers, body)
        return judge(status, text, answered, lines) if status else unanswered(text)

    def _target(self, path: str) -> dict[str, str]:
        database, policy = self._settings.database, self._settings.retention_policy
        if path == V2:
            bucket = f"{database}/{policy}" if policy else database
            return {"org": self._settings.org or "", "bucket": bucket, "precision": "ns"}
        return {"db": database, "precision": "ns", **({"rp": policy} if policy else {})}

    def _call(
        self, path: str, method: str, parameters: dict[str, str], headers: dict[str, str], body: bytes | None
    ) -> tuple[int, str, Mapping[str, str]]:
        """Return status, text and headers; status 0 with the reason where there was no answer."""
        from influxdb_client.rest import ApiException
        from urllib3.exceptions import HTTPError

        from wattmark.core.bounded_http import BadAnswer

        try:
            answer: Any = self._client.api_client.call_api(
                path, method, query_params=list(parameters.items()), header_params=headers, body=body,
                _preload_content=False, _return_http_data_only=True, urlopen_kw=dict(_AS_IT_IS),
            )  # fmt: skip
        except ApiException as error:
            if not error.status:
                return 0, _reason(error.reason), {}
            return error.status, _text(error.body), error.headers or {}
        except BadAnswer as error:
            return 0, f"it {error.cause}", {}
        except (HTTPError, OSError, ValueError) as error:
            return 0, _reason(error), {}
        return answer.status, _text(answer.data), answer.headers


_CONNECTION = re.compile(r"^<?[\w.]*HTTPS?Connection(?:Pool)?(?: object at |\().*?[>)]: ")
"""How urllib3 begins to say why there was no answer: with itself."""
_QUERY_REMEDY = "Check the address, the database and the read permission; VictoriaMetrics has no InfluxQL."


def _client(settings: InfluxSettings) -> Any:
    from influxdb_client.client.influxdb_client import InfluxDBClient

    from wattmark.core.bounded_http import bound

    settings.check()
    secret = settings.secret()
    token = f"{settings.user}:{secret}" if settings.user else secret or ""
    client = InfluxDBClient(
        settings.url, token, timeout=round(settings.timeout_s * 1000), org=settings.org or "",
        auth_basic=settings.user is not None, ssl_ca_cert=str(settings.ca_file) if settings.ca_file else None,
    )  # fmt: skip
    bound(client.api_client.rest_client.pool_manager, MOST_BYTES)
    return client


def _text(data: object) -> str:
    return data.decode("utf-8", "replace") if isinstance(data, bytes) else str(data or "")


def _reason(error: object) -> str:
    cause = getattr(error, "reason", None) or error
    reason = _CONNECTION.sub("", " ".join(str(cause).split()))
    return reason[:200].rstrip(".") or type(error).__name__
