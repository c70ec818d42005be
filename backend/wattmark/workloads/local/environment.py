"""Variables of a load's environment beyond those of the machine."""

from __future__ import annotations

import os
from collections.abc import Mapping

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.declaration import Declaration


def load_environment(declaration: Declaration, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Collect the declared variables, and the password where the bench names one.

    Raises `WorkloadFailed` when the password is not in wattmark's environment.
    """
    variable, source = declaration.password_variable, declaration.password_env
    if variable is None or source is None:
        return dict(declaration.environment)
    password = environment.get(source)
    if not password:
        cause = f"The environment variable {source} with the password of {declaration.id} is not set."
        raise WorkloadFailed(cause, f"Start wattmark with {source}=... in its environment.")
    return {**declaration.environment, variable: password}
