"""Several texts as one phrase."""

from __future__ import annotations

from collections.abc import Sequence


def first_of(texts: Sequence[str], most: int, separator: str = ", ") -> str:
    """Join the first ``most`` texts, and count the others: "sda, sdb, and 3 more"."""
    rest = [f"and {len(texts) - most} more"] if len(texts) > most else []
    return separator.join([*texts[:most], *rest])


def all_of(texts: Sequence[str]) -> str:
    """Join texts as they stand in a sentence: "sda, sdb and sdc"."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
