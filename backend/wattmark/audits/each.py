"""Audit many results: one that cannot be audited does not keep the others from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from wattmark.audits.audit import Audit
from wattmark.core.errors import InputError

Source = TypeVar("Source")


def each_audit(sources: Iterable[Source], audits: Callable[[Source], Iterable[Audit]]) -> Iterator[Audit]:
    """Yield the audits of each source that has any. Raises `InputError` at the end, naming the first that has none."""
    refused: list[InputError] = []
    for source in sources:
        try:
            made = [*audits(source)]
        except InputError as error:
            refused.append(error)
        else:
            yield from made
    if len(refused) == 1:
        raise refused[0]
    if refused:
        first = refused[0]
        raise InputError(f"{len(refused)} results cannot be audited. The first: {first.cause}", first.remedy)
