"""Roles, each of which may do what the one before may."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What somebody may do: look; also drive loads and record; also delete, decide and give access."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"

    def may(self, needed: Role) -> bool:
        """Return whether this role includes another."""
        return _RANK[self] >= _RANK[needed]


_RANK = {role: rank for rank, role in enumerate(Role)}
