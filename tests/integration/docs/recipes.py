"""The pages of the guide on other programs that read the wall meter; `tests/integration/gateway` types them."""

from .pages import DOCS, is_typed

RECIPES = [page for page in sorted((DOCS / "guide/recipes").glob("*.md")) if is_typed(page)]
