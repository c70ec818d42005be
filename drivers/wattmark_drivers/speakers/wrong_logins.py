"""How long a peer waits whose logins are wrong: nobody may search for a password. Pure but for the clock."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

from wattmark_drivers.speakers.pace import Pace

PER_S, AT_ONCE = 0.5, 10.0
"""Wrong logins of one peer, over however many connections, that are answered without delay: nobody mistypes more, and a
search takes for ever."""
MOST_KEPT = 256
"""Wrong logins that are known again; of more the one that was tried longest ago is forgotten."""


class WrongLogins:
    """Counts the wrong logins of each peer, of whose connections at most ``places`` wait at once.

    Who repeats a wrong login, such as a program with an old password, learns nothing new and does not wait. Logins are
    kept as digests under a key that nobody else knows.
    """

    def __init__(self, places: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self._pace = Pace(PER_S, AT_ONCE, now_s, most_owed=places)
        self._key = secrets.token_bytes(16)
        self._kept: OrderedDict[bytes, None] = OrderedDict()

    def wait_s(self, peer: str, login: bytes) -> float:
        """Count a wrong login of a peer; return how long it waits for its answer [s]."""
        digest = hashlib.blake2b(b"%s %s" % (peer.encode(), login), key=self._key, digest_size=16).digest()
        is_known = digest in self._kept
        self._kept[digest] = None
        self._kept.move_to_end(digest)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return 0.0 if is_known else self._pace.spend(peer)
