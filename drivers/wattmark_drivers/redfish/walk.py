"""Follow the links of a Redfish service, each once and only so far."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wattmark_drivers.errors import BadReply
from wattmark_drivers.http_client.json_body import point, text_at
from wattmark_drivers.http_client.status import Forbidden, NotFound
from wattmark_drivers.redfish.session import RedfishSession, Resource, local_path

MOST_MEMBERS = 64
"""Members that are read of one collection; a chassis has fewer supplies and fans."""
MOST_PAGES = 8
ROOT = "^"
"""First step of a path that begins at the service root."""


@dataclass(frozen=True, slots=True)
class FoundResource:
    """A resource and the member of a collection that it belongs to, by that member's name."""

    resource: Resource
    member: str | None = None


class Walker:
    """Reads resources of one service, each at most once.

    ``forbidden`` remembers what this user may not read, ``broken`` the last resource that could not be read otherwise.
    """

    def __init__(self, session: RedfishSession) -> None:
        self._session = session
        self._seen: dict[str, Resource | None] = {}
        self.forbidden: Forbidden | None = None
        self.broken: BadReply | None = None
        self.root: Resource | None = None

    async def follow(self, start: Resource, path: Sequence[str], wanted: Sequence[str] = ()) -> list[FoundResource]:
        """Follow a declared path from a resource; what is missing, refused or broken is excluded.

        ``wanted`` selects the members of a collection by the last part of their path.
        """
        resources = [FoundResource(start)]
        if path and path[0] == ROOT:
            resources, path = [] if self.root is None else [FoundResource(self.root)], path[1:]
        for step in path:
            resources = [target for origin in resources for target in await self._step(origin, step, wanted)]
        return resources

    async def links(self, collection: Resource, wanted: Sequence[str] = ()) -> list[str]:
        """List the paths of the members of a collection, page by page; a page that cannot be read ends the list."""
        links: list[str] = []
        page: Resource | None = collection
        for _ in range(MOST_PAGES):
            if page is None:
                break
            links += [path for path in links_of(page) if _is_wanted(path, wanted)]
            following = next_page(page)
            page = None if following is None else await self.try_get(following)
        return links

    async def members(self, collection: Resource, wanted: Sequence[str] = ()) -> list[Resource]:
        """Read the members of a collection."""
        links = await self.links(collection, wanted)
        members = [await self.try_get(path) for path in links[:MOST_MEMBERS]]
        return [member for member in members if member is not None]

    async def try_get(self, path: str) -> Resource | None:
        """Read a resource once; None where there is none, it is unreadable or this user may not read it."""
        if path not in self._seen:
            self._seen[path] = await self._get(path)
        return self._seen[path]

    async def _get(self, path: str) -> Resource | None:
        try:
            return await self._session.get(path)
        except Forbidden as error:
            self.forbidden = error
        except BadReply as error:
            if not isinstance(error, NotFound):
                self.broken = error
        return None

    async def _step(self, origin: FoundResource, step: str, wanted: Sequence[str]) -> list[FoundResource]:
        if step == "*":
            members = await self.members(origin.resource, wanted)
            return [FoundResource(member, text_at(member.document, "/Id", "/MemberId", "/Name")) for member in members]
        pointer = step if step.startswith("/") else f"/{step}/@odata.id"
        path = local_path(point(origin.resource.document, pointer))
        target = None if path is None else await self.try_get(path)
        return [] if target is None else [FoundResource(target, origin.member)]


def last_part(path: str) -> str:
    """Return what a path calls its resource."""
    return path.rstrip("/").rpartition("/")[2]


def _is_wanted(path: str, wanted: Sequence[str]) -> bool:
    return not wanted or any(re.fullmatch(pattern, last_part(path)) for pattern in wanted)


def next_page(page: Resource) -> str | None:
    """Return the path of the page after one of a collection; None: it is the last."""
    return local_path(point(page.document, "/Members@odata.nextLink"))


def links_of(page: Resource) -> Iterator[str]:
    """Yield the paths of the members that a page of a collection lists."""
    members = point(page.document, "/Members")
    for member in members if isinstance(members, list) else ():
        path = local_path(point(member, "/@odata.id"))
        if path is not None:
            yield path
