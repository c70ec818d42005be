"""One connection to a ClickHouse server, through clickhouse-connect; every failure is a cause and a remedy."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from wattmark.fleet.clickhouse.ddl import MODERN, parse_version
from wattmark.fleet.clickhouse.problems import ClickHouseProblem, explain, not_clickhouse, not_taken
from wattmark.fleet.clickhouse.settings import ClickHouseSettings

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

Row = tuple[Any, ...]
_WAIT_FOR_SHARDS = {"insert_distributed_sync": 1, "max_partitions_per_insert_block": 0}
"""An insert is answered when the shards have it, and may have months of any number."""


class Connection:
    """Run statements and queries. Calls block up to the timeout. Several threads may ask.

    ``client`` is one that exists already, such as chdb's; else the first call connects. All methods raise
    `ClickHouseProblem`. Parameters are bound by the client: write `%(name)s`, and `%%` for a percent sign.
    """

    def __init__(self, settings: ClickHouseSettings, client: Client | None = None) -> None:
        settings.check()
        self._settings = settings
        self._client = client
        self._lock = Lock()

    @property
    def database(self) -> str:
        return self._settings.database

    @property
    def target(self) -> str:
        return self._settings.target

    @property
    def version(self) -> tuple[int, int]:
        """Return the server's version, such as (26, 9)."""
        return parse_version(self._connected().server_version or "")

    def knows(self, setting: str) -> bool:
        """Return whether the server has a setting of that name."""
        return setting in self._connected().server_settings

    def run(self, statement: str) -> None:
        """Run a statement that gives no rows."""
        client = self._connected()
        with self._explained():
            client.command(statement)

    def rows(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        """Query rows."""
        client = self._connected()
        with self._explained():
            return [tuple(row) for row in client.query(sql, parameters=dict(parameters or {})).result_rows]

    def columns(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[NDArray[Any]]:
        """Query columns as arrays, in the order of the query; their names must differ."""
        client = self._connected()
        with self._explained():
            answer: Any = client.query(sql, parameters=dict(parameters or {}), use_numpy=True)
            names = answer.column_names
            if not names:  # the in-process engine returns no columns where there are no rows
                names = client.query(f"SELECT * FROM ({sql}) LIMIT 0", parameters=dict(parameters or {})).column_names  # noqa: S608
            return _split(answer.np_result, len(names))

    def insert(
        self,
        table: str,
        columns: Mapping[str, Sequence[Any] | NDArray[Any]],
        types: Sequence[str],
        settings: Mapping[str, object] | None = None,
    ) -> None:
        """Insert columns of equal length; returns when the server, and in a cluster every shard, has them."""
        client = self._connected()
        data: Any = list(columns.values())
        wanted = {**_WAIT_FOR_SHARDS, **(settings or {})}
        with self._explained():
            done = client.insert(
                table, data, column_names=list(columns), column_type_names=list(types),
                database=self._settings.database, column_oriented=True,
                settings={name: value for name, value in wanted.items() if name in client.server_settings},
            )  # fmt: skip
            if not (done.summary.get("query_id") or done.written_rows) and client.command("SELECT 1") != 1:
                raise not_clickhouse(self._settings)  # as the log-in page of a proxy, which answers 200 to an insert

    def close(self) -> None:
        """Close what was opened; the next call connects again."""
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None

    def _connected(self) -> Client:
        with self._lock, self._explained():
            if self._client is None:
                self._client = _connect(self._settings)
            return self._client

    @contextmanager
    def _explained(self) -> Iterator[None]:
        from clickhouse_connect.driver.exceptions import ClickHouseError

        from wattmark.core.bounded_http import BadAnswer

        try:
            yield
        except ClickHouseProblem:
            raise
        except BadAnswer as error:
            raise not_taken(error.cause, self._settings) from error
        except (ClickHouseError, OSError) as error:
            raise explain(error, self._settings) from error
        except (ValueError, LookupError, ArithmeticError) as error:  # an answer that is none
            raise not_clickhouse(self._settings) from error


def _split(table: NDArray[Any], columns: int) -> list[NDArray[Any]]:
    """Split the client's result: a structured array, or a plain one where all columns have the same type."""
    if table.dtype.names is not None:
        return [np.ascontiguousarray(table[name]) for name in table.dtype.names]
    if table.ndim == 2:
        return [np.ascontiguousarray(column) for column in table.T]
    return [table] * columns


def _connect(settings: ClickHouseSettings) -> Client:
    """Connect to the server; what is sent to a current one is compressed, which 18.16 does not understand."""
    client = _client(settings, compress=False)
    if parse_version(client.server_version or "") < MODERN:
        return client
    client.close()
    return _client(settings, compress="lz4")


def _client(settings: ClickHouseSettings, *, compress: bool | str) -> Client:
    """Make a client without a database, so that `wattmark store init` can make it."""
    import clickhouse_connect
    from clickhouse_connect.driver.httputil import check_env_proxy, get_pool_manager_options
    from urllib3 import PoolManager, ProxyManager

    from wattmark.core.bounded_http import bound

    logging.getLogger("clickhouse_connect").setLevel(logging.CRITICAL)  # it logs what it also raises
    parts = urlsplit(settings.url)
    secure = parts.scheme == "https"
    port = parts.port or (8443 if secure else 8123)
    options = get_pool_manager_options(ca_cert=str(settings.ca_file) if settings.ca_file else None)
    proxy = check_env_proxy(parts.scheme, parts.hostname or "", port)
    pool = ProxyManager(proxy, **options) if proxy else PoolManager(**options)
    bound(pool)
    return clickhouse_connect.get_client(
        host=parts.hostname, port=port, interface=parts.scheme, pool_mgr=pool,
        proxy_path=parts.path, username=settings.user, password=settings.secret(),
        compress=compress,
        connect_timeout=round(min(settings.timeout_s, 10)), send_receive_timeout=round(settings.timeout_s),
        query_retries=0, query_limit=0, autogenerate_session_id=False, autogenerate_query_id=False,
        client_name="wattmark",
    )  # fmt: skip
