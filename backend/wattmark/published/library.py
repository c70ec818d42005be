"""The published library: figures of others. The door of this room; the loaded data and the views of them."""

from wattmark.published.groups import published_groups
from wattmark.published.loading import Library, load_published
from wattmark.published.tables import published_out

__all__ = ["Library", "load_published", "published_groups", "published_out"]
