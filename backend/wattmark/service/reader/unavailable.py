"""What is said where stored runs cannot be read at the moment."""

from __future__ import annotations

from wattmark.core.errors import StoreError

AGAIN_S = 5


class ReaderUnavailable(StoreError):  # noqa: N818
    """No reader is there. Measuring goes on."""

    wait_s = AGAIN_S

    def __init__(self, problem: str | None) -> None:
        why = f" {problem}" if problem else ""
        super().__init__(
            f"Stored runs cannot be read at the moment; measuring continues.{why}", "Try again in a moment."
        )


class ReaderGone(StoreError):  # noqa: N818
    """The reader has ended before it had answered."""

    wait_s = AGAIN_S

    def __init__(self) -> None:
        super().__init__(
            "The process that reads stored runs ended before it answered. It is being restarted; measuring continues.",
            "Try again in a moment. If it ends again, request less data at once: there may be too little memory.",
        )


class TooManyReaders(StoreError):  # noqa: N818
    """All places for such answers were taken for too long."""

    def __init__(self, most: int, wait_s: int) -> None:
        self.wait_s = wait_s
        super().__init__(
            f"Only {most} such requests are answered at a time, so that measuring is not delayed.",
            f"Try again in {wait_s} s.",
        )
