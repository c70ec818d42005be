"""Whatever changes where: the file says it, and every comment and line of what did not change stays in its order."""

from __future__ import annotations

import copy
import json
import re
from functools import cache
from io import StringIO
from itertools import count
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, SequenceNode
from wattmark.bench.editing.rewrite import rewrite
from wattmark.core.errors import InputError

from tests.examples import examples

from .conftest import places

Path = tuple[str | int, ...]
BENCH = """\
schema: x
servers:
  - id: near
    access: {local: true}
    configurations:
      - &first
        id: c
        cpu: &cpu {model: Xeon 5160, cores: 4}
        memory:
          slots:
            A1: &module {type: FB-DIMM, ranks: 2}
            B1: *module
            C1: none
        psus: &psus
          - {id: psu1, rated_w: 600}
          - {id: psu2}
        os: {name: "6.1"}
      - <<: *first
        id: d
        memory: {slots: {A1: *module}}
  - id: far
    psus: *psus
    cpus: [*cpu, *cpu]
    modules:
      - *module
      - none
meters:
  - {id: wall, feeds: [{server: near, psus: [psu1]}]}
  - id: plug
    command: [a, b]
    period_s: 1
plans:
  - name: p
    levels: [1, all]
"""


def read(text: str) -> Any:
    """Read YAML with the plain loader, which the code under test does not use; merges (<<) are written out."""
    return json.loads(json.dumps(YAML(typ="safe", pure=True).load(text), default=str))


def remarked(text: str) -> str:
    """Write a comment above and beside every line."""
    lines, numbers = [], count()
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            lines.append(line)
        else:
            indent = " " * (len(line) - len(line.lstrip()))
            lines += [f"{indent}# above {next(numbers)}.", f"{line}   # beside {next(numbers)}."]
    return "\n".join(lines) + "\n"


def without_anchors(text: str) -> str:
    out = StringIO()
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.width = 1000
    yaml.dump(read(text), out)
    return out.getvalue()


def value_at(node: Any, path: Path) -> Any:
    for step in path:
        node = node[step]
    return node


@cache
def composed(text: str) -> Any:
    return YAML(typ="safe", pure=True).compose(text)


def span(text: str, path: Path) -> range:
    """Find the lines of a value and of its key."""
    node, first = composed(text), 0
    for step in path:
        if isinstance(node, MappingNode):
            key, node = next(pair for pair in node.value if pair[0].value == step)
            first = key.start_mark.line
        else:
            node = node.value[step]
            first = node.start_mark.line
    while isinstance(node, MappingNode | SequenceNode) and node.value:
        node = node.value[-1][1] if isinstance(node, MappingNode) else node.value[-1]
    return range(first, max(first, node.end_mark.line) + 1)


PLAIN, ANCHORED = remarked(without_anchors(BENCH)), remarked(BENCH)
PLAIN_DATA, ANCHORED_DATA = read(PLAIN), read(ANCHORED)
COMMENT = re.compile(r"# (?:above|beside) \d+\.")
WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), max_size=20) | st.sampled_from(
    [
        "",
        "on",
        "1e3",
        "0o14",
        "2026-05-04",
        "a: b",
        "# no comment",
        "- a",
        "null",
        "true",
        "<<",
        "*a",
        "{x",
        "x" * 200,
        "?0",
        "???",
        ":x",
    ]
)
KEYS = WORDS.filter(lambda key: key != "<<")
SCALARS = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(-1e30, 1e30) | WORDS
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(WORDS.filter(lambda key: key != "<<"), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=examples(60))
@given(st.sampled_from(list(places(PLAIN_DATA))), VALUES)
@example(("meters",), [{}, 2, 3])
@example(("meters", 0, "feeds", 0, "psus", 0), {"x" * 200: None})
def test_a_value_that_is_put_anywhere(path: Path, value: Any) -> None:
    wanted = copy.deepcopy(PLAIN_DATA)
    holder = value_at(wanted, path[:-1])
    old = holder[path[-1]]
    holder[path[-1]] = value
    written = rewrite(PLAIN, wanted)
    assert read(written) == wanted
    lines = span(PLAIN, path)
    is_entry = isinstance(path[-1], int)
    touched = range(lines.start - 1, lines.stop) if is_entry or isinstance(old, dict | list) else range(0)
    rest = [line for number, line in enumerate(PLAIN.splitlines()) if number not in touched]
    comments = [comment for line in rest for comment in COMMENT.findall(line)]
    assert [comment for comment in COMMENT.findall(written) if comment in comments] == comments
    untouched = [line.strip() for number, line in enumerate(PLAIN.splitlines()) if number not in (*touched, *lines)]
    assert [line for line in untouched if line not in map(str.strip, written.splitlines())] == []


@settings(deadline=None, max_examples=examples(60))
@given(st.sampled_from(list(places(PLAIN_DATA))))
def test_what_is_taken_out_anywhere_goes_with_its_own_comments_alone(path: Path) -> None:
    wanted = copy.deepcopy(PLAIN_DATA)
    holder = value_at(wanted, path[:-1])
    assume(isinstance(holder, dict) or holder.count(holder[path[-1]]) == 1)
    del holder[path[-1]]
    written = rewrite(PLAIN, wanted)
    assert read(written) == wanted
    lines = span(PLAIN, path)
    removed = range(lines.start - 1, lines.stop)
    comments = [c for n, line in enumerate(PLAIN.splitlines()) if n not in removed for c in COMMENT.findall(line)]
    assert [comment for comment in COMMENT.findall(written) if comment in comments] == comments
    assert [c for n in lines for c in COMMENT.findall(PLAIN.splitlines()[n]) if c in COMMENT.findall(written)] == []


@settings(deadline=None, max_examples=examples(40))
@given(st.sampled_from(list(places(PLAIN_DATA))), KEYS, VALUES)
def test_what_is_put_in_anywhere_costs_no_comment(path: Path, key: str, value: Any) -> None:
    wanted = copy.deepcopy(PLAIN_DATA)
    holder = value_at(wanted, path)
    if isinstance(holder, dict):
        assume(key not in holder)
        holder[key] = value
    elif isinstance(holder, list):
        holder.insert(len(holder) // 2, value)
    written = rewrite(PLAIN, wanted)
    assert read(written) == wanted
    assert COMMENT.findall(written) == COMMENT.findall(PLAIN)


@settings(deadline=None, max_examples=examples(60))
@given(st.sampled_from(list(places(ANCHORED_DATA))), VALUES, st.booleans())
def test_beside_anchors_and_aliases_no_other_section_loses_a_comment(path: Path, value: Any, remove: bool) -> None:
    wanted = copy.deepcopy(ANCHORED_DATA)
    holder = value_at(wanted, path[:-1])
    if remove:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    written = rewrite(ANCHORED, wanted)
    assert read(written) == wanted
    lines = span(ANCHORED, path[:1])
    touched = range(lines.start - 1, lines.stop)
    rest = [line for number, line in enumerate(ANCHORED.splitlines()) if number not in touched]
    comments = [comment for line in rest for comment in COMMENT.findall(line)]
    assert [comment for comment in comments if comment not in COMMENT.findall(written)] == []


COMMENTED = """\
# top

schema: x   # beside schema
list:   # beside list
  # above a
  - &a   # beside anchor
    id: a
    text: |   # beside literal
      # no comment
    empty:   # beside empty
  - <<: *a   # beside merge
    id: b
    same: *a   # beside alias
    # in b

  # above c
  - {id: c}   # beside c
  # last of list
flow: [{id: m,   url: u},  # in brackets
  # alone in brackets
  {id: n}  # at the end
  ]   # behind brackets
aliases:
  # above the first
  - *a   # beside the first
  - x   # beside x
# bottom
"""


def test_no_kind_of_comment_is_lost() -> None:
    data = read(COMMENTED)
    wanted = {**copy.deepcopy(data), "schema": "y"}
    written = rewrite(COMMENTED, wanted)
    assert read(written) == wanted
    pattern = re.compile(r"# ?(?!no)\w[\w ]*$", re.MULTILINE)
    assert sorted(pattern.findall(written)) == sorted(pattern.findall(COMMENTED))
    assert rewrite(written, wanted) == written
    wanted["list"] = wanted["list"][:1] + wanted["list"][2:]
    without_b = rewrite(COMMENTED, wanted)
    assert read(without_b) == wanted
    assert [word for word in ("above c", "beside c", "last of list", "in b") if word not in without_b] == []


@pytest.mark.parametrize(
    "value",
    [
        "on",
        "0o14",
        "010",
        "0x1F",
        "1_000",
        "1e3",
        "1.50",
        ".5",
        "2026-05-04",
        '"a\\tb"',
        "'it''s'",
        "12:30:45",
        "a" * 300,
        "|-\n  x\n  y",
        ">\n  folded\n  text\n",
        "&a 5",
        "true",
        "[a, {b: c}]",
        "{a: {b: 'c'}}",
        '"6.1"',
        "1.0",
    ],
)
def test_a_value_that_nobody_changes_is_written_as_it_was(value: str) -> None:
    text = f"schema: x\nvalue: {value}\nlab: a\n"
    written = rewrite(text, {**read(text), "lab": "b"})
    assert written.replace("\n", "") == text.replace("lab: a", "lab: b").replace("\n", "")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("schema: x\r\nlab: a   # c\r\n# end", "schema: x\r\nlab: b   # c\r\n# end\r\n"),
        ("schema: x\nlab: a", "schema: x\nlab: b\n"),
        ("{schema: x, lab: a} # c\n", "{schema: x, lab: b}\n# c\n"),
        ("lab: a\n\n\n# c\n\n\nschema: x\n\n\n# z\n", "lab: b\n\n\n# c\n\n\nschema: x\n\n\n# z\n"),
        ("lab: a\nl:\n- x   # c\n- y\n", "lab: b\nl:\n- x   # c\n- y\n"),
    ],
)
def test_ends_of_lines_and_dashes_are_written_as_they_were(text: str, written: str) -> None:
    assert rewrite(text, {**read(text), "lab": "b"}) == written


def test_what_ruamel_would_alter_is_refused() -> None:
    """ruamel writes -0x1f as a text with a tag."""
    with pytest.raises(InputError, match="without changing other parts"):
        rewrite("schema: x\nnumber: -0x1f\nlab: a\n", {"schema": "x", "number": -31, "lab": "b"})
