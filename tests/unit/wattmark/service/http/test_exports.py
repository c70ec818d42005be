"""What can be taken away: tables in every format, figures, and the report."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

MAGIC = {"parquet": b"PAR1", "xlsx": b"PK", "json": b"{", "md": b"# ", "html": b"<!doctype html>", "tex": b"% "}


@pytest.mark.parametrize("extension", list(MAGIC))
def test_every_format_of_a_table_is_served_and_repeats(client: TestClient, extension: str) -> None:
    answers = [client.get(f"/api/export/results.{extension}") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].content.startswith(MAGIC[extension])
    assert answers[0].content == answers[1].content
    assert answers[0].headers["content-disposition"] == f'attachment; filename="wattmark-results.{extension}"'


def test_tables_of_factors_are_previewed_or_say_what_is_missing(client: TestClient) -> None:
    assert client.get("/api/export/factors").json()["table"] == "factors"
    assert client.get("/api/export/normalised").json()["table"] == "normalised"
    answer = client.get("/api/export/deltas")
    assert answer.status_code == 422
    assert "needs a factor" in answer.json()["cause"]
    answer = client.get("/api/export/extrapolated?target=-3")
    assert answer.status_code == 422


def test_published_tables_and_those_of_calibration_leave_in_every_format(client: TestClient) -> None:
    published = client.get("/api/published").json()["tables"][0]
    preview = client.get(f"/api/export/published?article={published['id']}").json()
    assert preview["title"] == published["title"]
    assert len(preview["rows"]) == len(published["rows"])
    assert client.get("/api/export/published.tex?article=none").status_code == 422
    assert client.get("/api/export/certificates.csv").text.startswith("id,version,serial")
    assert client.get("/api/export/meters").json()["title"].startswith("Calibration of meters")


def test_an_exported_comparison_is_the_one_that_was_looked_at(client: TestClient) -> None:
    query = "workload=rsa&level=1 process&figure=power&smallest_pct=7"
    shown = client.get(f"/api/compare?{query}").json()
    footnotes = client.get(f"/api/export/compare?{query}").json()["footnotes"]
    assert footnotes[:2] == [shown["statement"], shown["claim"]]
    assert shown["compared_by"] == "power"


@pytest.mark.parametrize(("extension", "magic"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_figure_of_a_run(client: TestClient, extension: str, magic: bytes) -> None:
    answer = client.get(f"/api/export/figure/run.{extension}?run_id=r1")
    assert answer.status_code == 200
    assert answer.content.startswith(magic)
    assert answer.headers["content-type"].startswith({"pdf": "application/"}.get(extension, "image/"))


def test_figures_that_do_not_exist_say_so(client: TestClient) -> None:
    assert client.get("/api/export/figure/run.gif?run_id=r1").status_code == 404
    assert client.get("/api/export/figure/run.svg?run_id=none").status_code == 404
    assert client.get("/api/export/figure/run.svg").status_code == 422


def test_report_of_chosen_runs(client: TestClient) -> None:
    answer = client.get("/api/export/report.html?run_id=r0&run_id=r1")
    assert answer.status_code == 200
    assert answer.text.count("<h3>Run ") == 2
    assert answer.headers["content-disposition"].startswith("attachment")
    assert client.get("/api/export/report.html?campaign_id=none").status_code == 422


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("results.csv?run_id=r1", "run_id"),  # run_ids
        ("results?baseline=srv/a", "baseline"),
        ("compare.csv?workload=rsa&level=1 process&tag=best", "tag"),
        ("compare.json?workload=rsa&level=1 process&campaign_id=c", "campaign_id"),
        ("normalised.csv?server=srv", "server"),
        ("factors?figure=power", "figure"),
        ("certificates.csv?server=srv", "server"),
        ("published.csv?article=none&workload=rsa", "workload"),
        ("figure/run.svg?run_id=r1&workload=rsa", "workload"),
    ],
)
def test_a_choice_that_a_table_does_not_use_is_refused(client: TestClient, path: str, name: str) -> None:
    answer = client.get(f"/api/export/{path}")
    assert answer.status_code == 422, "the file would hold rows that were not wanted"
    assert f"does not use {name}" in answer.json()["cause"]
