"""How the bench stands while the service asks: the little of it that answers about stored runs say."""

from __future__ import annotations

from contextvars import ContextVar

from pydantic import BaseModel

from wattmark.runs.record import MeterRecord

BENCH_HEADER = "X-Wattmark-Bench"


class BenchNow(BaseModel):
    """The name of the lab, and the meters as a run would record them now."""

    lab: str = ""
    meters: tuple[MeterRecord, ...] = ()

    def as_header(self) -> bytes:
        """Encode it in ASCII, as a header must be."""
        return self.model_dump_json(ensure_ascii=True).encode()


_now: ContextVar[BenchNow] = ContextVar("bench_now", default=BenchNow())  # noqa: B039 - it is never changed


def bench_now() -> BenchNow:
    """Return the bench that came with the present request."""
    return _now.get()


def set_bench_now(bench: BenchNow) -> None:
    """Set the bench for what follows in this task and its threads."""
    _now.set(bench)
