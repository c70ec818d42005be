"""The published library: figures of others, loaded once, and the views of them. Other rooms import this module."""

from wattmark.comparison.published.groups import published_groups
from wattmark.comparison.published.loading import Library, load_published
from wattmark.comparison.published.tables import published_out

__all__ = ["Library", "load_published", "published_groups", "published_out"]
