"""Give a workload with a hook the trigger that makes its calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from wattmark_drivers.clock import Clock

from wattmark.core.passwords import password_from_environment, password_from_file
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.hook import Hook
from wattmark.workloads.http.address import parse_target
from wattmark.workloads.http.trigger import Caller, HttpHook
from wattmark.workloads.trigger import Trigger


def hooked(
    declaration: Declaration,
    inner: Trigger,
    caller: Caller,
    *,
    folder: Path,
    clock: Clock,
    environment: Mapping[str, str] = os.environ,
) -> Trigger:
    """Return the trigger that makes the calls, or ``inner`` where the workload has no hook.

    Paths are relative to ``folder``. Nothing is read before a call is made.
    """
    hook = declaration.hook
    if hook is None:
        return inner
    ca_file = str(folder / Path(hook.ca_file).expanduser()) if hook.ca_file else None
    token = _token(hook, declaration.id, folder, environment)
    return HttpHook(declaration, hook, inner, caller, clock, token=token, ca_file=ca_file)


def called_elsewhere(declaration: Declaration) -> bool:
    """Return whether the load of a workload is begun or ended by calls to another machine.

    Raises `InputError` for an invalid address.
    """
    values = declaration.parameter_values()
    addresses = declaration.hook.addresses if declaration.hook is not None else ()
    return not all(parse_target(address, values, None).here for address in addresses)


def _token(hook: Hook, owner: str, folder: Path, environment: Mapping[str, str]) -> Callable[[], str] | None:
    variable, file = hook.token_env, hook.token_file
    if variable is not None:
        return lambda: password_from_environment(variable, owner, environment)
    if file is not None:
        return lambda: password_from_file(folder / Path(file).expanduser(), owner)
    return None
