"""What is said where stored runs cannot be read at the moment."""

from __future__ import annotations

from wattmark.core.errors import StoreError

AGAIN_S = 5


class ReaderUnavailable(StoreError):  # noqa: N818
    """No reader is there. Measuring goes on."""

    wait_s = AGAIN_S

    def __init__(self, problem: str | None) -> None:
        why = f" {problem}" if problem else ""
        super().__init__(f"Stored runs cannot be read at the moment; measuring goes on.{why}", "Try again in a moment.")


class ReaderGone(StoreError):  # noqa: N818
    """The reader has ended before it had answered."""

    wait_s = AGAIN_S

    def __init__(self) -> None:
        super().__init__(
            "The process that reads stored runs ended before it had answered; it is started again, measuring goes on.",
            "Try again in a moment; if it ends again, ask for less at once: there may be too little memory.",
        )


class TooManyReaders(StoreError):  # noqa: N818
    """All places for such answers were taken for too long."""

    def __init__(self, most: int, wait_s: int) -> None:
        self.wait_s = wait_s
        super().__init__(
            f"{most} such answers at a time are made, so that measuring is not held up, and others wait.",
            f"Try again in {wait_s} s.",
        )
