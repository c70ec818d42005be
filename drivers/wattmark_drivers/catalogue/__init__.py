"""One declaration per model, and the loader that checks them."""

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.loader import catalogue_json_schema, load_catalogue, parse_declaration

__all__ = ["Declaration", "catalogue_json_schema", "load_catalogue", "parse_declaration"]
