"""An archive in a bucket of S3, or of another object store that speaks its protocol.

Address and credentials are those of the usual AWS_* variables: a parameter would show in lists of processes.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from wattmark.core.errors import InputError, NotFound, WattmarkError
from wattmark.core.extras import require

SCHEME = "s3://"
_FEATURE = "S3 needs"
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
MOST_BYTES = 2**20
"""Of a file that is read into memory: what marks the archive. Tables are fetched to the disk."""
_RETRIES = 5
_TIMEOUT = "120s"
_CREDENTIALS = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"


class Bucket:
    """A prefix of a bucket. A put is atomic: what was there stays until the whole object has arrived."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if not parts.netloc or "@" in parts.netloc or parts.query or parts.fragment:
            raise InputError(f"{SCHEME} needs a bucket and no credentials.", f"Write it like {SCHEME}bucket/prefix.")
        self._url = url.rstrip("/")
        self._bucket = parts.netloc
        self._objects = require("parquet", "obstore", _FEATURE)
        endpoint = next((os.environ[name] for name in _ENDPOINTS if os.environ.get(name)), None)
        self._endpoint = endpoint or "Amazon S3"
        self._temporary = tempfile.TemporaryDirectory(prefix="wattmark-parquet-")
        settings = {} if endpoint is None else {"endpoint": endpoint}
        self._store = require("parquet", "obstore.store", _FEATURE).S3Store(
            parts.netloc,
            prefix=parts.path.strip("/") or None,
            client_options={"allow_http": bool(endpoint and endpoint.startswith("http://")), "timeout": _TIMEOUT},
            retry_config={"max_retries": _RETRIES},
            **settings,
        )

    @property
    def name(self) -> str:
        return self._url

    @property
    def scratch(self) -> Path:
        return Path(self._temporary.name)

    def open(self, owner: str) -> None:
        """Do nothing: what is put together here is in a folder of this process alone."""

    def anything(self) -> str | None:
        with self._failing():
            return next((str(entry["path"]) for page in self._objects.list(self._store) for entry in page), None)

    def files(self, folder: str) -> list[str]:
        with self._failing():
            pages = self._objects.list(self._store, folder)
            return sorted(entry["path"] for page in pages for entry in page)

    def read(self, path: str) -> bytes:
        with self._failing():
            stored = self._objects.get(self._store, path)
            if int(stored.meta["size"]) > MOST_BYTES:
                raise WattmarkError(
                    f"{path} in {self._url} is larger than {MOST_BYTES // 2**20} MiB.",
                    "No archive of wattmark has such a file: choose another bucket or prefix.",
                )
            return bytes(stored.bytes())

    def fetch(self, path: str) -> Path:
        local = self.scratch / "fetched"
        with self._failing(), local.open("wb") as file:
            for piece in self._objects.get(self._store, path).stream():
                file.write(bytes(piece))
        return local

    def publish(self, written: Path, path: str) -> None:
        with self._failing():
            size = written.stat().st_size
            self._objects.put(self._store, path, written)
            there = int(self._objects.head(self._store, path)["size"])
        if there != size:
            raise WattmarkError(
                f"{path} has {there} bytes in {self._url} instead of {size}.",
                "Run the command again; check the server.",
            )
        written.unlink()

    def remove(self, path: str) -> None:
        with self._failing():
            self._objects.delete(self._store, path)

    def close(self) -> None:
        self._temporary.cleanup()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        errors: Any = require("parquet", "obstore.exceptions", _FEATURE)
        try:
            yield
        except (errors.BaseError, OSError) as error:
            raise self._failed(error, errors) from error

    def _failed(self, error: Exception, errors: Any) -> WattmarkError:
        """Explain why the server refused; its own texts are pages of XML."""
        text = str(error)
        if "NoSuchBucket" in text:
            return InputError(f"{self._endpoint} has no bucket {self._bucket}.", "Create it, or correct the name.")
        if isinstance(error, FileNotFoundError):
            return NotFound(f"{self._url} lacks an object that it listed.", "Run the command again.")
        if isinstance(error, (errors.PermissionDeniedError, errors.UnauthenticatedError)) or "403" in text:
            return WattmarkError(
                f"{self._endpoint} refuses access to {self._url}.", f"Check {_CREDENTIALS}, and the bucket's policy."
            )
        if not os.environ.get("AWS_ACCESS_KEY_ID"):
            return WattmarkError(f"{self._endpoint} needs credentials for {self._url}.", f"Set {_CREDENTIALS}.")
        if isinstance(error, OSError):
            return WattmarkError(f"{self.scratch} cannot be used: {error.strerror or error}.", "Free some space there.")
        first = " ".join(text.split("Debug source")[0].split())[:200]
        return WattmarkError(f"{self._endpoint} does not answer: {first}.", "Check AWS_ENDPOINT_URL and the network.")
