from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.bench.load import load_bench, parse_bench
from wattmark.bench.yaml_source import MAX_BYTES, YamlSource, read_yaml
from wattmark.core.errors import InputError

from tests.examples import examples

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [*{before}, *{before}, *{before}, *{before}, *{before}, *{before}, *{before}, *{before}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)

REFUSED = [
    ("lab: !!python/object/apply:os.system [id]\n", "bench.yaml:1: the tag"),
    ("lab: !secret x\n", "bench.yaml:1: the tag !secret is not allowed"),
    (BOMB, "more than 50000 values"),
    ("".join(f"k{number}: &a{number} 1\n" for number in range(1001)), "more than 1000 anchors"),
    ("[" + ", ".join(f"&a{number} [1]" for number in range(1001)) + "]", "more than 1000 anchors"),
    ("a: &a [*a]\n", "*a refers to an anchor that is not defined before it"),
    ("a: *nobody\n", "bench.yaml:1: *nobody refers to an anchor that is not defined before it"),
    ("a: 1\n---\nb: 2\n", "bench.yaml:2: a second document begins here"),
    ("a: 1\na: 2\n", 'bench.yaml:2: not YAML: found duplicate key "a"'),
    ("a: [1, 2\nb: 3\n", "bench.yaml:2: not YAML"),
    ("a:\n\t- 1\n", "bench.yaml:2: not YAML"),
    ("x: " + "[" * 200 + "]" * 200, "nested deeper than 30 levels"),
    ("x: " + "9" * 5000, "bench.yaml:1: a number of 5000 characters"),
    ("x: 0x" + "f" * 5000, "bench.yaml:1: a number of 5002 characters"),
    (f"a: &a '{'x' * 200_000}'\nb: [{'*a, ' * 1000}]", "bench.yaml:2: more than 2000000 characters"),
    ("\n" * 26_000 + "a: 1", "26001 lines; at most 25000 are allowed"),
    ("#\u2028" * 26_000 + "a: 1", "26001 lines; at most 25000 are allowed"),
    ("a: \x00", "bench.yaml"),
]


@pytest.mark.parametrize(("text", "expected"), REFUSED, ids=[expected for _, expected in REFUSED])
def test_more_than_plain_data_is_refused_in_one_line(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        YamlSource("bench.yaml", text)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.remedy


def test_lines_are_found_through_lists_anchors_and_merges() -> None:
    source = YamlSource("x", "a:\n  - b: 1\n    c: &c\n      d: 2\n  - e: *c\n  - <<: *c\n    f: 3\n")
    assert source.line(("a", 0, "b")) == 2
    assert source.line(("a", 0, "c", "d")) == 4
    assert source.line(("a", 1, "e", "d")) == 4
    assert source.line(("a", 2, "f")) == 7
    assert source.line(("a", 2, "d")) == 6
    assert source.line(("a", 2, "missing")) == 6
    assert source.data == {"a": [{"b": 1, "c": {"d": 2}}, {"e": {"d": 2}}, {"d": 2, "f": 3}]}


def test_scalars_become_plain_python() -> None:
    source = YamlSource("x", "a: 1.50\nb: 0x10\nc: true\nd: 'x'\ne: |\n  text\nf:\ng: yes\n")
    assert source.data == {"a": 1.5, "b": 16, "c": True, "d": "x", "e": "text\n", "f": None, "g": "yes"}
    assert [type(value) for value in source.data.values()] == [float, int, bool, str, str, type(None), str]


def test_files_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_yaml(tmp_path / "absent.yaml")
    with pytest.raises(InputError, match="Is a directory"):
        read_yaml(tmp_path)
    (tmp_path / "latin1.yaml").write_bytes(b"a: 1\nlab: K\xf6ln\n")
    with pytest.raises(InputError, match=r"latin1\.yaml:2: not UTF-8"):
        read_yaml(tmp_path / "latin1.yaml")
    (tmp_path / "long.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(InputError, match="longer than 1000 kB"):
        read_yaml(tmp_path / "long.yaml")


def _refusal(action: Callable[[], object]) -> str:
    """The message of the InputError, or nothing; every other exception is a failure of the test."""
    try:
        action()
    except InputError as error:
        return str(error)
    return ""


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("abc:-[]{}&*!|>'\"#%@`,.?0179 \n\t<~_é\x07"), max_size=80))
def test_any_text_is_data_or_an_input_error(text: str) -> None:
    assert "\n" not in _refusal(lambda: YamlSource("x", text))


@settings(deadline=None)
@given(st.integers(0, 3000), st.integers(0, 60), st.text(max_size=12))
def test_a_damaged_bench_file_never_gives_a_traceback(example: str, place: int, cut: int, put: str) -> None:
    text = example[:place] + put + example[place + cut :]
    assert "\n" not in _refusal(lambda: parse_bench(YamlSource("bench.yaml", text), Path("bench.yaml")))


_plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from(["lab", "servers", "meters", "bmcs", "workloads", "plans"]), _plain)
def test_any_data_in_any_place_is_a_bench_or_an_input_error(example: str, key: str, value: object) -> None:
    source = YamlSource("bench.yaml", example)
    source.data[key] = value
    refusal = _refusal(lambda: parse_bench(source, Path("bench.yaml")))
    assert not refusal or refusal.startswith("bench.yaml:")


def test_a_list_or_nothing_instead_of_a_map_is_an_input_error(tmp_path: Path) -> None:
    for text in ("", "- 1\n", "just text\n", "null\n"):
        path = tmp_path / "bench.yaml"
        path.write_text(text)
        with pytest.raises(InputError, match=r"bench\.yaml:1: "):
            load_bench(path)


def test_a_text_of_many_anchors_is_refused_when_the_limit_is_reached() -> None:
    """24,000 anchors in 500 kB took eleven seconds of the processor: the rest of the text is not even looked at."""
    text = "".join(f"k{number}: &a{number} {number}\n" for number in range(24_000))
    events = 0

    def count(frame: Any, what: str, _: object) -> None:
        nonlocal events
        events += what == "call" and frame.f_code.co_name == "take"

    sys.setprofile(count)
    try:
        with pytest.raises(InputError, match=r"bench\.yaml:1001: more than 1000 anchors"):
            YamlSource("bench.yaml", text)
    finally:
        sys.setprofile(None)
    assert 0 < events < 3000


def test_as_many_anchors_as_are_allowed_are_read() -> None:
    text = "".join(f"k{number}: &a{number} {number}\n" for number in range(1000)) + "last: *a999\n"
    assert YamlSource("bench.yaml", text).data["last"] == 999
