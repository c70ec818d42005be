"""Several texts as one phrase; texts that differ in nothing but how they were typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def first_of(texts: Sequence[str], most: int, separator: str = ", ") -> str:
    """Join the first ``most`` texts, and count the others: "sda, sdb, and 3 more"."""
    rest = [f"and {len(texts) - most} more"] if len(texts) > most else []
    return separator.join([*texts[:most], *rest])


def all_of(texts: Sequence[str]) -> str:
    """Join texts as they stand in a sentence: "sda, sdb and sdc"."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def as_typed_by_anybody(text: str) -> str:
    """Return what does not depend on how a name was typed: neither its case nor its spaces."""
    return " ".join(text.split()).casefold()


def one_writing(texts: Iterable[str]) -> Mapping[str, str]:
    """Return for each text the one that is written for all that were only typed otherwise: the first in order."""
    distinct = sorted(set(texts))
    written: dict[str, str] = {}
    for text in distinct:
        written.setdefault(as_typed_by_anybody(text), text)
    return {text: written[as_typed_by_anybody(text)] for text in distinct}
