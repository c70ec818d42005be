"""Load and check a bench file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from wattmark.bench.bench import Bench
from wattmark.bench.mistakes import bench_error, from_validation
from wattmark.bench.references import Mistake, Path, check_references
from wattmark.bench.schema import bench_schema
from wattmark.bench.yaml_source import LocatedData, read_yaml

SECRET_KEYS = frozenset({"password", "passwd", "passphrase", "privacy_password", "community", "secret", "token"})
REFUSAL = "the bench file must not contain secrets; name a variable (password_env) or a file (password_file)"


def load_bench(path: FilePath, *, known_models: Callable[[], Collection[str]] | None = None) -> Bench:
    """Read a bench file. Raises `BenchError` (an `InputError`) with every mistake, each with its line.

    ``known_models`` lists the models of the driver catalogue; without it model names are not checked.
    """
    return parse_bench(read_yaml(path), FilePath(path), known_models() if known_models else None)


def parse_bench(
    source: LocatedData,
    path: FilePath,
    known_models: Collection[str] | None = None,
    also: Callable[[Bench], Iterable[Mistake]] = lambda _: (),
) -> Bench:
    """Check a bench that has been read already; ``also`` finds mistakes that the inventory cannot know of."""
    if secrets := list(_secrets(source.data, ())):
        raise bench_error(source, secrets)
    try:
        bench = Bench.model_validate(source.data)
    except ValidationError as error:
        raise bench_error(source, from_validation(error, source, bench_schema())) from None
    if mistakes := list(check_references(bench, known_models)):
        raise bench_error(source, mistakes)
    bench._file = path  # noqa: SLF001 - set once, where the file is known
    if mistakes := list(also(bench)):
        raise bench_error(source, mistakes)
    return bench


def _secrets(node: Any, path: Path) -> Iterator[Mistake]:
    if isinstance(node, dict):
        for key, value in node.items():
            if str(key).lower() in SECRET_KEYS:
                yield Mistake((*path, key), REFUSAL)
            yield from _secrets(value, (*path, key))
    elif isinstance(node, list):
        for index, item in enumerate(node):
            yield from _secrets(item, (*path, index))
