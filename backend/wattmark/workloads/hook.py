"""A load on another system that HTTP calls start and end, as data, and the interface of the caller."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol, Self, runtime_checkable

from pydantic import Field, model_validator

from wattmark.core.inputs import LINE, REAL
from wattmark.core.part import Part, Variable, Word
from wattmark.workloads.marks import Mark

Address = Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+([/?][^\s#]*)?$", max_length=1024), LINE]
"""Address of a call: http or https, no user, no fragment; {name} stands for a parameter of the workload."""


class Call(Part):
    """One HTTP call of a hook."""

    url: Address
    method: Literal["POST", "PUT", "DELETE"] = "POST"


class Poll(Part):
    """Where the progress of the load is polled."""

    url: Address
    every_s: Annotated[float, Field(ge=0.1, le=60), REAL] = 1.0
    """Time between two questions [s]."""


class Hook(Part):
    """The calls of one workload. Their contents are described in ``wattmark/hooks/README.md``."""

    begin: Call
    end: Call
    poll: Poll | None = None
    token_env: Variable | None = None
    """The variable of wattmark's own environment that holds the bearer token."""
    token_file: Word | None = None
    """A private file that holds the bearer token; relative to the bench file."""
    ca_file: Word | None = None
    """Authorities to believe instead of the system's, for https (PEM); relative to the bench file."""
    timeout_s: Annotated[float, Field(gt=0, le=120), REAL] = 10.0
    """How long a call waits for its answer [s]."""

    @model_validator(mode="after")
    def _one_token(self) -> Self:
        if self.token_env is not None and self.token_file is not None:
            raise ValueError("at most one of token_env (name of a variable) and token_file (path)")
        return self

    @property
    def addresses(self) -> tuple[str, ...]:
        """List the addresses that it calls."""
        return (self.begin.url, self.end.url, *([self.poll.url] if self.poll else []))


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """Answer to a call: the body as text, and when the request was sent and the answer received."""

    text: str
    asked: Mark
    came: Mark

    @property
    def took_s(self) -> float:
        """Compute the round trip [s], the bound on the instant at which the other system acted."""
        return self.came.since(self.asked)


class HookedLoad(Protocol):
    """A load that a call has started."""

    @property
    def begun(self) -> HookAnswer:
        """Return the answer to the begin call."""
        ...

    async def poll(self) -> HookAnswer:
        """Poll its progress. Raises `WorkloadFailed`."""
        ...

    async def end(self) -> HookAnswer:
        """Stop the load; safe to repeat. Raises `WorkloadFailed` when the other system does not confirm the end."""
        ...


@runtime_checkable
class HookTrigger(Protocol):
    """A trigger that can make the calls of a hook."""

    def load(self, level: int | None, seconds: int) -> AbstractAsyncContextManager[HookedLoad]:
        """Start the load; the end of the context stops it, whatever the cause.

        Raises `WorkloadFailed` when it cannot be begun, or when its end is not confirmed.
        """
        ...
