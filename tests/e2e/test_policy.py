"""A real browser holds to the policy of the page, and a page of another address can neither read nor order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.web_peer import Handler, serving

from .conftest import Program, browse

pytestmark = pytest.mark.e2e
ATTACK = """\
<!doctype html><title>attack</title><script>
const target = {target}
const image = () => new Promise((done) => {{
  const one = new Image()
  one.onload = () => done('loaded')
  one.onerror = () => done('refused')
  one.src = target + '/api/export/figure/compare.svg'
}})
const stream = () => new Promise((done) => {{
  const one = new EventSource(target + '/api/live/stream')
  one.onopen = () => done('open')
  one.onerror = () => (one.close(), done('refused'))
}})
const ask = (path, how) => fetch(target + path, how).then((answer) => answer.type, () => 'refused')
const order = {{ method: 'POST', mode: 'no-cors', body: '{{"plan": "x"}}' }}
const blind = {{ mode: 'no-cors' }}
Promise.all([image(), stream(), ask('/api/bench'), ask('/api/bench', blind), ask('/api/campaign', order)])
  .then((outcome) => ((window.outcome = outcome), (document.title = 'done')))
</script>
"""
REFUSED = {
    "script-src-elem", "script-src-attr", "img-src", "style-src-elem", "connect-src", "form-action", "frame-src",
}  # fmt: skip


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Program]:
    with Program.started("serve", "--data", str(tmp_path / "data")) as program:
        yield program


@dataclass
class Foreign:
    """A web server at another address: gives the attack, and remembers what it was asked for."""

    page: bytes
    url: str = ""
    asked: list[str] = field(default_factory=list)


class Attacking(Handler):
    foreign: Foreign

    def do_GET(self) -> None:
        self.foreign.asked.append(self.path)
        self.send(200, self.foreign.page, {"Content-Type": "text/html"})

    do_POST = do_GET


@pytest.fixture
def foreign(service: Program) -> Iterator[Foreign]:
    running = Foreign(ATTACK.format(target=json.dumps(service.url)).encode())
    with serving(Attacking, foreign=running) as port:
        running.url = f"http://127.0.0.1:{port}"
        yield running


def test_nothing_that_is_written_into_the_page_runs_and_nothing_leaves_it(service: Program, foreign: Foreign) -> None:
    seen = browse("policy.mjs", service.url, foreign.url, str(len(REFUSED)))
    inside = seen["inside"]
    assert inside["ran"] is None
    assert inside["shown"] != "none"
    assert set(inside["refused"]) >= REFUSED
    assert set(foreign.asked) <= {"/", "/favicon.ico"}, "the attack itself, which the script opened"
    assert seen["outside"] == ["refused"] * 5
    lines = [json.loads(line) for line in service.log if "wattmark.request" in line]
    assert ("/api/live/stream", 403) in {(line["path"], line["status"]) for line in lines}
    assert {line["status"] for line in lines if line["path"].startswith("/api/export")} == {403}
    assert {line["status"] for line in lines if (line["method"], line["path"]) == ("POST", "/api/campaign")} == {403}
