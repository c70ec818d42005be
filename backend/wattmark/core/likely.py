"""What somebody may have meant by a name that does not exist."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches

from wattmark.core.errors import InputError
from wattmark.core.texts import first_of

MOST_MEANT = 3
MOST_LISTED = 8
_ALIKE = 0.6


def likely(name: str, names: Collection[str]) -> list[str]:
    """Find the names that a wrong one may stand for: first those that begin with it, then those that are alike."""
    wanted = name.casefold()
    begins = [known for known in names if wanted and known.casefold().startswith(wanted)]
    alike = get_close_matches(name, names, MOST_MEANT, _ALIKE)
    return list(dict.fromkeys([*begins, *alike]))[:MOST_MEANT]


def meant(name: str, names: Collection[str]) -> str:
    """Write a question of which name was meant, such as "Did you mean node-01 or node-02?"; empty where none is near.

    Names with a space stand in quotes, as a shell needs them.
    """
    near = likely(name, names)
    return f"Did you mean {' or '.join(map(_quoted, near))}?" if near else ""


def meant_or_listed(name: str, names: Sequence[str], what: str) -> str:
    """Write the same, or the first of the names that exist, called ``what``: "Servers: node-01, node-02."."""
    return meant(name, names) or f"{what}: {first_of([*map(_quoted, names)], MOST_LISTED) or 'none'}."


def none_as_wanted(cause: str, wanted: Mapping[str, str | None], known: Collection[tuple[str, ...]]) -> InputError:
    """Explain that nothing is as wanted: which part of it nothing has, and what may have been meant.

    ``known`` names what there is, each part in the order of ``wanted``. A part is looked for among those that have
    the parts before it, so that the level of a workload is one that this workload ran at. A list keeps its order.
    """
    wishes = ", ".join(f"{name} {value[:80]!r}" for name, value in wanted.items() if value is not None)
    said, left = f"{cause} {wishes}." if wishes else "No run matches this table.", _ordered(known)
    for place, (name, value) in enumerate(wanted.items()):
        names = list(dict.fromkeys(parts[place] for parts in left))
        if value is not None and value not in names:
            return InputError(said, meant_or_listed(value[:80], names, f"{name.capitalize()}s"))
        left = [parts for parts in left if value in (None, parts[place])]
    return InputError(said, "List the runs with `wattmark results`.")


def _ordered(known: Collection[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return list(known) if isinstance(known, Sequence) else sorted(known)


def _quoted(name: str) -> str:
    return repr(name) if " " in name else name
