"""Read a YAML file written by people: plain data, and the line of every value in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError

from wattmark.bench.yaml_limits import limited_yaml
from wattmark.core.errors import InputError

MAX_BYTES = 1_000_000
REMEDY = "Write a plain YAML file: maps, lists, text and numbers, two spaces per step."


class LocatedData:
    """Plain data with the place of every value in what it was read from; generated data has no lines."""

    def __init__(self, name: str, data: Any) -> None:
        self.name = name
        self.data = data

    def line(self, path: Sequence[str | int]) -> int:  # noqa: ARG002 - the same for every path
        """Return the line (from 1) of the value at a path; 0 where there is none."""
        return 0

    def written(self, path: Sequence[str | int]) -> list[str | int]:
        """Keep the steps of a path that exist: pydantic adds steps for its variants."""
        node, steps = self.data, []
        for step in path:
            if _has(node, step):
                node = node[step]
                steps.append(step)
        return steps


class YamlSource(LocatedData):
    """A YAML document with its lines. ``data`` holds plain dicts, lists and scalars."""

    def __init__(self, name: str, text: str) -> None:
        self._root = _parse(name, text)
        super().__init__(name, plain(self._root))

    def line(self, path: Sequence[str | int]) -> int:
        """Find the line (from 1) of the value at a path; where a key is missing, of the map that lacks it."""
        node, line = self._root, 1
        for step in path:
            if _has(node, step):
                line = _line_of(node, step) or line
                node = node[step]
        return line if _has_all(self._root, path) else _first_line(node) or line


def read_yaml(path: Path) -> YamlSource:
    """Read a YAML file of at most one megabyte. Raises `InputError` with file, line, cause and remedy."""
    return YamlSource(str(path), read_text(path))


def read_text(path: Path) -> str:
    """Read the text of a YAML file of at most one megabyte. Raises `InputError` with file, line, cause and remedy."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.", "Check the path and its permissions.") from None
    if len(raw) > MAX_BYTES:
        raise InputError(f"{path}: longer than {MAX_BYTES // 1000} kB.", "A bench file is a few hundred lines.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: not UTF-8 text.", "Save the file as UTF-8.") from None


def _parse(name: str, text: str) -> Any:
    try:
        return limited_yaml(name, text).load(text)
    except InputError:
        raise
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark else ""
        raise InputError(f"{name}{line}: not YAML: {_one_line(error)}.", REMEDY) from None
    except Exception as error:  # the parser lets ValueError, KeyError and others escape on odd scalars
        raise InputError(f"{name}: not YAML: {_one_line(error)}.", REMEDY) from None


def _one_line(error: Exception) -> str:
    text = getattr(error, "problem", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())[:200].rstrip(".")


def plain(node: Any) -> Any:
    """Convert what the parser made to plain dicts, lists and scalars."""
    if isinstance(node, CommentedMap):
        return {plain(key): plain(value) for key, value in node.items()}
    if isinstance(node, CommentedSeq):
        return [plain(item) for item in node]
    if isinstance(node, bool) or node is None:
        return node
    for kind in (int, float, str):
        if isinstance(node, kind):
            return kind(node)
    return bool(node) if type(node).__name__ == "ScalarBoolean" else str(node)


def _has(node: Any, step: str | int) -> bool:
    if isinstance(node, dict):
        return step in node
    return isinstance(node, list) and isinstance(step, int) and 0 <= step < len(node)


def _has_all(node: Any, path: Sequence[str | int]) -> bool:
    for step in path:
        if not _has(node, step):
            return False
        node = node[step]
    return True


def _first_line(node: Any) -> int | None:
    return node.lc.line + 1 if isinstance(node, CommentedMap | CommentedSeq) else None


def _line_of(node: Any, step: str | int) -> int | None:
    """The lines of merged keys are not known here; the caller then keeps the line around them."""
    place = (node.lc.data or {}).get(step)
    return int(place[0]) + 1 if place else None
