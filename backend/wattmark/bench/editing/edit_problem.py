"""A refused change of the bench as it leaves the API."""

from __future__ import annotations

from wattmark.bench.editing.views import MistakeOut
from wattmark.web.problem import Problem


class EditProblem(Problem):
    """A change that is refused, with every mistake at its field."""

    mistakes: list[MistakeOut] = []
