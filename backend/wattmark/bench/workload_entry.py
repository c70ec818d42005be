"""A workload in the bench file: one of the catalogue, perhaps adapted, or the user's own command."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from wattmark.core.inputs import REAL, SCALAR, WHOLE, Text
from wattmark.core.part import Identifier, Part, Variable, Word
from wattmark.workloads.declaration import Declaration


class Adaptation(Part):
    """What a bench may change about a workload of the catalogue."""

    program: Word | None = None
    """Path of the program, if it is not the one on PATH."""
    slice_s: Annotated[int, Field(strict=True, ge=1, le=3600), WHOLE] | None = None
    timeout_s: Annotated[float, Field(gt=0), REAL] | None = None
    environment: dict[Text, Text] | None = None
    parameters: dict[Text, Annotated[str | int, SCALAR]] = Field(default_factory=dict)
    """Values of the placeholders of the workload, such as the host of a database."""
    password_env: Variable | None = None
    """Variable in wattmark's environment with the password; the program receives it in its own environment."""


class WorkloadUse(Part):
    """A workload of the catalogue. A changed one should have its own id, because results compare by it."""

    uses: Identifier
    id: Identifier | None = None
    adapt: Adaptation = Field(default_factory=Adaptation, alias="with")

    @property
    def name(self) -> str:
        """Return the workload as plans and results do."""
        return self.id or self.uses

    def apply(self, declaration: Declaration) -> Declaration:
        """Adapt the declaration of the catalogue."""
        changes = self.adapt.model_dump(exclude_none=True, exclude={"program", "parameters"})
        changes["parameters"] = {
            name: parameter.model_copy(update={"default": str(self.adapt.parameters.get(name, parameter.default))})
            if name in self.adapt.parameters
            else parameter
            for name, parameter in declaration.parameters.items()
        }
        if self.adapt.program:
            changes["command"] = (self.adapt.program, *declaration.command[1:])
            changes["version"] = declaration.version and (self.adapt.program, *declaration.version[1:])
        return declaration.model_copy(update={"id": self.name, **changes})


def _form(value: Any) -> str:
    uses = "uses" in value if isinstance(value, dict) else isinstance(value, WorkloadUse)
    return "from-catalogue" if uses else "own-command"


WorkloadEntry = Annotated[
    Annotated[WorkloadUse, Tag("from-catalogue")] | Annotated[Declaration, Tag("own-command")], Discriminator(_form)
]
