"""Follow the links of a Redfish service, each once and only so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wattmark_drivers.errors import BadReply
from wattmark_drivers.http_client.json_body import point, text_at
from wattmark_drivers.http_client.status import Forbidden
from wattmark_drivers.redfish.session import RedfishSession, Resource, local_path

MOST_MEMBERS = 64
"""Members that are read of one collection; a chassis has fewer supplies and fans."""
MOST_PAGES = 8


@dataclass(frozen=True, slots=True)
class Found:
    """A resource and the member of a collection that it belongs to, by that member's name."""

    resource: Resource
    member: str | None = None


class Walker:
    """Reads resources of one service, each at most once. ``forbidden`` remembers what this user may not read."""

    def __init__(self, session: RedfishSession) -> None:
        self._session = session
        self._seen: dict[str, Resource | None] = {}
        self.forbidden: Forbidden | None = None

    async def follow(self, start: Resource, path: Sequence[str]) -> list[Found]:
        """Follow a declared path from a resource; what is missing, refused or broken is excluded."""
        resources = [Found(start)]
        for step in path:
            resources = [target for origin in resources for target in await self._step(origin, step)]
        return resources

    async def members(self, collection: Resource) -> list[Resource]:
        """Read the members of a collection, page by page."""
        members: list[Resource] = []
        page: Resource | None = collection
        for _ in range(MOST_PAGES):
            if page is None:
                break
            for path in _links(page.document):
                if len(members) < MOST_MEMBERS and (member := await self.try_get(path)) is not None:
                    members.append(member)
            following = local_path(point(page.document, "/Members@odata.nextLink"))
            page = None if following is None else await self.try_get(following)
        return members

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
        except BadReply:
            pass
        return None

    async def _step(self, origin: Found, step: str) -> list[Found]:
        if step == "*":
            members = await self.members(origin.resource)
            return [Found(member, text_at(member.document, "/Id", "/MemberId", "/Name")) for member in members]
        pointer = step if step.startswith("/") else f"/{step}/@odata.id"
        path = local_path(point(origin.resource.document, pointer))
        target = None if path is None else await self.try_get(path)
        return [] if target is None else [Found(target, origin.member)]


def _links(document: object) -> Iterator[str]:
    members = point(document, "/Members")
    for member in members if isinstance(members, list) else ():
        path = local_path(point(member, "/@odata.id"))
        if path is not None:
            yield path
