"""Entries of a bench, and notices of nothing in particular."""

from __future__ import annotations

from pathlib import Path

from wattmark.bench.bench import Bench
from wattmark.bench.load import parse_bench
from wattmark.bench.notify import Notify
from wattmark.bench.yaml_source import YamlSource
from wattmark.notices.notice import Notice, make_notice

AT_NS = 1_790_000_000 * 10**9
"""2026-09-21T14:13:20 UTC."""


def bench(*entries: str, lab: str = "Power lab") -> Bench:
    lines = "".join(f"  - {entry}\n" for entry in entries)
    text = f"schema: wattmark-bench/1\nlab: {lab}\nnotify: {'' if entries else '[]'}\n{lines}"
    return parse_bench(YamlSource("bench.yaml", text), Path("bench.yaml"))


def entry(text: str) -> Notify:
    return bench(text).notify[0]


def notice(event: str = "alarm", title: str = "wall power is above its limit") -> Notice:
    return make_notice(event, title, "320 W is above the limit of 300 W.", AT_NS)
