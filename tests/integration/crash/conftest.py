"""A real service that can be killed, and a bench whose run lasts longer than any test."""

from ..service.conftest import start

__all__ = ["start"]
