"""Every route declares the role that it needs, and holds to it."""

from __future__ import annotations

import pytest
from wattmark.access.http.middleware import SAFE_METHODS
from wattmark.access.http.permissions import NEEDS, ONLY_LOOKS, OPEN, needed_role
from wattmark.access.roles import Role
from wattmark.service.http.reference import reference_page

from .described import description, operations


def test_every_route_declares_its_role_and_every_declaration_has_its_route() -> None:
    declared = [*NEEDS, *OPEN]
    assert len(declared) == len(set(declared))
    assert set(operations()) - set(declared) == set(), "add them to access/http/permissions.py"
    assert set(declared) - set(operations()) == set(), "they are gone: take them out of access/http/permissions.py"


def test_who_only_looks_changes_nothing() -> None:
    changing = {name for name, (method, _) in operations().items() if method not in SAFE_METHODS}
    for_everybody = {name for name in changing if needed_role(name) in (None, Role.VIEWER)}
    assert for_everybody <= ONLY_LOOKS | {"access_sign_in", "access_sign_out"}
    assert set(operations()) >= ONLY_LOOKS


def test_an_undeclared_route_is_for_administrators() -> None:
    assert needed_role("anything_new") is Role.ADMIN


@pytest.mark.parametrize("role", Role)
def test_a_role_includes_those_before_it(role: Role) -> None:
    ranks = list(Role)
    assert [role.may(other) for other in ranks] == [ranks.index(role) >= rank for rank in range(len(ranks))]


def test_the_reference_names_every_route_with_its_role_and_nothing_from_elsewhere() -> None:
    page = reference_page(description())
    for name, (method, path) in operations().items():
        assert f"{method} {path}" in page
        assert (needed_role(name) or "open") in page
    assert "<script" not in page
    assert "style" not in page
    assert "http://" not in page
    assert "https://" not in page
