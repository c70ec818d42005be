"""The archive in a bucket of another's implementation of S3, and what is said where there is none to write to."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import polars
import pytest
from wattmark.core.errors import InputError, WattmarkError
from wattmark.fleet.parquet import s3
from wattmark.fleet.parquet.s3 import Bucket

from tests.web_peer import Handler, serving

from ...traceability.conftest import Lab
from .conftest import ODD, add, compare

URL = "s3://cold-store/wattmark archive"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    host, port = moto.get_host_and_port()
    yield f"http://{host}:{port}"
    moto.stop()


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ACCESS_KEY_ID", "key"), ("SECRET_ACCESS_KEY", "secret"), ("REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setattr(s3, "_RETRIES", 1)


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch):
    """An empty bucket, as its owner sees it."""
    import boto3

    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    client = boto3.client("s3", endpoint_url=server, region_name="us-east-1")
    client.create_bucket(Bucket="cold-store")
    yield client
    for key in keys(client):
        client.delete_object(Bucket="cold-store", Key=key)
    client.delete_bucket(Bucket="cold-store")


def keys(client) -> list[str]:
    return [entry["Key"] for entry in client.list_objects_v2(Bucket="cold-store").get("Contents", ())]


def test_a_bucket_gets_what_a_folder_gets_and_only_what_is_new(lab: Lab, bucket, tmp_path: Path) -> None:
    assert len(add(lab, Bucket(URL)).new) == 4
    add(lab, tmp_path / "cold")
    expected = {path.relative_to(tmp_path / "cold").as_posix() for path in (tmp_path / "cold").rglob("*.*")}
    assert {key.removeprefix("wattmark archive/") for key in keys(bucket)} == expected
    times = {entry["Key"]: entry["ETag"] for entry in bucket.list_objects_v2(Bucket="cold-store")["Contents"]}
    again = add(lab, Bucket(URL))
    assert (len(again.unchanged), again.samples) == (4, 0)
    assert {e["Key"]: e["ETag"] for e in bucket.list_objects_v2(Bucket="cold-store")["Contents"]} == times
    compared = compare(lab, Bucket(URL))
    assert (sorted(compared.same), compared.differing) == (sorted(["r1", "r2", "plain", ODD]), {})
    (key,) = (key for key in keys(bucket) if "/result/" in key and "2025-06" in key)
    body = bucket.get_object(Bucket="cold-store", Key=key)["Body"].read()
    assert polars.read_parquet(body)["run"].to_list() == ["r1", "r2"]
    assert len(add(lab, Bucket(URL), name="South").replaced) == 4
    assert not [key for key in keys(bucket) if "lab=North" in key]


def test_a_prefix_with_something_else_and_a_missing_bucket_are_refused(lab: Lab, bucket) -> None:
    bucket.put_object(Bucket="cold-store", Key="wattmark archive/thesis.tex", Body=b"mine")
    with pytest.raises(InputError, match=r"contains something else \(thesis\.tex\)"):
        add(lab, Bucket(URL))
    with pytest.raises(InputError, match="has no bucket nowhere"):
        add(lab, Bucket("s3://nowhere/x"))
    with pytest.raises(InputError, match="a bucket and no credentials"):
        Bucket("s3://key:secret@cold-store/x")


class Refusing(Handler):
    """A server that lets nobody in."""

    def do_GET(self) -> None:
        self.send(403)


def test_wrong_credentials_and_a_server_that_is_away_are_one_line(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Refusing) as port:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        with pytest.raises(WattmarkError, match="refuses access") as refused:
            add(lab, Bucket(URL))
    assert "AWS_ACCESS_KEY_ID" in refused.value.remedy
    assert "secret" not in str(refused.value)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    with pytest.raises(WattmarkError, match=rf"127\.0\.0\.1:{port} does not answer") as away:
        add(lab, Bucket(URL))
    assert "\n" not in str(away.value)
