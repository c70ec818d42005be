"""Errors that end in front of a person: a cause and a remedy, one line each, with an exit code."""

from __future__ import annotations


class WattmarkError(Exception):
    """The work failed (exit code 1)."""

    exit_code = 1

    def __init__(self, cause: str, remedy: str = "") -> None:
        super().__init__(f"{cause} {remedy}".strip())
        self.cause = cause
        self.remedy = remedy


class InputError(WattmarkError):
    """Wrong usage or wrong input (exit code 2): a file, an option or a request."""

    exit_code = 2


class UnknownSource(InputError):  # noqa: N818 - reads better at the raise site
    """A file or folder is of no kind that can be read without being told what it is."""


class StoreError(WattmarkError):
    """The data folder cannot be used: read-only, locked by another process, full or damaged."""


class EvaluationFailed(StoreError):  # noqa: N818
    """The stored data of one run cannot be evaluated; other runs can."""


EVALUATION_REMEDY = "Delete the run, or keep it and tell who maintains wattmark; the log says where it failed."


class NotFound(InputError):  # noqa: N818 - reads better at the raise site
    """What was asked for does not exist."""


class Forbidden(WattmarkError):  # noqa: N818
    """The role of who asks does not include this."""


class Conflict(WattmarkError):  # noqa: N818
    """The service is busy with something that excludes the request."""


class WorkloadFailed(WattmarkError):  # noqa: N818 - reads better at the raise site
    """The load could not be started, ended with an error, or printed output that is not a measurement."""


class Disturbed(WorkloadFailed):
    """Something outside the load broke (a connection, a meter, the clock): the same run may succeed when repeated."""
