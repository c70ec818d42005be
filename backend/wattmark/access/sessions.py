"""Sessions of browsers: a random id in a cookie instead of the token itself. They end with the service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from wattmark_drivers.clock import Clock

from wattmark.access.token import SECRET_BYTES, digest

MOST_OF_ONE = 16
"""Sessions of one token at a time; a further one ends that token's oldest, so that no token signs others out."""
MOST = 256
"""Sessions of all tokens at a time; a further one ends the oldest of the token that has the most."""


@dataclass(frozen=True, slots=True)
class Session:
    """Who signed in with which token, and until when [monotonic ns]."""

    token: str
    ends_ns: int


class Sessions:
    """Open and end sessions. Expiry runs on the monotonic clock: setting the wall clock does not prolong a session."""

    def __init__(self, clock: Clock, lifetime_s: float, random_text: Callable[[int], str]) -> None:
        self._clock = clock
        self._lifetime_ns = int(lifetime_s * 1e9)
        self._random_text = random_text
        self._open: dict[str, Session] = {}

    def begin(self, token: str) -> tuple[str, Session]:
        """Create a session of a token; return its id, which only the browser stores, and the session."""
        self._forget_ended()
        self._make_room(token)
        identifier = self._random_text(SECRET_BYTES)
        session = Session(token, self._clock.monotonic_ns() + self._lifetime_ns)
        self._open[digest(identifier)] = session
        return identifier, session

    def find(self, identifier: str) -> Session | None:
        """Find a session that has not ended."""
        session = self._open.get(digest(identifier))
        return session if session is not None and session.ends_ns > self._clock.monotonic_ns() else None

    def end(self, identifier: str) -> None:
        """Stop a session; one that has already ended is not an error."""
        self._open.pop(digest(identifier), None)

    def end_all_of(self, token: str) -> None:
        self._open = {key: session for key, session in self._open.items() if session.token != token}

    def remaining_s(self, session: Session) -> float:
        """Compute how long a session still lasts [s]."""
        return max(0.0, (session.ends_ns - self._clock.monotonic_ns()) * 1e-9)

    def _make_room(self, token: str) -> None:
        counts = Counter(session.token for session in self._open.values())
        if counts[token] >= MOST_OF_ONE:
            self._end_oldest_of(token)
        elif len(self._open) >= MOST:
            self._end_oldest_of(counts.most_common(1)[0][0])

    def _end_oldest_of(self, token: str) -> None:
        del self._open[next(key for key, session in self._open.items() if session.token == token)]

    def _forget_ended(self) -> None:
        now_ns = self._clock.monotonic_ns()
        self._open = {key: session for key, session in self._open.items() if session.ends_ns > now_ns}
