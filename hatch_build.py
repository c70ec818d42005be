"""Refuse to build a wheel without the web app; stay silent for editable installs."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RequireWebApp(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        index = Path(self.root) / "backend/wattmark/_ui/index.html"
        if version != "editable" and not index.is_file():
            message = "the web app is not built: run `make package`, which builds it first"
            raise RuntimeError(message)
