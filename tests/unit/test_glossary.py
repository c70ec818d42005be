"""No text that a person reads uses a word that the glossary forbids: pages, service, command line, drivers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "backend/docs/glossary.md"
STRINGS = sorted((ROOT / "frontend/src/strings").glob("*.ts"))
COMPONENTS = sorted((ROOT / "frontend/src").rglob("*.vue"))
PACKAGES = ("backend/wattmark", "drivers/wattmark_drivers", "calibration/wattmark_calibration")
MODULES = sorted(file for folder in PACKAGES for file in (ROOT / folder).rglob("*.py"))
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|`((?:[^`\\]|\\.)*)`')
ATTRIBUTE = re.compile(r'\s(?:title|label|alt|placeholder|aria-label|caption|description)="([^"]*)"')
SERVED = frozenset({"command", "callback", "get", "post", "put", "patch", "delete"})


def forbidden() -> list[str]:
    """List the entries of the column `not` of all tables of the glossary."""
    rows = [
        line.strip().strip("|").split("|") for line in GLOSSARY.read_text("utf-8").splitlines() if line.startswith("| ")
    ]
    cells = [row[3].strip() for row in rows if len(row) == 4 and row[3].strip() not in ("", "not", "---")]
    return [entry.strip() for cell in cells for entry in cell.split(";")]


def pattern(entry: str) -> re.Pattern[str]:
    """Return what matches an entry as whole words, a space also as a hyphen, with or without s or es."""
    words = r"[\s-]+".join(map(re.escape, entry.split()))
    return re.compile(rf"(?<![\w-]){words}(?:e?s)?(?![\w-])", re.I)


NOT = [(entry.split()[0].lower(), pattern(entry)) for entry in forbidden()]
"""Each entry with its first word, which is looked for first: a pattern takes a hundred times as long."""


def forbidden_words_in(texts: Iterable[str]) -> list[str]:
    return [
        f"{match[0]!r} in {text!r}"
        for text, lower in ((text, text.lower()) for text in texts)
        for first, entry in NOT
        if first in lower and (match := entry.search(text))
    ]


def typed_texts(source: str) -> Iterator[str]:
    """List the literals of a TypeScript file, without comments and imports."""
    code = re.sub(r"/\*.*?\*/|^\s*//[^\n]*|^import [^\n]*", "", source, flags=re.S | re.M)
    return (next(group for group in match.groups() if group is not None) for match in LITERAL.finditer(code))


def template_texts(source: str) -> Iterator[str]:
    """List what the template of a component shows by itself: text between tags, and attributes that are read out."""
    template = re.search(r"<template>(.*)</template>", source, re.S)
    shown = re.sub(r"<!--.*?-->|\{\{.*?\}\}", " ", template[1] if template else "", flags=re.S)
    yield from ATTRIBUTE.findall(shown)
    yield from (text for part in re.split(r"<[^>]*>", shown) if (text := " ".join(part.split())))


def program_texts(source: str) -> Iterator[str]:
    """List the texts of a module but for docstrings; those of commands and routes are help and belong to them."""
    documents: dict[int, bool] = {}
    for node in ast.walk(ast.parse(source)):  # what holds a docstring comes before it
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if node.body and isinstance(node.body[0], ast.Expr):
                documents[id(node.body[0].value)] = _served(node)
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and documents.get(id(node), True):
            yield node.value


def _served(node: ast.AST) -> bool:
    calls = (
        decorator.func if isinstance(decorator, ast.Call) else decorator
        for decorator in getattr(node, "decorator_list", ())
    )
    return any(isinstance(call, ast.Attribute) and call.attr in SERVED for call in calls)


@pytest.mark.parametrize("file", STRINGS, ids=lambda file: file.stem)
def test_strings_of_the_pages(file: Path) -> None:
    texts = list(typed_texts(file.read_text("utf-8")))
    assert texts
    assert forbidden_words_in(texts) == []


def test_texts_in_components() -> None:
    assert {
        file.name: words
        for file in COMPONENTS
        if (words := forbidden_words_in(template_texts(file.read_text("utf-8"))))
    } == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_messages_of_the_program(package: str) -> None:
    modules = [file for file in MODULES if file.is_relative_to(ROOT / package)]
    words_by_file = {
        str(file.relative_to(ROOT)): forbidden_words_in(program_texts(file.read_text("utf-8"))) for file in modules
    }
    assert {name: words for name, words in words_by_file.items() if words} == {}


@pytest.mark.parametrize(
    "word",
    ["shelf", "check load", "above idle", "witness", "reconciled", "stated result", "slave id", "anew", "held against"],
)
def test_the_glossary_forbids_what_was_replaced(word: str) -> None:
    assert word in forbidden()
    assert forbidden_words_in([f"The {word.capitalize()} of meter 1."])
    assert forbidden_words_in([f"two {word.replace(' ', '-')}s"])


def test_an_entry_is_met_in_the_plural_too() -> None:
    assert forbidden_words_in(["Two witnesses of the same feed"])


def test_only_whole_words_count() -> None:
    everyday = ["bookshelf", "the load check", "idle, above all", "eyewitness", "results that are stated"]
    assert forbidden_words_in(everyday) == []


def test_each_kind_of_text_is_read() -> None:
    assert list(typed_texts("/** not `a` text */\nimport x from './y'\n// nor 'this'\nconst a = 'one'")) == ["one"]
    assert list(typed_texts('export const w = { a: "one", b: (n: number) => `two ${n}` }')) == ["one", "two ${n}"]
    assert list(template_texts('<template><p title="one">two {{ x }} three</p></template>')) == ["one", "two three"]
    module = (
        '"""no"""\ndef f(x):\n    """no"""\n    raise E(f"one {x}", "two")\n@app.command()\ndef g():\n    """three"""\n'
    )
    texts = set(program_texts(module))
    assert {"one …", "two", "three"} <= texts
    assert "no" not in texts
