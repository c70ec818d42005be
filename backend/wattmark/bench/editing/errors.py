"""A change of the bench that its check refuses."""

from __future__ import annotations

from wattmark.bench.editing.plain import Steps
from wattmark.bench.editing.views import MistakeOut
from wattmark.bench.mistakes import BenchError, FoundMistake
from wattmark.core.errors import InputError


class EditRefused(InputError):  # noqa: N818 - reads better at the raise site
    """The bench would have mistakes; each is reported at the field that causes it."""

    def __init__(self, mistakes: list[MistakeOut]) -> None:
        first = mistakes[0]
        more = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
        cause = f"{first.where}: {first.message}" if first.where else first.message
        super().__init__(f"{cause.rstrip('?.')}{more}.", "Nothing was changed. Correct the entry and send it again.")
        self.mistakes = mistakes


def refused(error: BenchError, base: Steps | None) -> EditRefused:
    """Return the mistakes of a bench by their place in the entry that was sent; ``base`` leads to that entry."""
    return EditRefused([_mistake(mistake, base) for mistake in error.located])


def _mistake(mistake: FoundMistake, base: Steps | None) -> MistakeOut:
    inside = base is not None and mistake.path[: len(base)] == base
    path = list(mistake.path[len(base or ()) :]) if inside else None
    return MistakeOut(path=path, where=mistake.where, line=mistake.line or None, message=mistake.text)
