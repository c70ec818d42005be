"""A real service that can be killed."""

from ..service.conftest import start

__all__ = ["start"]
