"""One declaration per model, and the loader that checks them."""

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.loader import catalogue_json_schema, find_model, load_catalogue, parse_declaration
from wattmark_drivers.catalogue.support_table import support_table

__all__ = ["Declaration", "catalogue_json_schema", "find_model", "load_catalogue", "parse_declaration", "support_table"]
