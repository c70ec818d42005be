"""Roles, each with the permissions of the previous one."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """Role: viewer reads; operator also runs loads and records; admin also deletes, decides and manages access."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"

    def may(self, needed: Role) -> bool:
        """Return whether this role includes another."""
        return _RANK[self] >= _RANK[needed]


_RANK = {role: rank for rank, role in enumerate(Role)}
