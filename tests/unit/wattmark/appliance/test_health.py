"""What keeps an appliance from measuring, in words."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from wattmark.appliance.health import LONGEST_WRITE_S, meter_problems, write_problems
from wattmark.metrics.timed import TimedSamples
from wattmark.storage.sample_store import Samples
from wattmark_drivers.clock import SystemClock


def test_a_service_is_ready_while_one_meter_answers() -> None:
    assert meter_problems([], {"bmc": "gone"}) == [], "a bench without meters has none that could answer"
    assert meter_problems(["a", "b"], {"a": "gone", "b": None}) == []
    assert meter_problems(["a", "b"], {"a": "gone"}) == [], "b was not asked yet"
    assert meter_problems(["a", "b"], {"a": "No connection.", "b": "gone"}) == ["No meter answers. a: No connection."]


def test_a_refusal_and_a_write_without_end_are_told() -> None:
    assert write_problems(None, 0.2) == []
    assert write_problems("No space.", 0.0) == ["No space."]
    (told,) = write_problems(None, LONGEST_WRITE_S + 1)
    assert told.startswith("A write to the data folder has lasted 11 s")


def test_a_write_that_hangs_is_seen_from_outside() -> None:
    class Hanging:
        """A disk that takes a write and never ends it, as a lost network drive does."""

        series = enter = seal = staticmethod(lambda _: None)

        def append(self, _: Sequence[tuple[int, Samples]]) -> None:
            taken.set()
            released.wait(20)

    taken, released = threading.Event(), threading.Event()
    samples = TimedSamples(Hanging(), SystemClock())  # type: ignore[arg-type]
    assert samples.lasts_s == 0
    writing = threading.Thread(target=samples.append, args=([],))
    writing.start()
    assert taken.wait(20)
    assert samples.lasts_s > 0
    released.set()
    writing.join(20)
    assert samples.lasts_s == 0
