"""Who is told leaves neither with the entries that viewers see nor with the text that a campaign stores."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.editing.bench_file import Text
from wattmark.bench.editing.editor import Prepared, entries_of
from wattmark.bench.plan import Plan
from wattmark.bench.shareable import shareable_text
from wattmark.bench.yaml_source import YamlSource
from wattmark.campaigns.stored import shareable_start, start_document

TEXT = """\
schema: wattmark-bench/1
lab: Rack  # in the cellar
# - {id: old, by: ntfy, url: "https://ntfy.sh/s3cret"}
notify:
  - {id: phone, by: ntfy, url: "https://ntfy.sh/s3cret"}
  # s3cret
  - id: post
    by: mail
    to: [s3cret@example.org]
  # - {id: chat, by: ntfy, url: "https://ntfy.sh/s3cret"}
# s3cret
servers: []  # none
plans: []
"""
REST = "schema: wattmark-bench/1\nlab: Rack  # in the cellar\nservers: []  # none\nplans: []\n"
LAST = "schema: wattmark-bench/1\nlab: Rack\n"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (TEXT, REST),
        (TEXT.replace("\n", "\r\n"), REST.replace("\n", "\r\n")),
        (REST, REST),
        (f'{LAST}notify: [{{id: a, by: ntfy, url: "https://ntfy.sh/s3cret"}}]\n# s3cret\n', LAST),
        (f'{LAST}"notify":\n- {{id: a, by: mail, to: [s3cret]}}', LAST),
        ("schema: wattmark-bench/1\nlab: notify\n", "schema: wattmark-bench/1\nlab: notify\n"),
    ],
)
def test_the_text_loses_who_is_told_and_nothing_else(text: str, rest: str) -> None:
    assert shareable_text(text) == rest


@pytest.mark.parametrize(
    "text",
    [
        "{schema: wattmark-bench/1, lab: Rack, notify: [{id: a, by: mail, to: [s3cret]}]}",
        "lab: Rack\nnotify: &a [{id: s3cret}]\nplans: *a\n",
        "lab: [\nnotify: [s3cret]\n",
        "- notify\n- s3cret\n",
    ],
)
def test_a_text_that_cannot_be_cut_is_not_stored(text: str) -> None:
    assert shareable_text(text) is None


def test_a_campaign_stores_the_bench_without_it(tmp_path: Path) -> None:
    bench = tmp_path / "bench.yaml"
    bench.write_text(TEXT)
    plan = Plan(name="p", configurations=("s/c",), workloads=("w",))
    stored = start_document(plan, {"s": 1}, bench)
    assert stored["bench_text"] == REST
    assert "s3cret" not in str(stored)


def test_a_start_that_an_earlier_wattmark_stored_whole_leaves_without_it() -> None:
    start = {"plan": {}, "cpus": {"s": 1}, "bench": "/home/me/bench.yaml", "bench_text": TEXT}
    assert shareable_start(start) == {**start, "bench": "bench.yaml", "bench_text": REST}
    assert shareable_start({"plan": {}, "bench_text": None}) == {"plan": {}, "bench_text": None}


def test_a_change_is_shown_to_operators_without_what_stands_around_it() -> None:
    before = "schema: wattmark-bench/1\nlab: Rack\nnotify:\n  - {id: a, by: mail, to: [s3cret]}\nplans: []\n"
    texts = Text(before), Text(before.replace("plans: []", "plans: [{name: p}]"))
    change = Prepared(*texts, YamlSource("", before), Bench(schema="wattmark-bench/1", lab="Rack"), "Added p.")
    assert "s3cret" in change.diff
    assert "s3cret" not in change.shareable_diff
    assert "+plans: [{name: p}]" in change.shareable_diff


def test_the_entries_that_viewers_see_are_without_it() -> None:
    shown = entries_of({"lab": "Rack", "notify": [{"id": "a", "by": "mail", "to": ["s3cret"]}]})
    assert shown == {"lab": "Rack", "servers": [], "meters": [], "bmcs": [], "workloads": [], "plans": []}
