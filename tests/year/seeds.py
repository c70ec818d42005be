"""Seeds whose schedules once broke an invariant, and some that touch each kind of event; `make test` runs them all."""

from __future__ import annotations

FIXED: dict[int, str] = {
    17: "a clock that is set during runs",
    1796141460: "a run is stopped while the disk fails: its error was lost",
}
