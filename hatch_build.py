"""Refuse to build a wheel without the web app and the documents; stay silent for editable installs."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RequireWebApp(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for folder, contents in (("_ui", "web app is"), ("_docs", "documents are")):
            index = Path(self.root) / "backend/wattmark" / folder / "index.html"
            if version != "editable" and not index.is_file():
                message = f"the {contents} not built: run `make package`, which builds both first"
                raise RuntimeError(message)
