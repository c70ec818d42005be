"""`wattmark meter schema`: what a declaration of the catalogue may say."""

from __future__ import annotations

from wattmark_drivers.catalogue import catalogue_json_schema

from wattmark.cli.console.output import emit_json


def schema() -> None:
    """Print the JSON Schema of a model's declaration, for editors."""
    emit_json(catalogue_json_schema())
